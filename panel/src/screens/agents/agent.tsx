import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, readAgain } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card, Empty, Facts, Loaded, Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { Activity } from './activity.tsx';
import { type AgentToken, useAgentToken, useCustomerEmails } from './agent-queries.ts';
import { CustomerOf } from './agents.tsx';
import { eachPeriod } from './words.ts';
import './agents.css';
import { t } from '../../language/texts.ts';

const SCOPES: Record<string, string> = {
  'catalog:read': t('search the shop'),
  'cart:write': t('fill carts'),
  'checkout:create': t('prepare purchases'),
  'customer:self': t("read the customer's profile"),
  'orders:read': t("read the customer's orders"),
  'returns:request': t('prepare returns'),
};

/** An agent's permissions, spending and activity. */
export function Agent({ params }: { params: Record<string, string> }) {
  const id = params.agent_token_id ?? '';
  const token = useAgentToken(id);
  const can = useCan();
  const data = token.data;
  return (
    <Page
      title={data?.agent_name ?? t('Agent')}
      back={{ to: '/agents', label: t('Agents') }}
      status={data && <Badge value={data.status} />}
      actions={data?.status === 'active' && can('agents:write') && <Revoke token={data} />}
    >
      <Loaded query={token}>
        {(found) =>
          found ? (
            <div className="columns">
              <Activity agent_token_id={id} />
              <Access token={found} />
            </div>
          ) : (
            <Empty title={t('There is no such agent')} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Access({ token }: { token: AgentToken }) {
  const { minor, time } = useFormat();
  const emails = useCustomerEmails([token.customer_id]);
  const { scopes, categories, currency, last_used_at, revoked_at, revoked_by } = token;
  const { max_per_order_cents, budget_resets_at } = token;
  const facts = [
    [t('For'), <CustomerOf key="for" token={token} emails={emails} />],
    [t('May'), scopes.map((scope) => SCOPES[scope] ?? scope).join(', ')],
    [t('Only'), categories.join(', ')],
    [t('Budget'), eachPeriod(minor(token.budget_cents, currency), token.budget_period)],
    [t('At most per order'), max_per_order_cents !== null && minor(max_per_order_cents, currency)],
    [t('Used'), minor(token.budget_used_cents, currency)],
    [t('Pending'), minor(token.budget_pending_cents, currency)],
    [t('Remaining'), minor(token.budget_remaining_cents, currency)],
    [t('Budget resets'), budget_resets_at && time(budget_resets_at)],
    [t('Total spent'), token.budget_period !== 'once' && minor(token.spent_total_cents, currency)],
    [t('Allowed'), time(token.created_at)],
    [t('Last used'), last_used_at ? time(last_used_at) : t('Never')],
    [t('Until'), time(token.expires_at)],
    [t('Revoked'), revoked_at && t('{revoked_at}, by the {revoked_by}', { revoked_at: time(revoked_at), revoked_by })],
  ] as const;
  return (
    <Card title={t('Access')} actions={<Link to={`/orders?agent_token_id=${token.id}`}>{t('Its orders')}</Link>}>
      <p className="hint">{t('The name is what the agent calls itself; nobody has verified it.')}</p>
      <Facts facts={facts} />
    </Card>
  );
}

function Revoke({ token }: { token: AgentToken }) {
  const [asking, setAsking] = useState(false);
  const params = { path: { agent_token_id: token.id } };
  const work = useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/dashboard/agent-tokens/{agent_token_id}', { params })),
    onSuccess: async () => {
      await readAgain('agents', 'overview');
      toast(t('{agent_name} no longer has access.', { agent_name: token.agent_name }));
    },
    onError: toastError,
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {t('Revoke access')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => work.mutate()}
        title={t('Revoke the access of {agent_name}?', { agent_name: token.agent_name })}
        action={t('Revoke access')}
        busy={work.isPending}
      >
        <p>
          {t(
            'Its next call is rejected. The customer can still confirm purchases that it has prepared, and sees who ended the access. Only the customer can allow it again.',
          )}
        </p>
      </Confirm>
    </>
  );
}
