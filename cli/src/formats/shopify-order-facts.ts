import type { OrderImport } from '@commerce-backend/spec';
import type { RowReader } from './row-reader.ts';
import { keptTags } from './shopify-customers.ts';
import type { OrderColumn } from './shopify-order-columns.ts';

const LONGEST = 500;

const FACTS: [string, OrderColumn][] = [
  ['payment_method', 'paymentMethod'],
  ['payment_reference', 'paymentReference'],
  ['note_attributes', 'noteAttributes'],
  ['sales_channel', 'source'],
  ['location', 'location'],
  ['employee', 'employee'],
];

const TAXES: [OrderColumn, OrderColumn][] = [
  ['tax1Name', 'tax1Value'],
  ['tax2Name', 'tax2Value'],
  ['tax3Name', 'tax3Value'],
  ['tax4Name', 'tax4Value'],
  ['tax5Name', 'tax5Value'],
];

/** Returns as metadata the order data of Shopify for which the contract has no field. */
export function factsOf(
  row: RowReader<OrderColumn>,
  warn: (message: string) => void,
): NonNullable<OrderImport['metadata']> {
  const facts: Record<string, string> = {};
  const tags = keptTags(row.text('tags'), warn);
  if (tags !== '') facts.tags = tags;
  const keep = (key: string, column: OrderColumn, text: string) => {
    const letters = [...text];
    if (letters.length > LONGEST)
      warn(`${row.header(column)}: the text has ${letters.length} characters and is cut to ${LONGEST}.`);
    if (text !== '') facts[key] = letters.slice(0, LONGEST).join('').trim();
  };
  for (const [key, column] of FACTS) keep(key, column, row.text(column));
  const taxes = TAXES.flatMap(([name, value]) => (row.text(name) ? `${row.text(name)}: ${row.text(value)}` : []));
  keep('taxes', 'tax1Name', taxes.join('; '));
  return facts;
}
