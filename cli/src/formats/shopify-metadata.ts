import { type Fact, looksPrivate, metadataFrom, warningOfPrivate } from './facts.ts';
import type { ReadContext } from './reading.ts';
import { type Columns, quoted } from './row-reader.ts';
import type { ShopifyColumn } from './shopify-columns.ts';
import { headOf, orWarn, type ShopifyRow, type Warn } from './shopify-row.ts';

/** Metadata keys for Shopify's product category and gift cards. */
export const CATEGORY = 'category';
export const GIFT_CARD = 'gift_card';

const RESERVED = [CATEGORY, GIFT_CARD];
/** Matches metafield columns of Shopify and other programs. */
const METAFIELDS = [
  /\(product\.metafields\.(.+)\)$/i,
  /^product\.metafields\.(.+)$/i,
  /^metafield: ?([\w$-]+\.[\w$-]+)(?: ?\[.*\])?$/i,
];
/** Columns about a product without a field in the contract. Their title becomes the metadata key. */
const KEPT_BY_TITLE = /^Google Shopping \/ .+/i;

/** Namespaces of metafields that Shopify's own themes show. */
const STANDARD = /^(?:shopify|descriptors|facts|reviews)\./i;
/** Metafields for internal use of apps: reserved namespaces, hidden names, and namespaces of common apps. */
const INTERNAL =
  /(?:^|\.)_|--|^(?:app|seo|global|google|mc-facebook|mm-google-shopping|judgeme|loox|yotpo|stamped|okendo|spr|bold|klaviyo)\b[^.]*\./i;

/**
 * Priority of a fact if not all fit: 0 if shoppers certainly see it, 2 if it is for programs or looks like internal
 * data, otherwise 1.
 */
function rankOf(path: string, title: string): number {
  if (STANDARD.test(path)) return 0;
  return INTERNAL.test(path) || looksPrivate(title) ? 2 : 1;
}

interface Extra {
  index: number;
  header: string;
}

/** Additional columns of a file: metafields with their key, ordered by priority, and columns that are not imported. */
export interface ExtraColumns {
  metafields: (Extra & { key: string; rank: number })[];
  /** Metafields that are probably not for shoppers. */
  private: Noted[];
  others: Unkept[];
}

/** A column, the number of rows with a value in it, and the line of the first one. */
type Noted = Extra & { rows: number; line: number };

/** A column that is not imported, with its value if it is the same in all rows. */
type Unkept = Noted & { value: string | undefined };

export function extraColumnsOf(header: string[], columns: Columns<ShopifyColumn>): ExtraColumns {
  const known = new Set([...columns.values()].map(({ index }) => index));
  const extra: ExtraColumns = { metafields: [], private: [], others: [] };
  header.forEach((cell, index) => {
    if (known.has(index)) return;
    const title = cell.trim();
    const path = METAFIELDS.map((pattern) => pattern.exec(title)?.[1]).find((found) => found);
    if (KEPT_BY_TITLE.test(title)) extra.metafields.push({ index, header: title, key: title, rank: 1 });
    else if (path) extra.metafields.push({ index, header: title, key: keyOf(path), rank: rankOf(path, title) });
    else extra.others.push({ index, header: title || `column ${index + 1}`, rows: 0, line: 0, value: undefined });
  });
  const hidden = extra.metafields.filter(({ header: title, rank }) => rank > 0 && looksPrivate(title));
  extra.private = hidden.map(({ index, header: title }) => ({ index, header: title, rows: 0, line: 0 }));
  extra.metafields.sort((one, other) => one.rank - other.rank);
  return extra;
}

/** The metadata key. For metafields in the merchant's own namespace it is only the metafield's key. */
function keyOf(path: string): string {
  const own = path.startsWith('custom.') ? path.slice('custom.'.length) : path;
  return RESERVED.includes(own) || own === '' ? path : own;
}

/** The column name that `extraColumnsOf` converts to this key. */
export function metafieldHeader(key: string): string {
  if (KEPT_BY_TITLE.test(key)) return key;
  const path = key.includes('.') ? key : `custom.${key}`;
  return `${key} (product.metafields.${path})`;
}

/**
 * The product's metadata: category, gift card and each metafield that fits. Others cause a warning. Values missing in
 * the row with the title are taken from the next row that has them.
 */
export function metadataOf(rows: ShopifyRow[], extra: ExtraColumns, warn: Warn) {
  const head = headOf(rows);
  if (!head.has('category') && !head.has('giftCard') && extra.metafields.length === 0) return {};
  const facts: (Fact & { row: ShopifyRow })[] = [
    { key: CATEGORY, value: head.text('category'), column: head.header('category'), row: head },
  ];
  if (orWarn(head, warn, () => head.flag('giftCard'))) {
    warn(`${head.header('giftCard')}: it is sold here like any other product, and no code is made for the buyer.`);
    facts.push({ key: GIFT_CARD, value: 'true', column: head.header('giftCard'), row: head });
  }
  const inOrder = [head, ...rows.filter((row) => row !== head)];
  for (const { key, index, header } of extra.metafields) {
    const said = inOrder.filter((row) => row.cell(index) !== '');
    const [first] = said;
    if (!first) continue;
    facts.push({ key, value: first.cell(index), column: header, row: first });
    for (const row of said) {
      const differs = row.cell(index) !== first.cell(index);
      if (differs)
        warn(`${header}: metadata belongs to the whole product here; this value differs and is left out.`, row);
    }
  }
  return { metadata: metadataFrom(facts, (message, { row }) => warn(message, row)) };
}

/** Counts values in columns that are not imported, or are not for shoppers. */
export function noteOthers(row: ShopifyRow, { others, private: hidden }: ExtraColumns): void {
  for (const column of hidden) {
    if (row.cell(column.index) === '') continue;
    column.rows += 1;
    column.line ||= row.line;
  }
  for (const column of others) {
    const cell = row.cell(column.index);
    if (cell === '') continue;
    column.rows += 1;
    if (column.rows === 1) Object.assign(column, { line: row.line, value: cell });
    else if (cell !== column.value) column.value = undefined;
  }
}

/** Start of the warning about a file without quantities. */
export const NO_STOCK = 'Variant Inventory Qty: the file has no such column';

/** Warns if the file has no quantities. Shopify omits them for shops with several locations. */
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

/** Warns about columns with values that are not imported, or that shoppers should perhaps not see. */
export function warnOfOthers({ others, private: hidden }: ExtraColumns, warn: ReadContext['warn']): void {
  for (const { header, rows, line } of hidden) if (rows > 0) warn(line, warningOfPrivate(header, rows));
  for (const { header, rows, line, value } of others) {
    if (rows === 0) continue;
    const said = value === undefined ? 'a value in it' : `${quoted(value)} in it`;
    const todo =
      header.toLowerCase() === 'collection' ? ' Make the collection by hand: commerce collections create.' : '';
    warn(line, `${header}: this column is not kept; ${rows} rows have ${said}, this is the first.${todo}`);
  }
}
