import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { statusName, useReturnsOf } from '../returns/return-queries.ts';
import type { OrderDetails } from './order-queries.ts';

/** The returns of an order; nothing if it has none. */
export function ReturnsCard({ order }: { order: OrderDetails }) {
  const { date } = useFormat();
  const { data } = useReturnsOf(order.id);
  if (!data || data.returns.length === 0) return null;
  return (
    <Card title={t('Returns')}>
      <ul className="records">
        {data.returns.map(({ id, number, status, requested_at }) => (
          <li key={id}>
            <Link to={`/returns/${id}`}>{number}</Link> {date(requested_at)}{' '}
            <Badge value={status}>{statusName(status)}</Badge>
          </li>
        ))}
      </ul>
    </Card>
  );
}
