import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Card } from '../../ui/page.tsx';
import { Picture } from '../../ui/picture.tsx';
import type { OrderDetails } from './order-queries.ts';
import { lineName } from './texts.ts';

export function Items({ order }: { order: OrderDetails }) {
  return (
    <Card title={t('Items')}>
      <ul className="items">
        {order.line_items.map((line, i) => (
          // Lines of imported orders may have no id. Their key is the index.
          <li key={line.id ?? i}>
            <Item line={line} currency={order.currency} removed={removedOf(order, line.id)} />
          </li>
        ))}
      </ul>
      <Totals order={order} />
    </Card>
  );
}

function removedOf({ line_states }: OrderDetails, id: string | null | undefined): number {
  return line_states.find(({ line_item_id }) => line_item_id === id)?.removed ?? 0;
}

function Item({
  line,
  currency,
  removed,
}: {
  line: OrderDetails['line_items'][number];
  currency: string;
  removed: number;
}) {
  const { money } = useFormat();
  const can = useCan();
  const name = lineName(line);
  return (
    <>
      <Picture url={line.image_url} />
      <div className="item-name">
        {line.product_id && can('products:read') ? <Link to={`/products/${line.product_id}`}>{name}</Link> : name}
        {line.sku && <span className="quiet-text">{line.sku}</span>}
        {removed > 0 && <span className="quiet-text">{t('{removed} refunded before shipping', { removed })}</span>}
      </div>
      <span className="numeric">
        {line.quantity} × {money(line.price, currency)}
      </span>
      <span className="numeric">{money(line.total, currency)}</span>
    </>
  );
}

function Totals({ order }: { order: OrderDetails }) {
  const { money } = useFormat();
  const { currency, discount_code, tax_included } = order;
  const rows: [string, string, boolean, 'total'?][] = [
    [t('Subtotal'), order.subtotal, true],
    [
      discount_code ? t('Discount ({discount_code})', { discount_code }) : t('Discount'),
      `-${order.discount}`,
      Number(order.discount) > 0,
    ],
    [deliveryLine(order), order.shipping_cost, true],
    [tax_included ? t('Included tax') : t('Tax'), order.tax, true],
    [t('Total'), order.total, true, 'total'],
    [t('Refunded'), `-${order.refunded}`, Number(order.refunded) > 0],
  ];
  return (
    <dl className="totals">
      {rows
        .filter(([, , shown]) => shown)
        .map(([name, amount, , total]) => (
          <div key={name} className={total}>
            <dt>{name}</dt>
            <dd>{money(amount, currency)}</dd>
          </div>
        ))}
    </dl>
  );
}

function deliveryLine({ shipping_kind, shipping_method }: OrderDetails): string {
  const kind = shipping_kind === 'pickup' ? t('Pick-up') : t('Delivery');
  return shipping_method ? `${kind} (${shipping_method})` : kind;
}
