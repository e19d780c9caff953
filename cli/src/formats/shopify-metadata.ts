import { BOUNDS } from './bounds.ts';
import type { ReadContext } from './reading.ts';
import type { Columns } from './row-reader.ts';
import type { ShopifyColumn } from './shopify-columns.ts';
import type { ShopifyRow } from './shopify-row.ts';

/** Under which key of the metadata Shopify's taxonomy and its gift cards are kept. */
export const CATEGORY = 'category';
export const GIFT_CARD = 'gift_card';

const RESERVED = [CATEGORY, GIFT_CARD];
/** As Shopify names them, and as other programs do. */
const METAFIELDS = [
  /\(product\.metafields\.(.+)\)$/i,
  /^product\.metafields\.(.+)$/i,
  /^metafield: ?([\w$-]+\.[\w$-]+)(?: ?\[.*\])?$/i,
];
/** Columns of a whole product that have no field of their own here; their title is the key. */
const KEPT_BY_TITLE = /^Google Shopping \/ .+/i;

interface Extra {
  index: number;
  header: string;
}

/** The columns of a file beyond the known ones: metafields with their key, and those that are not kept. */
export interface ExtraColumns {
  metafields: (Extra & { key: string })[];
  others: (Extra & { rows: number; line: number })[];
}

/** What a column may say without losing anything: Shopify's own defaults. */
const DEFAULTS: [RegExp, RegExp][] = [
  [/^variant fulfillment service$|^fulfillment service$/i, /^manual$/i],
  [/^included \/ /i, /^true$/i],
];

export function extraColumnsOf(header: string[], columns: Columns<ShopifyColumn>): ExtraColumns {
  const known = new Set([...columns.values()].map(({ index }) => index));
  const extra: ExtraColumns = { metafields: [], others: [] };
  header.forEach((cell, index) => {
    if (known.has(index)) return;
    const title = cell.trim();
    const path = METAFIELDS.map((pattern) => pattern.exec(title)?.[1]).find((found) => found);
    if (KEPT_BY_TITLE.test(title)) extra.metafields.push({ index, header: title, key: title });
    else if (path) extra.metafields.push({ index, header: title, key: keyOf(path) });
    else extra.others.push({ index, header: title || `column ${index + 1}`, rows: 0, line: 0 });
  });
  return extra;
}

/** A metafield of the merchant's own namespace is known by its key alone. */
function keyOf(path: string): string {
  const own = path.startsWith('custom.') ? path.slice('custom.'.length) : path;
  return RESERVED.includes(own) || own === '' ? path : own;
}

/** The header of the column that `extraColumnsOf` reads as this key. */
export function metafieldHeader(key: string): string {
  if (KEPT_BY_TITLE.test(key)) return key;
  const path = key.includes('.') ? key : `custom.${key}`;
  return `${key} (product.metafields.${path})`;
}

/** The metadata of a product: its category, gift cards, and each metafield that fits; of others a warning is given. */
export function metadataOf(row: ShopifyRow, extra: ExtraColumns, warn: (message: string) => void) {
  if (!row.has('category') && !row.has('giftCard') && extra.metafields.length === 0) return {};
  const category = row.text('category');
  const given: [string, string, string][] = [
    ...(category ? [[CATEGORY, category, row.header('category')] as [string, string, string]] : []),
    ...(row.flag('giftCard') ? [[GIFT_CARD, 'true', row.header('giftCard')] as [string, string, string]] : []),
    ...extra.metafields.map(({ key, index, header }): [string, string, string] => [key, row.cell(index), header]),
  ];
  if (row.flag('giftCard')) {
    warn(`${row.header('giftCard')}: it is sold here like any other product, and no code is made for the buyer.`);
  }
  const metadata: Record<string, string> = {};
  for (const [key, value, header] of given) {
    if (value === '') continue;
    const reason = whyNot(metadata, key, value);
    if (reason) warn(`${header}: ${reason}; this value is left out.`);
    else metadata[key] = value;
  }
  return { metadata };
}

function whyNot(metadata: Record<string, string>, key: string, value: string): string | undefined {
  const length = [...value].length;
  if (length > BOUNDS.metadata_value)
    return `the value has ${length} characters, at most ${BOUNDS.metadata_value} are kept`;
  if ([...key].length > BOUNDS.metadata_key) return `the name has more than ${BOUNDS.metadata_key} characters`;
  if (Object.hasOwn(metadata, key)) return `another column has the name "${key}"`;
  if (Object.keys(metadata).length >= BOUNDS.metadata) return `a product has at most ${BOUNDS.metadata} facts`;
  return undefined;
}

/** Notes what a row has in columns that are not kept. */
export function noteOthers(row: ShopifyRow, { others }: ExtraColumns): void {
  for (const column of others) {
    const cell = row.cell(column.index);
    if (cell === '' || DEFAULTS.some(([title, usual]) => title.test(column.header) && usual.test(cell))) continue;
    column.rows += 1;
    if (column.rows === 1) column.line = row.line;
  }
}

/** How the warning of a file without quantities begins. */
export const NO_STOCK = 'Variant Inventory Qty: the file has no such column';

/** Shopify leaves the quantities out where a shop has several locations. */
export function warnOfMissingStock(
  columns: Columns<ShopifyColumn>,
  tracked: number[],
  warn: ReadContext['warn'],
): void {
  const [first] = tracked;
  if (first === undefined || columns.has('quantity')) return;
  const words = 'without it new variants have a stock of 0. Add the column from the export of the inventory';
  warn(first, `${NO_STOCK}, and ${tracked.length} variants are counted: ${words}.`);
}

/** A warning for each column with values that are not kept. */
export function warnOfOthers({ others }: ExtraColumns, warn: ReadContext['warn']): void {
  for (const { header, rows, line } of others) {
    if (rows > 0) warn(line, `${header}: this column is not kept; ${rows} rows have a value in it, this is the first.`);
  }
}
