import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addFlags, givenRequest } from '../flags.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addExportOptions, type CsvColumns, type ExportOptions, exportPages, PAGES } from './export-pages.ts';

type Order = Schemas['OrderDetails'];
type Line = Order['line_items'][number];
interface Row {
  order: Order;
  line: Line | undefined;
}

const EXAMPLES = `
The CSV has a row for each line of an order; the order's own columns are repeated. JSONL has everything, one order per line.
An export needs the scope orders:export, which a role may include and an API key needs by name.

Examples:
  $ commerce orders export --from 2026-01-01 --to 2026-12-31 --output orders-2026.csv
  $ commerce orders export --format jsonl | gzip > orders.jsonl.gz`;

export function addOrdersExport(orders: Command, terminal: Terminal): void {
  const command = addFlags(orders.command('export'), 'dashboard.exportOrders', PAGES).description(
    'Write all orders to a file or to the standard output.',
  );
  addExportOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: ExportOptions, own: Command) => exportOrders(options, own, terminal));
}

const COLUMNS: CsvColumns<Row> = {
  order_number: ({ order }) => order.order_number,
  created_at: ({ order }) => order.created_at,
  status: ({ order }) => order.status,
  payment_status: ({ order }) => order.payment_status,
  fulfillment_status: ({ order }) => order.fulfillment_status,
  payment_method: ({ order }) => order.payment_method,
  email: ({ order }) => order.email,
  phone: ({ order }) => order.phone,
  currency: ({ order }) => order.currency,
  subtotal: ({ order }) => order.subtotal,
  discount: ({ order }) => order.discount,
  discount_code: ({ order }) => order.discount_code,
  shipping_cost: ({ order }) => order.shipping_cost,
  tax: ({ order }) => order.tax,
  total: ({ order }) => order.total,
  refunded: ({ order }) => order.refunded,
  shipping_method: ({ order }) => order.shipping_method,
  tracking_number: ({ order }) => order.tracking_number,
  shipping_name: ({ order }) => nameOf(order.shipping_address),
  shipping_company: ({ order }) => order.shipping_address?.company,
  shipping_address1: ({ order }) => order.shipping_address?.address1,
  shipping_address2: ({ order }) => order.shipping_address?.address2,
  shipping_postal_code: ({ order }) => order.shipping_address?.postal_code,
  shipping_city: ({ order }) => order.shipping_address?.city,
  shipping_state: ({ order }) => order.shipping_address?.state,
  shipping_country: ({ order }) => order.shipping_address?.country,
  billing_name: ({ order }) => nameOf(order.billing_address),
  billing_country: ({ order }) => order.billing_address?.country,
  source: ({ order }) => order.source,
  note: ({ order }) => order.note,
  staff_note: ({ order }) => order.staff_note,
  line_name: ({ line }) => line?.name,
  line_variant: ({ line }) => line?.variant_name,
  line_sku: ({ line }) => line?.sku,
  line_quantity: ({ line }) => line?.quantity,
  line_price: ({ line }) => line?.price,
  line_total: ({ line }) => line?.total,
  id: ({ order }) => order.id,
};

function nameOf(address: Order['shipping_address']): string {
  return [address?.first_name, address?.last_name].filter(Boolean).join(' ');
}

async function exportOrders(options: ExportOptions, command: Command, terminal: Terminal): Promise<void> {
  const given = await givenRequest<'dashboard.exportOrders'>(command, terminal);
  const { client } = await openSession(command, terminal, { maxAttempts: 5 });
  const read = async (cursor: string | undefined) => {
    const query = { ...given.query, cursor };
    const page = await unwrap(client.GET('/api/dashboard/orders/export', { params: { query } }));
    return { entries: page.orders, next_cursor: page.next_cursor };
  };
  const rowsOf = (order: Order): Row[] =>
    order.line_items.length > 0 ? order.line_items.map((line) => ({ order, line })) : [{ order, line: undefined }];
  await exportPages({ noun: 'orders', read, rowsOf, columns: COLUMNS }, options, command, terminal);
}
