import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/page.tsx';
import type { OrderDetails } from './order-queries.ts';
import { lineName } from './texts.ts';

export function Refunds({ order }: { order: OrderDetails }) {
  const { money, time } = useFormat();
  const { refunds, line_items } = order;
  if (refunds.length === 0) return null;
  const names = new Map(line_items.map((line) => [line.id, lineName(line)]));
  return (
    <Card title={t('Refunds')}>
      <ul className="records">
        {refunds.map((refund) => (
          <li key={refund.id}>
            <p>
              <strong>{money(refund.amount, refund.currency)}</strong> {time(refund.created_at)}, {label(refund.reason)}{' '}
              <Badge value={refund.status} />
            </p>
            {refund.note && <p className="written">{refund.note}</p>}
            {refund.failure_reason && <p className="error">{refund.failure_reason}</p>}
            <ul className="quiet-text">
              {refund.line_items.map(({ line_item_id, quantity, restock, shipped }) => (
                <li key={`${line_item_id} ${shipped}`}>
                  {quantity} × {names.get(line_item_id) ?? t('a line of the order')}
                  {!shipped && t(', not shipped')}
                  {restock && t(', back in stock')}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Card>
  );
}
