import { Link } from 'wouter';
import { label, useFormat } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { type Return, returnLineName, statusName, useReturns } from './return-queries.ts';

const STATUSES = ['requested', 'approved', 'in_transit', 'received', 'declined', 'closed', 'cancelled'] as const;

/** The returns of the shop: open ones by default. */
export function Returns() {
  const [params, change] = useSearchState();
  const shown = params.get('show') ?? 'open';
  const status = STATUSES.find((each) => each === shown);
  const query = useReturns({
    page: Math.max(1, Number(params.get('page')) || 1),
    ...(status && { status }),
    ...(shown === 'open' && { open: true }),
  });
  return (
    <Page title="Returns">
      <search className="filters">
        <Select label="Show" value={shown} onChange={(event) => change({ show: event.target.value })}>
          <option value="open">Open</option>
          <option value="all">All</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {statusName(each)}
            </option>
          ))}
        </Select>
      </search>
      <Loaded query={query}>
        {({ returns, ...page }) =>
          returns.length === 0 ? (
            <Empty title={shown === 'open' ? 'No open returns' : 'No matching returns'}>
              Customers request returns in their account; you create one from its order. The rules are in the settings.
            </Empty>
          ) : (
            <>
              <Rows returns={returns} />
              <Pager {...page} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Rows({ returns }: { returns: Return[] }) {
  const format = useFormat();
  const columns: Column<Return>[] = [
    { id: 'number', header: 'Return', cell: ({ id, number }) => <Link to={`/returns/${id}`}>{number}</Link> },
    { id: 'requested', header: 'Requested', short: true, cell: ({ requested_at }) => format.date(requested_at) },
    { id: 'items', header: 'Items', cell: ({ lines }) => lines.map(returnLineName).join(', ') },
    {
      id: 'pieces',
      header: 'Pieces',
      numeric: true,
      cell: ({ lines }) => lines.reduce((sum, { quantity }) => sum + quantity, 0),
    },
    {
      id: 'reason',
      header: 'Reason',
      wideOnly: true,
      cell: ({ lines }) => [...new Set(lines.map(({ reason }) => label(reason)))].join(', '),
    },
    { id: 'status', header: 'Status', cell: ({ status }) => <Badge value={status}>{statusName(status)}</Badge> },
  ];
  return (
    <div className="table-box">
      <DataTable caption="Returns" columns={columns} rows={returns} />
    </div>
  );
}
