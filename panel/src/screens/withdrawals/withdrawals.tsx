import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
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
    <Page title="Withdrawals">
      <search className="filters">
        <Select label="Show" value={shown} onChange={(event) => change({ show: event.target.value })}>
          <option value="open">Open</option>
          <option value="all">All</option>
        </Select>
      </search>
      <Loaded query={query}>
        {({ withdrawals, ...page }) =>
          withdrawals.length === 0 ? (
            <Empty title={shown === 'open' ? 'No open withdrawals' : 'No withdrawals'}>
              Consumers withdraw from contracts on a page of the shop. Items that have shipped come back as returns.
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
    { id: 'name', header: 'Name', cell: ({ id, name }) => <Link to={`/withdrawals/${id}`}>{name}</Link> },
    { id: 'order', header: 'Order', cell: ({ order_number, contract }) => order_number ?? contract },
    { id: 'received', header: 'Received', short: true, cell: ({ received_at }) => date(received_at) },
    { id: 'due', header: 'Refund due', short: true, cell: ({ refund_due_at }) => date(refund_due_at) },
    { id: 'status', header: 'Status', cell: ({ status }) => <Badge value={status}>{withdrawalStatus(status)}</Badge> },
  ];
  return (
    <div className="table-box">
      <DataTable caption="Withdrawals" columns={columns} rows={withdrawals} />
    </div>
  );
}
