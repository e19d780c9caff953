import { useMemo } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { type AgentToken, useAgentTokens, useCustomerEmails } from './agent-queries.ts';
import './agents.css';
import { t } from '../../language/texts.ts';
import { Policy } from './policy.tsx';
import { eachPeriod } from './words.ts';

/** Lists customers' AI agents, and the shop's policy for agents. */
export function Agents() {
  const [params, change] = useSearchState();
  const status = params.get('status');
  const tokens = useAgentTokens(status, Math.max(1, Number(params.get('page')) || 1));
  return (
    <Page title={t('Agents')}>
      <Policy />
      <div className="filters">
        <Select label={t('Access')} value={status ?? ''} onChange={(event) => change({ status: event.target.value })}>
          <option value="">{t('Any')}</option>
          <option value="active">{t('Active')}</option>
          <option value="expired">{t('Expired')}</option>
          <option value="revoked">{t('Revoked')}</option>
        </Select>
      </div>
      <Loaded query={tokens}>
        {(answer) =>
          answer.total === 0 ? (
            <NoAgents filtered={status !== null} />
          ) : (
            <>
              <AgentTable rows={answer.agent_tokens} />
              <Pager {...answer} onPage={(page) => change({ page: String(page) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoAgents({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title={t('No matching agents')} />;
  return (
    <Empty title={t('No agents yet')}>
      {t(
        'A customer can allow an AI assistant to shop here for them, with permissions, a budget and an expiry date. Each assistant is then listed here with its activity. It never pays: the customer confirms every purchase.',
      )}
    </Empty>
  );
}

function AgentTable({ rows }: { rows: AgentToken[] }) {
  const { minor, date } = useFormat();
  const emails = useCustomerEmails(rows.map(({ customer_id }) => customer_id));
  const columns = useMemo(
    (): Column<AgentToken>[] => [
      { id: 'agent', header: t('Agent'), cell: ({ id, agent_name }) => <Link to={`/agents/${id}`}>{agent_name}</Link> },
      { id: 'customer', header: t('For'), cell: (token) => <CustomerOf token={token} emails={emails} /> },
      { id: 'status', header: t('Access'), cell: ({ status }) => <Badge value={status} /> },
      {
        ...{ id: 'budget', header: t('Budget'), numeric: true },
        cell: (a) => eachPeriod(minor(a.budget_cents, a.currency), a.budget_period),
      },
      { id: 'used', header: t('Used'), numeric: true, cell: (a) => minor(a.budget_used_cents, a.currency) },
      { id: 'pending', header: t('Pending'), numeric: true, cell: (a) => minor(a.budget_pending_cents, a.currency) },
      { id: 'left', header: t('Remaining'), numeric: true, cell: (a) => minor(a.budget_remaining_cents, a.currency) },
      { id: 'expires', header: t('Until'), short: true, cell: ({ expires_at }) => date(expires_at) },
    ],
    [emails, minor, date],
  );
  return (
    <div className="table-box">
      <DataTable caption={t('Agents')} columns={columns} rows={rows} />
    </div>
  );
}

export function CustomerOf({ token: { customer_id }, emails }: { token: AgentToken; emails: Map<string, string> }) {
  if (!customer_id) return t('A closed account');
  const email = emails.get(customer_id);
  return email ? <Link to={`/customers/${customer_id}`}>{email}</Link> : t('A customer');
}
