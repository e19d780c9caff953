import { Fragment } from 'react';
import { Link } from 'wouter';
import { label, useFormat } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { SafeLink } from '../../ui/safe-link.tsx';
import { Timeline } from '../orders/timeline.tsx';
import { ReturnActions } from './return-actions.tsx';
import { type Return, type ReturnLine, returnLineName, statusName, useReturn } from './return-queries.ts';

const BACK = { to: '/returns', label: 'Returns' };

/** One return: its items, its state and the next actions. */
export function ReturnScreen({ params }: { params: Record<string, string> }) {
  const query = useReturn(params.return_id ?? '');
  if (!query.data) {
    return (
      <Page title="Return" back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  return <Shown found={query.data} />;
}

function Shown({ found }: { found: Return }) {
  return (
    <Page
      title={`Return ${found.number}`}
      back={BACK}
      status={<Badge value={found.status}>{statusName(found.status)}</Badge>}
      actions={<ReturnActions found={found} />}
    >
      {found.late && <p className="note">Requested after the period for returns.</p>}
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
    { id: 'item', header: 'Item', cell: returnLineName },
    {
      id: 'reason',
      header: 'Reason',
      long: true,
      cell: ({ reason, note }) => [label(reason), note].filter(Boolean).join(': '),
    },
    {
      id: 'arrived',
      header: 'Arrived',
      numeric: true,
      cell: ({ received_quantity, quantity }) => `${received_quantity} of ${quantity}`,
    },
    { id: 'condition', header: 'Condition', cell: ({ condition }) => (condition ? label(condition) : '—') },
    { id: 'restocked', header: 'Restocked', numeric: true, cell: ({ restocked }) => restocked },
  ];
  return (
    <Card title="Items">
      <DataTable caption="Items of the return" columns={columns} rows={lines} />
    </Card>
  );
}

function Facts({ found }: { found: Return }) {
  const { money, time } = useFormat();
  const { shipping, fee, refund_ids } = found;
  const facts: [string, string | null][] = [
    ['Requested', time(found.requested_at)],
    ['Decided', found.decided_at && time(found.decided_at)],
    ['Arrived', found.received_at && time(found.received_at)],
    ['Ended', found.closed_at && time(found.closed_at)],
    ['The customer wants', found.resolution === 'exchange' ? 'an exchange' : 'the money back'],
    ['Goods', found.keep_goods ? 'stay with the customer' : null],
    ['Fee', Number(fee) > 0 ? money(fee, found.currency) : null],
    ['Tracking', [shipping.carrier, shipping.tracking_number].filter(Boolean).join(' ') || null],
    ['Refunds', refund_ids.length > 0 ? String(refund_ids.length) : null],
    ['Note of the customer', found.customer_note],
    ['Note for staff', found.staff_note],
    ['Declined because', found.decline_reason],
    ['Closed because', found.close_reason],
  ];
  return (
    <Card title="Details">
      <p>
        <Link to={`/orders/${found.order_id}`}>Order {found.order_number}</Link>
        {found.exchange_order_id && (
          <>
            , <Link to={`/orders/${found.exchange_order_id}`}>exchanged</Link>
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
          <SafeLink href={shipping.label_url}>Shipping label</SafeLink>
        </p>
      )}
    </Card>
  );
}
