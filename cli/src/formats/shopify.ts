import { outOfBounds } from './bounds.ts';
import type { CsvRow } from './csv-records.ts';
import { warningOf } from './facts.ts';
import { KeyTable } from './key-table.ts';
import type { Read, ReadContext } from './reading.ts';
import { type Columns, type FieldError, findColumns, RowReader } from './row-reader.ts';
import { SHOPIFY_COLUMNS, type ShopifyColumn } from './shopify-columns.ts';
import { type ExtraColumns, extraColumnsOf, noteOthers, warnOfMissingStock, warnOfOthers } from './shopify-metadata.ts';
import { columnOf, headerOf, placesIn } from './shopify-places.ts';
import { productOf } from './shopify-product.ts';
import { headOf, type ShopifyRow, type Warn } from './shopify-row.ts';
import { variantRowsOf } from './shopify-variants.ts';
import { firstUseOf, shortName, slugOf } from './slug.ts';

/** 250 variants and as many images need no more rows; beyond that the handle column is surely not what it seems. */
const MOST_ROWS = 1000;

/** The lines of the slugs so far, and the handle that each comes from. */
type Seen = { slugs: KeyTable; handles: Map<string, string> };

/** The rows of one product as they come in. */
type Group = { handle: string; rows: ShopifyRow[]; errors: FieldError[]; skipped: number };

/**
 * The products of a Shopify product CSV. Rows that follow each other under one handle are one product: the first
 * names it, each row with an option value, SKU or price adds a variant, each with an image address an image.
 * A handle that comes back after others is refused, so that its rows do not replace those read before.
 */
export async function* readShopify(
  header: string[],
  rows: AsyncIterable<CsvRow>,
  context: ReadContext,
): AsyncGenerator<Read> {
  const columns = findColumns(header, SHOPIFY_COLUMNS);
  const extra = extraColumnsOf(header, columns);
  const seen: Seen = { slugs: new KeyTable(), handles: new Map() };
  const tracked: number[] = [];
  let group: Group | undefined;
  let unreadable: CsvRow | undefined;
  for await (const row of rows) {
    if (row.cells.length === 0) {
      unreadable = row;
      yield { line: row.line, errors: [{ line: row.line, field: 'row', message: row.problem ?? '' }] };
      continue;
    }
    const reader = new RowReader(columns, row.line, row.cells);
    noteOthers(reader, extra);
    if (reader.text('tracker') !== '') tracked.push(row.line);
    if (group === undefined || startsProduct(reader, group)) {
      if (group) yield finish(group, columns, extra, seen, context);
      group = { handle: reader.text('handle'), rows: [], errors: [], skipped: 0 };
    } else if (unreadable) {
      const message = `A row of this product could not be read: ${unreadable.problem}`;
      group.errors.push({ line: unreadable.line, field: 'row', message });
    }
    unreadable = undefined;
    if (row.problem) group.errors.push({ line: row.line, field: 'row', message: row.problem });
    if (group.rows.length < MOST_ROWS) group.rows.push(reader);
    else group.skipped++;
  }
  if (group) yield finish(group, columns, extra, seen, context);
  warnOfMissingStock(columns, tracked, context.warn);
  warnOfOthers(extra, context.warn);
}

/** A row without a handle belongs to the product above it, unless its title says that it is another. */
function startsProduct(row: ShopifyRow, group: Group): boolean {
  const handle = row.text('handle');
  return handle === '' ? row.text('title') !== '' : handle !== group.handle;
}

function finish(
  group: Group,
  columns: Columns<ShopifyColumn>,
  extra: ExtraColumns,
  { slugs, handles }: Seen,
  context: ReadContext,
): Read {
  const first = headOf(group.rows);
  const slug = slugFor(group.handle || first.text('title'), handles);
  const warn: Warn = (message, row = first) => {
    context.warn(row.line, warningOf(message, slug, row.text('sku')));
  };
  const product = productOf(group.rows, slug, extra, warn);
  const variantRows = variantRowsOf(group.rows);
  // The cells of a row that could not be read stand in the wrong columns.
  const unread = new Set(group.errors.map(({ line }) => line));
  const errors = [...group.errors, ...group.rows.flatMap((row) => (unread.has(row.line) ? [] : row.errors))];
  const add = (field: ShopifyColumn, message: string, line = first.line) => {
    errors.push({ line, field: headerOf(columns, field), message });
  };

  for (const found of outOfBounds(product)) {
    // An empty slug is reported below, in the words of the file.
    if (found.field === 'slug' && slug === '') continue;
    add(
      columnOf(found.field),
      found.message,
      found.variant === undefined ? first.line : variantRows[found.variant]?.line,
    );
  }
  if (slug === '') add('handle', 'The handle has no letter a–z or digit to make an address of.');
  else if (group.handle !== '' && slug !== group.handle) {
    warn(`The handle "${group.handle}" becomes the slug "${slug}".`);
  }
  const earlier = slug === '' ? undefined : firstUseOf(slug, first.line, slugs);
  if (earlier !== undefined) {
    add('handle', `"${slug}" was already read on line ${earlier}: the rows of a product must follow each other.`);
  }
  if (group.skipped > 0) add('handle', `More than ${MOST_ROWS} rows have this handle.`);
  if (context.encoding.damaged && JSON.stringify(product).includes('\ufffd')) {
    add('title', 'The file is not UTF-8, and letters of this product are lost: save it as "CSV UTF-8".');
  }
  errors.sort((one, other) => one.line - other.line);
  if (errors.length > 0) return { line: first.line, slug, errors };
  const variantLines = variantRows.map(({ line }) => line);
  const placeOf = placesIn(columns, first.line, variantLines);
  return { line: first.line, product, placeOf, ...(group.handle && { handle: group.handle }) };
}

/** Handles may be of any script, and differ where their slugs do not: the short name of the handle then makes the slug its own. */
function slugFor(handle: string, handles: Map<string, string>): string {
  const plain = slugOf(handle);
  const other = handles.get(plain);
  const isOwn = plain !== '' && (other === undefined || other === handle);
  const slug = isOwn || handle === '' ? plain : slugOf(`${plain || 'product'}-${shortName(handle)}`);
  if (slug !== '') handles.set(slug, handle);
  return slug;
}
