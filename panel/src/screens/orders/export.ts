import { csvOf, download } from '../../ui/csv.ts';
import type { Order } from './order-queries.ts';

const ADDRESS = [
  'first_name',
  'last_name',
  'company',
  'address1',
  'address2',
  'postal_code',
  'city',
  'state',
  'country',
] as const;

const FIELDS = [
  ...['order_number', 'created_at', 'status', 'payment_status', 'fulfillment_status', 'payment_method', 'source'],
  ...['email', 'phone', 'currency', 'subtotal', 'discount', 'shipping_cost', 'tax', 'total', 'shipping_method'],
  ...['tracking_number', 'note', 'staff_note'],
] as (keyof Order)[];

/** Downloads orders as CSV with one row per order line, as accounting and carriers expect it. */
export function downloadOrders(orders: Order[]): void {
  const header = [...FIELDS, ...ADDRESS.map((field) => `shipping_${field}`), 'sku', 'item', 'quantity', 'price'];
  const rows = orders.flatMap((order) => {
    const shared = [
      ...FIELDS.map((field) => text(order[field])),
      ...ADDRESS.map((name) => order.shipping_address?.[name]),
    ];
    return order.line_items.map((line) => [
      ...shared,
      ...[line.sku, [line.name, line.variant_name].filter(Boolean).join(', '), line.quantity, line.price],
    ]);
  });
  download(`orders-${new Date().toISOString().slice(0, 10)}.csv`, csvOf([header, ...rows]));
}

function text(value: Order[keyof Order]): string | null {
  return typeof value === 'string' ? value : null;
}
