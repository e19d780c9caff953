import { Fragment } from 'react';
import { Link } from 'wouter';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { SafeLink } from '../../ui/safe-link.tsx';
import { Timeline } from '../orders/timeline.tsx';
import { ReturnActions } from './return-actions.tsx';
import { type Return, type ReturnLine, returnLineName, statusName, useReturn } from './return-queries.ts';

const BACK = { to: '/returns', label: t('Returns') };

/** One return: its items, its state and the next actions. */
export function ReturnScreen({ params }: { params: Record<string, string> }) {
  const query = useReturn(params.return_id ?? '');
  if (!query.data) {
    return (
      <Page title={t('Return')} back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  return <Shown found={query.data} />;
}

function Shown({ found }: { found: Return }) {
  return (
    <Page
      title={t('Return {number}', { number: found.number })}
      back={BACK}
      status={<Badge value={found.status}>{statusName(found.status)}</Badge>}
      actions={<ReturnActions found={found} />}
    >
      {found.late && <p className="note">{t('Requested after the period for returns.')}</p>}
      <div className="columns">
        <div className="stack">
          <Lines lines={found.lines} />
          <Timeline order_id={found.order_id} />
        </div>
        <div className="stack">
          <Facts found={found} />
        </div>
      </div>
    </Page>
  );
}

function Lines({ lines }: { lines: ReturnLine[] }) {
  const columns: Column<ReturnLine>[] = [
    { id: 'item', header: t('Item'), cell: returnLineName },
    {
      id: 'reason',
      header: t('Reason'),
      long: true,
      cell: ({ reason, note }) => [label(reason), note].filter(Boolean).join(': '),
    },
    {
      id: 'arrived',
      header: t('Arrived'),
      numeric: true,
      cell: ({ received_quantity, quantity }) =>
        t('{received_quantity} of {quantity}', { received_quantity, quantity }),
    },
    { id: 'condition', header: t('Condition'), cell: ({ condition }) => (condition ? label(condition) : '—') },
    { id: 'restocked', header: t('Restocked'), numeric: true, cell: ({ restocked }) => restocked },
  ];
  return (
    <Card title={t('Items')}>
      <DataTable caption={t('Items of the return')} columns={columns} rows={lines} />
    </Card>
  );
}

function Facts({ found }: { found: Return }) {
  const { money, time } = useFormat();
  const { shipping, fee, refund_ids } = found;
  const facts: [string, string | null][] = [
    [t('Requested'), time(found.requested_at)],
    [t('Decided'), found.decided_at && time(found.decided_at)],
    [t('Arrived'), found.received_at && time(found.received_at)],
    [t('Ended'), found.closed_at && time(found.closed_at)],
    [t('The customer wants'), found.resolution === 'exchange' ? t('an exchange') : t('the money back')],
    [t('Goods'), found.keep_goods ? t('stay with the customer') : null],
    [t('Fee'), Number(fee) > 0 ? money(fee, found.currency) : null],
    [t('Tracking'), [shipping.carrier, shipping.tracking_number].filter(Boolean).join(' ') || null],
    [t('Refunds'), refund_ids.length > 0 ? String(refund_ids.length) : null],
    [t('Note of the customer'), found.customer_note],
    [t('Note for staff'), found.staff_note],
    [t('Declined because'), found.decline_reason],
    [t('Closed because'), found.close_reason],
  ];
  return (
    <Card title={t('Details')}>
      <p>
        <Link to={`/orders/${found.order_id}`}>{t('Order {order_number}', { order_number: found.order_number })}</Link>
        {found.exchange_order_id && (
          <>
            , <Link to={`/orders/${found.exchange_order_id}`}>{t('exchanged')}</Link>
          </>
        )}
      </p>
      <dl className="facts">
        {facts.map(([name, value]) =>
          value ? (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ) : null,
        )}
      </dl>
      {shipping.label_url && (
        <p>
          <SafeLink href={shipping.label_url}>{t('Shipping label')}</SafeLink>
        </p>
      )}
    </Card>
  );
}
