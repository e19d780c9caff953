import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Card, Facts, Loaded, Page } from '../../ui/page.tsx';
import { Sales } from './sales.tsx';
import { SetupList } from './setup-list.tsx';
import { TestOrderButton } from './test-order.tsx';
import './today.css';
import { t, tn } from '../../language/texts.ts';

type Overview = Schemas['Overview'];

/** The shop's state: open tasks, the sales of a period, and remaining setup steps. */
export function Today() {
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/overview', { signal })),
    // Users keep this screen open, so it is refreshed regularly.
    refetchInterval: 60_000,
    refetchOnWindowFocus: true,
  });
  return (
    <Page title={t('Today')} actions={<TestOrderButton />}>
      <Loaded query={overview}>
        {(data) => (
          <>
            {data.setup.open_count > 0 && <SetupList canSell={data.setup.can_sell} />}
            <Waiting overview={data} />
            <Sales />
            <Agents agents={data.agents} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Open tasks with links to their lists. */
function Waiting({ overview }: { overview: Overview }) {
  const can = useCan();
  const { number } = useFormat();
  const tiles = [
    { to: '/orders?waiting_for=payment', name: t('to be paid'), count: overview.orders_to_pay_count },
    {
      to: '/orders?waiting_for=shipping',
      name: t('to be shipped'),
      count: overview.orders_to_ship_count,
    },
    {
      to: '/returns',
      name: tn(overview.open_returns_count, 'return', 'returns'),
      count: overview.open_returns_count,
    },
    {
      to: '/withdrawals',
      name: tn(overview.open_withdrawals_count, 'withdrawal', 'withdrawals'),
      count: overview.open_withdrawals_count,
    },
    { to: '/stock?level=low', name: t('low in stock'), count: overview.low_stock_count, scope: 'inventory:read' },
    {
      to: '/stock?level=out',
      name: t('out of stock'),
      count: overview.out_of_stock_count,
      scope: 'inventory:read',
    },
  ];
  return (
    <ul className="tiles" aria-label={t('What waits')}>
      {tiles
        .filter(({ scope }) => !scope || can(scope))
        .map(({ to, name, count }) => (
          <li key={to}>
            <Link to={to} className={count > 0 ? 'tile' : 'tile none'}>
              <strong>{number(count)}</strong> <span>{name}</span>
            </Link>
          </li>
        ))}
    </ul>
  );
}

/** Purchases by customers' AI agents. */
function Agents({ agents }: { agents: Overview['agents'] }) {
  const { money, minor } = useFormat();
  const can = useCan();
  if (!can('agents:read')) return null;
  const none = agents.active_count === 0 && agents.orders_count === 0;
  const facts: [string, string][] = [
    [t('Agents with access'), String(agents.active_count)],
    [t('Their orders in 30 days'), `${agents.orders_count}, ${money(agents.sales)}`],
    [
      t('Waiting for the customer'),
      `${agents.open_confirmations_count}, ${minor(Number(agents.budget_pending_cents))}`,
    ],
    [
      t('Budgets'),
      t('{budget_used_cents} of {budget_cents} used', {
        budget_used_cents: minor(Number(agents.budget_used_cents)),
        budget_cents: minor(Number(agents.budget_cents)),
      }),
    ],
  ];
  return (
    <Card title={t("Agents' purchases")} actions={<Link to="/agents">{t('All agents')}</Link>}>
      {none ? (
        <p className="quiet-text">
          {t(
            'Customers can let an AI assistant shop for them within a budget. A customer always confirms what an assistant prepares.',
          )}
        </p>
      ) : (
        <Facts facts={facts} />
      )}
    </Card>
  );
}
