import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import { useWithdrawalsOf, withdrawalStatus } from '../withdrawals/withdrawal-queries.ts';
import type { OrderDetails } from './order-queries.ts';

/** The withdrawals from an order; nothing if it has none. */
export function WithdrawalsCard({ order }: { order: OrderDetails }) {
  const { date } = useFormat();
  const { data } = useWithdrawalsOf(order.id);
  if (!data || data.withdrawals.length === 0) return null;
  const isWaiting = data.withdrawals.some(({ status }) => status === 'to_confirm');
  return (
    <Card title="Withdrawals">
      {isWaiting && <p className="note">Items are withheld from shipping until you decide about the withdrawal.</p>}
      <ul className="records">
        {data.withdrawals.map(({ id, name, status, received_at }) => (
          <li key={id}>
            <Link to={`/withdrawals/${id}`}>{name}</Link> {date(received_at)}{' '}
            <Badge value={status}>{withdrawalStatus(status)}</Badge>
          </li>
        ))}
      </ul>
    </Card>
  );
}
