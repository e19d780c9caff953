import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { useWithdrawals, type Withdrawal, withdrawalStatus } from './withdrawal-queries.ts';

/** The statements of consumers who withdraw from contracts: open ones by default. */
export function Withdrawals() {
  const [params, change] = useSearchState();
  const shown = params.get('show') ?? 'open';
  const query = useWithdrawals(Math.max(1, Number(params.get('page')) || 1), shown === 'all' ? undefined : true);
  return (
    <Page title={t('Withdrawals')}>
      <search className="filters">
        <Select label={t('Show')} value={shown} onChange={(event) => change({ show: event.target.value })}>
          <option value="open">{t('Open')}</option>
          <option value="all">{t('All')}</option>
        </Select>
      </search>
      <Loaded query={query}>
        {({ withdrawals, ...page }) =>
          withdrawals.length === 0 ? (
            <Empty title={shown === 'open' ? t('No open withdrawals') : t('No withdrawals')}>
              {t(
                'Consumers withdraw from contracts on a page of the shop. Items that have shipped come back as returns.',
              )}
            </Empty>
          ) : (
            <>
              <Rows withdrawals={withdrawals} />
              <Pager {...page} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Rows({ withdrawals }: { withdrawals: Withdrawal[] }) {
  const { date } = useFormat();
  const columns: Column<Withdrawal>[] = [
    { id: 'name', header: t('Name'), cell: ({ id, name }) => <Link to={`/withdrawals/${id}`}>{name}</Link> },
    { id: 'order', header: t('Order'), cell: ({ order_number, contract }) => order_number ?? contract },
    { id: 'received', header: t('Received'), short: true, cell: ({ received_at }) => date(received_at) },
    { id: 'due', header: t('Refund due'), short: true, cell: ({ refund_due_at }) => date(refund_due_at) },
    {
      id: 'status',
      header: t('Status'),
      cell: ({ status }) => <Badge value={status}>{withdrawalStatus(status)}</Badge>,
    },
  ];
  return (
    <div className="table-box">
      <DataTable caption={t('Withdrawals')} columns={columns} rows={withdrawals} />
    </div>
  );
}
