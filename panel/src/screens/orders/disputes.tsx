import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import type { OrderDetails } from './order-queries.ts';

/** The chargebacks of an order; nothing if it has none. */
export function Disputes({ order }: { order: OrderDetails }) {
  const { money, time, date } = useFormat();
  if (order.disputes.length === 0) return null;
  return (
    <Card title={t('Disputes')}>
      <ul className="records">
        {order.disputes.map(({ id, amount, currency, created_at, reason, status, provider_reference, respond_by }) => (
          <li key={id}>
            <p>
              <strong>{money(amount, currency)}</strong> {time(created_at)}
              {reason && `, ${label(reason)}`} <Badge value={status} />
            </p>
            <p className="quiet-text">
              {provider_reference}
              {status === 'open' && respond_by && t(', evidence until {respond_by}', { respond_by: date(respond_by) })}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Whether the customer disputes the payment and the bank has not decided. */
export function isDisputed({ disputes }: Pick<OrderDetails, 'disputes'>): boolean {
  return disputes.some(({ status }) => status === 'open');
}
