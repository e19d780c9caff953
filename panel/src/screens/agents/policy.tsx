import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ifMatch, readAgain, type Schemas, versioned } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { rich } from '../../language/rich.tsx';
import { t } from '../../language/texts.ts';
import { useCan, useMe } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { amountLike, unitsOf } from '../../ui/decimals.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { changesOf } from '../../ui/form/changes.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';
import { DialogFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';

type AgentPolicy = Schemas['AgentPolicy'];

/** The shop's policy for agents. One switch stops new approvals. */
export function Policy() {
  const { merchant } = useMe();
  const can = useCan();
  const [editing, setEditing] = useState(false);
  const settings = useQuery({
    queryKey: ['settings', merchant.id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/settings', { signal })),
  });
  return (
    <Loaded query={settings}>
      {({ agent_policy }) => (
        <Card
          title={t('Agents in this shop')}
          actions={
            can('settings:write') && (
              <>
                <Switch policy={agent_policy} />
                <Button onClick={() => setEditing(true)}>{t('Change limits')}</Button>
              </>
            )
          }
        >
          <Words policy={agent_policy} />
          {editing && <Limits policy={agent_policy} onClose={() => setEditing(false)} />}
        </Card>
      )}
    </Loaded>
  );
}

function Words({ policy }: { policy: AgentPolicy }) {
  const { counted, minor } = useFormat();
  const { enabled, max_budget_cents, max_lifetime_days, password_above_cents, public_tools } = policy;
  const reading = public_tools ? '' : ` ${t('Nobody can use the tools at /mcp/public.')}`;
  if (!enabled) {
    return (
      <p>
        {rich('{badge} No customer can allow an agent. Agents with access keep it until it ends or is revoked below.', {
          badge: <Badge value="disabled">{t('Off')}</Badge>,
        })}
        {reading}
      </p>
    );
  }
  return (
    <p>
      {rich(
        '{badge} A customer may allow an agent to spend up to {max_budget_cents}, in all or in each week or month, for at most {count}.',
        {
          badge: <Badge value="active">{t('On')}</Badge>,
          max_budget_cents: minor(max_budget_cents),
          count: counted(max_lifetime_days, '{count} day', '{count} days'),
        },
      )}
      {password_above_cents !== null &&
        ` ${t('Above {password_above_cents} the password is asked again.', { password_above_cents: minor(password_above_cents) })}`}
      {reading}
    </p>
  );
}

/** Saves some fields of the policy. Fails if somebody else changes the policy at the same time. */
function useSavePolicy(said: string) {
  return useMutation({
    mutationFn: async (changes: Partial<AgentPolicy>) => {
      const { data, etag } = await versioned(api.GET('/api/dashboard/settings'), unwrap);
      const body = { agent_policy: { ...data.agent_policy, ...changes } };
      return unwrap(api.PATCH('/api/dashboard/settings', { body, headers: ifMatch(etag) }));
    },
    onSuccess: async () => {
      await readAgain('settings');
      toast(said);
    },
  });
}

function Switch({ policy }: { policy: AgentPolicy }) {
  const [asking, setAsking] = useState(false);
  const turn = !policy.enabled;
  const work = useSavePolicy(turn ? t('Customers can allow agents again.') : t('Agents are switched off.'));
  const save = () => work.mutate({ enabled: turn }, { onError: toastError, onSuccess: () => setAsking(false) });
  return (
    <>
      <Button busy={work.isPending} onClick={() => (turn ? save() : setAsking(true))}>
        {turn ? t('Switch agents on') : t('Switch agents off')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={save}
        title={t('Switch agents off?')}
        action={t('Switch off')}
        busy={work.isPending}
      >
        <p>
          {t(
            'No customer can allow an agent from now on. To end the access of an agent that has it, open it and revoke it.',
          )}
        </p>
      </Confirm>
    </>
  );
}

/**
 * The limits as typed. Budgets are amounts instead of minor units. The fields have the names of the server's validation
 * errors.
 */
interface LimitsDraft {
  agent_policy: {
    max_budget_cents: string;
    max_lifetime_days: number;
    password_above_cents: string | null;
    public_tools: boolean;
  };
}

const Field = fieldsOf<LimitsDraft>();

function Limits({ policy, onClose }: { policy: AgentPolicy; onClose: () => void }) {
  const { currency, amounts } = useFormat();
  const work = useSavePolicy(t('The limits are saved. They apply to every approval from now on.'));
  const zero = amounts.read('0').amount ?? '0';
  const amountOf = (cents: number) => amountLike(zero, BigInt(cents));
  const { max_budget_cents, max_lifetime_days, password_above_cents: above, public_tools } = policy;
  const agent_policy = {
    max_budget_cents: amountOf(max_budget_cents),
    max_lifetime_days,
    password_above_cents: above === null ? null : amountOf(above),
    public_tools,
  };
  const editing = useEditing<LimitsDraft>(
    { data: { agent_policy }, etag: undefined },
    {
      send: async (values, over) => {
        const {
          max_budget_cents: budget,
          password_above_cents: above,
          ...rest
        } = changesOf(over.data.agent_policy, values.agent_policy);
        await work.mutateAsync({
          ...rest,
          ...(budget !== undefined && { max_budget_cents: Number(unitsOf(budget)) }),
          ...(above !== undefined && { password_above_cents: above ? Number(unitsOf(above)) : null }),
        });
        onClose();
        return { data: values, etag: undefined };
      },
    },
  );
  return (
    <Dialog open onClose={onClose} title={t('Limits for agents')}>
      <DialogFrame editing={editing} onCancel={onClose}>
        <Field.Amount
          name="agent_policy.max_budget_cents"
          label={t('Largest budget in {currency}', { currency })}
          required
        />
        <Field.Whole
          name="agent_policy.max_lifetime_days"
          label={t('Longest access in days')}
          type="number"
          min={1}
          max={90}
          required
        />
        <Field.Amount
          name="agent_policy.password_above_cents"
          label={t('Ask for the password above this, in {currency}', { currency })}
          hint={t('Empty: only where the login is older than 15 minutes.')}
        />
        <Field.Tick
          name="agent_policy.public_tools"
          label={t('Anybody may search and read products at /mcp/public')}
          hint={t('Without a token. The products and policies are those that the storefront shows anyway.')}
        />
      </DialogFrame>
    </Dialog>
  );
}
