import { Link } from 'wouter';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { type DraftSummary, STATUSES, useDrafts } from './draft-queries.ts';

export function Drafts() {
  const can = useCan();
  const [params, change] = useSearchState();
  const status = STATUSES.find((each) => each === params.get('status'));
  const query = useDrafts({ page: Math.max(1, Number(params.get('page')) || 1), ...(status && { status }) });
  return (
    <Page
      title={t('Drafts')}
      actions={
        can('orders:write') && (
          <LinkButton to="/drafts/new" kind="primary">
            {t('New draft')}
          </LinkButton>
        )
      }
    >
      <search className="filters">
        <Select label={t('Show')} value={status ?? ''} onChange={(event) => change({ status: event.target.value })}>
          <option value="">{t('All')}</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {label(each)}
            </option>
          ))}
        </Select>
      </search>
      <Loaded query={query}>
        {({ draft_orders, ...page }) =>
          draft_orders.length === 0 ? (
            <Empty title={t('No drafts')}>
              {t('Prepare an order with your own prices, and send the customer a link to accept it.')}
            </Empty>
          ) : (
            <>
              <Rows drafts={draft_orders} />
              <Pager {...page} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Rows({ drafts }: { drafts: DraftSummary[] }) {
  const { date, money } = useFormat();
  const columns: Column<DraftSummary>[] = [
    {
      id: 'email',
      header: t('Customer'),
      cell: ({ id, email }) => <Link to={`/drafts/${id}`}>{email ?? t('No e-mail')}</Link>,
    },
    { id: 'created', header: t('Created'), short: true, cell: ({ created_at }) => date(created_at) },
    {
      id: 'expires',
      header: t('Valid until'),
      short: true,
      wideOnly: true,
      cell: ({ expires_at }) => date(expires_at),
    },
    {
      id: 'order',
      header: t('Order'),
      cell: ({ order_id, order_number }) => order_id && <Link to={`/orders/${order_id}`}>{order_number}</Link>,
    },
    { id: 'total', header: t('Total'), numeric: true, cell: ({ total, currency }) => money(total, currency) },
    { id: 'status', header: t('Status'), cell: ({ status }) => <Badge value={status} /> },
  ];
  return (
    <div className="table-box">
      <DataTable caption={t('Draft orders')} columns={columns} rows={drafts} />
    </div>
  );
}
