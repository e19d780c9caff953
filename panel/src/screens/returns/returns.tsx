import { Link } from 'wouter';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
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
    <Page title={t('Returns')}>
      <search className="filters">
        <Select label={t('Show')} value={shown} onChange={(event) => change({ show: event.target.value })}>
          <option value="open">{t('Open')}</option>
          <option value="all">{t('All')}</option>
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
            <Empty title={shown === 'open' ? t('No open returns') : t('No matching returns')}>
              {t(
                'Customers request returns in their account; you create one from its order. The rules are in the settings.',
              )}
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
    { id: 'number', header: t('Return'), cell: ({ id, number }) => <Link to={`/returns/${id}`}>{number}</Link> },
    { id: 'requested', header: t('Requested'), short: true, cell: ({ requested_at }) => format.date(requested_at) },
    { id: 'items', header: t('Items'), cell: ({ lines }) => lines.map(returnLineName).join(', ') },
    {
      id: 'pieces',
      header: t('Pieces'),
      numeric: true,
      cell: ({ lines }) => lines.reduce((sum, { quantity }) => sum + quantity, 0),
    },
    {
      id: 'reason',
      header: t('Reason'),
      wideOnly: true,
      cell: ({ lines }) => [...new Set(lines.map(({ reason }) => label(reason)))].join(', '),
    },
    { id: 'status', header: t('Status'), cell: ({ status }) => <Badge value={status}>{statusName(status)}</Badge> },
  ];
  return (
    <div className="table-box">
      <DataTable caption={t('Returns')} columns={columns} rows={returns} />
    </div>
  );
}
