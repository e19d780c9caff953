import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import type { OrderDetails } from './order-queries.ts';
import { hasExpired, methodName } from './texts.ts';

/** The order's payment method and payment status. */
export function PaymentCard({ order }: { order: OrderDetails }) {
  const { money, time, date } = useFormat();
  const can = useCan();
  const {
    payment,
    currency,
    refundable,
    attribution,
    external_reference,
    agent_token_id,
    exchange_of,
    exchange_credit,
  } = order;
  const facts: [string, ReactNode][] = [
    ['Method', order.payment_terms ? `Invoice, ${order.payment_terms.days} days` : methodName(payment.method)],
    ['Amount', money(payment.amount, currency)],
    ['To pay until', payment.due_at ? time(payment.due_at) : null],
    ['Received', Number(order.amount_received) > 0 ? money(order.amount_received, currency) : null],
    ['Reference', payment.instructions?.reference],
    ['Failure reason', payment.failure_reason],
    ...order.recorded_payments.map((one): [string, ReactNode] => [
      one.payment_id ? 'Paid online' : hasExpired(order) ? 'Arrived late' : 'Arrived',
      [money(one.amount, currency), date(one.received_at), one.reference].filter(Boolean).join(', '),
    ]),
    ['Paid by a return', exchange_of && <Link to={`/orders/${exchange_of}`}>{money(exchange_credit, currency)}</Link>],
    ['Still to pay', Number(order.amount_due) > 0 ? money(order.amount_due, currency) : null],
    ['Refundable', Number(refundable) > 0 ? money(refundable, currency) : null],
    ['Placed', time(order.created_at)],
    ['Prepared by', agent_token_id && can('agents:read') && <Link to={`/agents/${agent_token_id}`}>an agent</Link>],
    ['Source', [attribution?.utm_source, attribution?.utm_campaign].filter(Boolean).join(', ')],
    ['External reference', external_reference],
  ];
  return (
    <Card title="Payment" actions={<Badge value={order.overdue ? 'overdue' : payment.status} />}>
      <Facts facts={facts} />
    </Card>
  );
}
