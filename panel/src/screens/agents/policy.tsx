import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, fieldError, ifMatch, readAgain, type Schemas, versioned } from '../../api.ts';
import { type NumberTexts, useFormat } from '../../format.ts';
import { useCan, useMe } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { amountLike, unitsOf } from '../../ui/decimals.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { differences } from '../../ui/draft.ts';
import { TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { AmountField } from '../../ui/number-field.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { isUnread, numberIn } from '../../ui/typed-number.ts';

type AgentPolicy = Schemas['AgentPolicy'];

/** What the shop allows agents at all; one switch ends new access. */
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
          title="Agents in this shop"
          actions={
            can('settings:write') && (
              <>
                <Switch policy={agent_policy} />
                <Button onClick={() => setEditing(true)}>Change limits</Button>
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
  const { enabled, max_budget_cents, max_lifetime_days, password_above_cents } = policy;
  if (!enabled) {
    return (
      <p>
        <Badge value="disabled">Off</Badge> No customer can allow an agent. Agents with access keep it until it ends or
        is revoked below.
      </p>
    );
  }
  return (
    <p>
      <Badge value="active">On</Badge> A customer may allow an agent to spend up to {minor(max_budget_cents)}, in all or
      in each week or month, for at most {counted(max_lifetime_days, 'day')}.
      {password_above_cents !== null && ` Above ${minor(password_above_cents)} the password is asked again.`}
    </p>
  );
}

/** Saves some fields upon what the policy is now, and nothing if somebody else changes it in between. */
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
  const work = useSavePolicy(turn ? 'Customers can allow agents again.' : 'Agents are switched off.');
  const save = () => work.mutate({ enabled: turn }, { onError: toastError, onSuccess: () => setAsking(false) });
  return (
    <>
      <Button busy={work.isPending} onClick={() => (turn ? save() : setAsking(true))}>
        {turn ? 'Switch agents on' : 'Switch agents off'}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={save}
        title="Switch agents off?"
        action="Switch off"
        busy={work.isPending}
      >
        <p>
          No customer can allow an agent from now on. To end the access of an agent that has it, open it and revoke it.
        </p>
      </Confirm>
    </>
  );
}

function Limits({ policy, onClose }: { policy: AgentPolicy; onClose: () => void }) {
  // What the fields began with: the policy may be read anew while they are edited.
  const [base] = useState(policy);
  const { currency, amounts } = useFormat();
  const work = useSavePolicy('The limits are saved. They apply to every approval from now on.');
  const zero = amounts.read('0').amount ?? '0';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const budget = centsIn(form, 'budget', amounts);
    // The field is required, and its form is not sent with a text that cannot be read.
    if (budget === null) return;
    const max_lifetime_days = Number(form.get('days'));
    const typed = {
      max_budget_cents: budget,
      max_lifetime_days,
      password_above_cents: centsIn(form, 'password', amounts),
    };
    work.mutate(differences(base, typed), { onSuccess: onClose });
  };
  const own = (field: string) => fieldError(work.error, `agent_policy.${field}`);
  return (
    <Dialog open onClose={onClose} title="Limits for agents">
      <Form busy={work.isPending} onSubmit={submit}>
        <AmountField
          label={`Largest budget in ${currency}`}
          name="budget"
          value={amountLike(zero, BigInt(policy.max_budget_cents))}
          error={own('max_budget_cents')}
          required
        />
        <TextField
          label="Longest access in days"
          name="days"
          type="number"
          min={1}
          max={90}
          defaultValue={policy.max_lifetime_days}
          error={own('max_lifetime_days')}
          required
        />
        <AmountField
          label={`Ask for the password above this, in ${currency}`}
          name="password"
          value={policy.password_above_cents === null ? '' : amountLike(zero, BigInt(policy.password_above_cents))}
          hint="Empty: only where the login is older than 15 minutes."
          error={own('password_above_cents')}
        />
        <DialogFoot work={work} action="Save" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

/** An amount that was typed, in minor units; null for none. */
function centsIn(form: FormData, name: string, amounts: NumberTexts): number | null {
  const amount = numberIn(form, name, amounts);
  return amount === '' || isUnread(amount) ? null : Number(unitsOf(amount));
}
