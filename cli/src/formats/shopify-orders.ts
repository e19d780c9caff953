import type { OrderImport, OrderImportLine } from '@commerce-backend/spec';
import { decimalsOf } from './amounts.ts';
import type { CsvRow } from './csv-records.ts';
import { requireColumn } from './missing-columns.ts';
import { otherColumnsOf } from './other-columns.ts';
import type { OrderRead } from './reading.ts';
import { type Columns, type FieldError, findColumns, RowReader } from './row-reader.ts';
import { given, withoutApostrophe } from './shopify-customers.ts';
import { type Amounts, balanced } from './shopify-order-amounts.ts';
import { ORDER_COLUMNS, type OrderColumn, orderPlaces, SILENT_COLUMNS } from './shopify-order-columns.ts';
import { factsOf } from './shopify-order-facts.ts';
import { paymentOf, shippingOf, timeOf } from './shopify-order-states.ts';

type Row = RowReader<OrderColumn>;
type Warn = (line: number, message: string) => void;

/** The rows of an order. The first row has the order's own cells; each row has an order line. */
interface Group {
  name: string;
  rows: Row[];
  errors: FieldError[];
}

/** Whether these column names in lower case are those of Shopify's orders CSV. */
export function isShopifyOrders(names: ReadonlySet<string>): boolean {
  return names.has('name') && names.has('lineitem name') && names.has('financial status');
}

/**
 * Reads orders from Shopify's CSV. Consecutive rows with the same name are one order. `prefix` is added to order
 * numbers. Each unsupported column causes one warning with the number of its rows.
 */
export async function* readShopifyOrders(
  header: string[],
  rows: AsyncIterable<CsvRow>,
  { warn, prefix }: { warn: Warn; prefix: string },
): AsyncGenerator<OrderRead> {
  const columns = findColumns(header, ORDER_COLUMNS);
  requireColumn(columns, 'createdAt', ORDER_COLUMNS.createdAt[0]);
  const others = otherColumnsOf(header, columns, SILENT_COLUMNS);
  const firsts = new Map<string, number>();
  let group: Group | undefined;
  for await (const { line, cells, problem } of rows) {
    const row = new RowReader(columns, line, cells, decimalsIn(cells[columns.get('currency')?.index ?? -1]));
    others.note(row);
    const name = cells.length === 0 ? (group?.name ?? '') : row.text('name');
    if (!group || (name !== '' && name !== group.name)) {
      if (group) yield finish(group, columns, { warn, prefix, firsts });
      group = { name, rows: [], errors: [] };
    }
    if (problem !== undefined) group.errors.push({ line, field: 'row', message: problem });
    group.rows.push(row);
  }
  if (group) yield finish(group, columns, { warn, prefix, firsts });
  others.tell(warn);
}

/** Number of decimals of the order's currency. */
function decimalsIn(currency = ''): number {
  const code = currency.trim().toUpperCase();
  return /^[A-Z]{3}$/.test(code) ? decimalsOf(code) : 2;
}

interface Settings {
  warn: Warn;
  prefix: string;
  firsts: Map<string, number>;
}

function finish({ name, rows, errors }: Group, columns: Columns<OrderColumn>, settings: Settings): OrderRead {
  const { prefix, firsts, warn } = settings;
  const [first] = rows as [Row];
  const { line } = first;
  const found = [...errors];
  const number = numberOf(name);
  if (number === '') found.push({ line, field: first.header('name'), message: 'The order has no name.' });
  const earlier = firsts.get(number);
  if (earlier === undefined) firsts.set(number, line);
  else {
    const message = `The order was already read on line ${earlier}: the rows of an order must follow each other.`;
    found.push({ line, field: first.header('name'), message });
  }
  const lines = linesOf(rows, warn);
  if (lines.length === 0) {
    found.push({ line, field: first.header('lineName'), message: 'The order has no line that was sold.' });
  }
  const warnings: string[] = [];
  const order =
    found.length === 0 ? orderOf(first, prefix + number, lines, (message) => warnings.push(message)) : undefined;
  const all = [...found, ...rows.flatMap((row) => row.errors)].sort((one, other) => one.line - other.line);
  if (!order || all.length > 0) return { line, name, errors: all };
  for (const message of warnings) warn(line, `${name}: ${message}`);
  const at = lines.map(({ row }) => row.line);
  return { line, item: order, name, placeOf: orderPlaces(columns, line, at) };
}

/** Removes the `#` from Shopify's `#1001`. */
function numberOf(name: string): string {
  return name.replace(/^#/, '').trim().slice(0, 64);
}

export interface ReadLine {
  row: Row;
  line: OrderImportLine;
  isShipped: boolean;
}

const LONGEST_NAME = 255;

function linesOf(rows: Row[], warn: Warn): ReadLine[] {
  return rows.flatMap((row) => {
    if (row.text('lineName') === '') return [];
    const quantity = row.whole('lineQuantity') ?? 1;
    const price = row.money('linePrice') ?? '0';
    const name = row.text('lineName');
    if (quantity < 1) {
      warn(row.line, `${row.header('lineQuantity')}: ${quantity} of ${JSON.stringify(name)}: the line is left out.`);
      return [];
    }
    const letters = [...name];
    if (letters.length > LONGEST_NAME) {
      warn(
        row.line,
        `${row.header('lineName')}: the name has ${letters.length} characters and is cut to ${LONGEST_NAME}.`,
      );
    }
    const sku = row.text('lineSku').replace(/^'+(?=\d)/, '');
    const line = { name: letters.slice(0, LONGEST_NAME).join('').trim(), quantity, price, ...(sku && { sku }) };
    return { row, line, isShipped: row.text('lineStatus').toLowerCase() === 'fulfilled' };
  });
}

function orderOf(
  row: Row,
  order_number: string,
  lines: ReadLine[],
  warn: (message: string) => void,
): OrderImport | undefined {
  const created_at = timeOf(row, 'createdAt');
  if (!created_at) {
    if (row.text('createdAt') === '') row.refuse('createdAt', 'The creation time of the order is missing.');
    return undefined;
  }
  const amounts = amountsIn(row, lines, warn);
  if (row.errors.length > 0 || lines.some(({ row: own }) => own.errors.length > 0)) return undefined;
  const { extra, ...money } = amounts;
  const sold = lines.map(({ line }) => line);
  const discount_code = row.text('discountCode').slice(0, 64);
  return {
    order_number,
    ...given('external_reference', row.text('id')),
    ...emailOf(row, warn),
    ...given('phone', withoutApostrophe(row.text('phone'))),
    line_items: extra ? [...sold, { name: 'Other charges', quantity: 1, price: extra }] : sold,
    ...money,
    ...(discount_code && { discount_code }),
    currency: row.text('currency').toUpperCase(),
    ...paymentOf(row, money.total, warn),
    ...shippingOf(row, lines, extra !== undefined, warn),
    billing_address: addressOf(row, 'billing'),
    shipping_address: addressOf(row, 'shipping'),
    ...given('shipping_method', row.text('shippingMethod').slice(0, 255)),
    ...given('note', row.text('notes').slice(0, 5000)),
    metadata: factsOf(row, warn),
    created_at,
  };
}

function amountsIn(row: Row, lines: ReadLine[], warn: (message: string) => void): Amounts {
  return balanced(
    {
      lines: lines.map(({ line }) => line),
      subtotal: row.money('subtotal'),
      discount: row.money('discountAmount'),
      lineDiscounts: lines.map(({ row: own }) => own.money('lineDiscount') ?? '0'),
      shipping: row.money('shipping') ?? '0',
      taxes: row.money('taxes') ?? '0',
      total: row.money('total'),
    },
    warn,
  );
}

const EMAIL = /^[^\s@<>"]+@(?:[^\s@<>".]+\.)+[^\s@<>".]+$/;

function emailOf(row: Row, warn: (message: string) => void): Pick<OrderImport, 'email'> {
  const email = row.text('email');
  if (email === '' || (EMAIL.test(email) && email.length <= 254)) return given('email', email);
  warn(`${row.header('email')}: ${JSON.stringify(email.slice(0, 60))} is no e-mail address and is left out.`);
  return {};
}

type Kind = 'billing' | 'shipping';

function addressOf(row: Row, kind: Kind): OrderImport['billing_address'] {
  const text = (part: 'Company' | 'Address1' | 'Address2' | 'City' | 'Zip' | 'Province' | 'Country' | 'Phone') =>
    withoutApostrophe(row.text(`${kind}${part}`)).slice(0, LONGEST_NAME);
  const [last_name = '', ...firsts] = row.text(`${kind}Name`).slice(0, LONGEST_NAME).split(' ').reverse();
  const address = {
    ...given('first_name', firsts.reverse().join(' ')),
    ...given('last_name', last_name),
    ...given('company', text('Company')),
    ...given('address1', text('Address1')),
    ...given('address2', text('Address2')),
    ...given('city', text('City')),
    ...given('postal_code', text('Zip')),
    ...given('state', text('Province')),
    ...given('country', text('Country')),
    ...given('phone', text('Phone')),
  };
  return Object.keys(address).length > 0 ? address : null;
}
