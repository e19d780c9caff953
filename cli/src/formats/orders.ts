import type { OrderImport } from '@commerce-backend/spec';
import { columnsOf } from './detect.ts';
import { jsonObjects } from './json-objects.ts';
import { FormatError, type OrderRead } from './reading.ts';
import { isShopifyOrders, readShopifyOrders } from './shopify-orders.ts';
import { openTable, readText } from './text-file.ts';

export interface OrderReading {
  warn: (line: number, message: string) => void;
  /** Prefix for imported order numbers, to distinguish them from this shop's own numbers. */
  prefix: string;
  /** Encoding of the file. Undefined means that it is detected. */
  encoding?: string | undefined;
}

/**
 * Reads past orders from JSON Lines or Shopify's orders CSV; the content decides which. Throws a FormatError for an
 * unknown format, and the file system's errors.
 */
export async function* readOrders(path: string, reading: OrderReading): AsyncGenerator<OrderRead> {
  const text = (await readText(path, reading.encoding)).replace(/^\uFEFF/, '');
  if (text.trimStart().startsWith('{')) {
    for (const read of jsonObjects(text, 'order'))
      yield 'errors' in read ? read : named(read.line, read.value, reading);
    return;
  }
  if (!isShopifyOrders(columnsOf(text))) throw new FormatError(unknown(path, text));
  const { header, rows } = await openTable(path, text);
  yield* readShopifyOrders(header, rows, reading);
}

function named(line: number, value: object, { prefix }: OrderReading): OrderRead {
  const order = value as OrderImport;
  if (typeof order.order_number !== 'string') return { line, item: order };
  return { line, item: { ...order, order_number: prefix + order.order_number }, name: order.order_number };
}

function unknown(path: string, text: string): string {
  if (text.trim() === '') return `${path} is empty.`;
  return (
    `${path} is not recognised as a file of orders: its first line is neither the header of Shopify's orders CSV nor a JSON ` +
    'object. Turn it into one order per line, in the shape of the API: POST /api/dashboard/orders/import in the documentation'
  );
}
