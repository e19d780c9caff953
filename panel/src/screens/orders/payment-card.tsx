import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import type { OrderDetails } from './order-queries.ts';
import { hasExpired, methodName } from './texts.ts';

/** The order's payment with its amounts and status, and the origin of the order. */
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
    [
      t('Method'),
      order.payment_terms ? t('Invoice, {days} days', { days: order.payment_terms.days }) : methodName(payment.method),
    ],
    [t('Amount'), money(payment.amount, currency)],
    [t('To pay until'), payment.due_at ? time(payment.due_at) : null],
    [t('Received'), Number(order.amount_received) > 0 ? money(order.amount_received, currency) : null],
    [t('Reference'), payment.instructions?.reference],
    [t('Failure reason'), payment.failure_reason],
    ...order.recorded_payments.map((one): [string, ReactNode] => [
      one.payment_id ? t('Paid online') : hasExpired(order) ? t('Arrived late') : t('Arrived'),
      [money(one.amount, currency), date(one.received_at), one.reference].filter(Boolean).join(', '),
    ]),
    [
      t('Paid by a return'),
      exchange_of && <Link to={`/orders/${exchange_of}`}>{money(exchange_credit, currency)}</Link>,
    ],
    [t('Still to pay'), Number(order.amount_due) > 0 ? money(order.amount_due, currency) : null],
    [t('Refundable'), Number(refundable) > 0 ? money(refundable, currency) : null],
    [t('Placed'), time(order.created_at)],
    [
      t('Prepared by'),
      agent_token_id && can('agents:read') && <Link to={`/agents/${agent_token_id}`}>{t('an agent')}</Link>,
    ],
    [t('Source'), [attribution?.utm_source, attribution?.utm_campaign].filter(Boolean).join(', ')],
    [t('External reference'), external_reference],
  ];
  return (
    <Card title={t('Payment')} actions={<Badge value={order.overdue ? 'overdue' : payment.status} />}>
      <Facts facts={facts} />
    </Card>
  );
}
