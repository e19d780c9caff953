import { BOUNDS, outOfBounds, tooManyVariants } from './bounds.ts';
import type { CsvRow } from './csv-records.ts';
import { warningOf } from './facts.ts';
import { KeyTable } from './key-table.ts';
import { requireColumn, warnOfNoPrice } from './missing-columns.ts';
import type { Read, ReadContext } from './reading.ts';
import { type Columns, findColumns, quoted } from './row-reader.ts';
import { SHOPIFY_COLUMNS, type ShopifyColumn, textOfCell } from './shopify-columns.ts';
import { type Group, Groups } from './shopify-groups.ts';
import { type ExtraColumns, extraColumnsOf, noteOthers, warnOfMissingStock, warnOfOthers } from './shopify-metadata.ts';
import { columnOf, headerOf, placesIn } from './shopify-places.ts';
import { productOf } from './shopify-product.ts';
import { headOf, type ShopifyRow, type Warn } from './shopify-row.ts';
import { variantRowsOf } from './shopify-variants.ts';
import { firstUseOf, shortName, slugOf } from './slug.ts';

/** Slugs with their line, and the slug of each handle. */
type Seen = { slugs: KeyTable; handles: Map<string, string> };

/**
 * Reads products from Shopify's product CSV. All rows with the same handle are one product. The first row with a title
 * describes it. Each row with an option value, SKU, barcode, price or quantity adds a variant, and each with an image
 * URL an image. If a handle occurs again after its product was already returned to free memory, the later rows are
 * rejected, so that they do not replace the product.
 */
export async function* readShopify(
  cells: string[],
  rows: AsyncIterable<CsvRow>,
  context: ReadContext,
): AsyncGenerator<Read> {
  const header = cells.map(textOfCell);
  const columns = findColumns(header, SHOPIFY_COLUMNS);
  requireColumn(columns, 'title', SHOPIFY_COLUMNS.title[0]);
  warnOfNoPrice(columns, SHOPIFY_COLUMNS.price[0], context);
  const extra = extraColumnsOf(header, columns);
  const seen: Seen = { slugs: new KeyTable(), handles: new Map() };
  const tracked: number[] = [];
  const groups = new Groups(columns, context.decimals, context.mostHeld);
  for await (const row of rows) {
    if (row.cells.length === 0) {
      groups.addUnreadable(row);
      yield { line: row.line, errors: [{ line: row.line, field: 'row', message: row.problem ?? '' }] };
      continue;
    }
    const reader = groups.add(row);
    noteOthers(reader, extra);
    if (reader.text('tracker') !== '') tracked.push(row.line);
    for (const group of groups.overdue()) yield finish(group, columns, extra, seen, context);
  }
  for (const group of groups.rest()) yield finish(group, columns, extra, seen, context);
  warnOfMissingStock(columns, tracked, context.warn);
  warnOfOthers(extra, context.warn);
}

function finish(
  group: Group,
  columns: Columns<ShopifyColumn>,
  extra: ExtraColumns,
  { slugs, handles }: Seen,
  context: ReadContext,
): Read {
  const { rows, repeated } = withoutRepeated(group);
  const first = headOf(rows);
  const slug = slugFor(group.handle || first.text('title'), handles);
  const warn: Warn = (message, row = first) => {
    context.warn(row.line, warningOf(message, slug, row.text('sku')));
  };
  const product = productOf(rows, slug, extra, warn);
  const variantRows = variantRowsOf(rows);
  // The cells of an unreadable row may be in the wrong columns.
  const unread = new Set(group.errors.map(({ line }) => line));
  const errors = [...group.errors, ...rows.flatMap((row) => (unread.has(row.line) ? [] : row.errors))];
  const add = (field: ShopifyColumn, message: string, line = first.line) => {
    errors.push({ line, field: headerOf(columns, field), message });
  };

  const other = group.returns.length > 0 && rows.find((row) => !['', first.text('title')].includes(row.text('title')));
  if (other) {
    const words = `is not that of the product on line ${first.line}, which has the same handle: give one of them another handle.`;
    add('title', `${quoted(other.text('title'))} ${words}`, other.line);
  }
  warnOfPlaces(group, repeated, headerOf(columns, 'handle'), warn);
  const count = variantRows.length + group.skipped.variants;
  if (count > BOUNDS.variants) add('option1Value', tooManyVariants(count));
  else if (group.skipped.rows > 0) add('handle', `${rows.length + group.skipped.rows} rows have this handle.`);
  for (const found of outOfBounds(product)) {
    // An empty slug is reported below, and too many variants above, with the names in the file.
    if (found.field === 'slug' && slug === '') continue;
    if (count > BOUNDS.variants && ['variants', 'options'].includes(found.field)) continue;
    const like = found.like === undefined ? undefined : variantRows[found.like]?.line;
    const message =
      like === undefined ? found.message : found.message.replace(' already', `, on line ${like}, already`);
    add(columnOf(found.field), message, found.variant === undefined ? first.line : variantRows[found.variant]?.line);
  }
  if (slug === '') add('handle', 'The handle has no letter a–z or digit to make an address of.');
  else if (group.handle !== '' && slug !== group.handle) {
    warn(`The handle "${group.handle}" becomes the slug "${slug}".`);
  }
  const earlier = slug === '' ? undefined : firstUseOf(slug, first.line, slugs);
  if (earlier !== undefined) {
    add('handle', readBefore(group, slug, earlier));
  }
  errors.sort((one, other) => one.line - other.line);
  if (errors.length > 0) return { line: first.line, slug, errors };
  const variantLines = variantRows.map(({ line }) => line);
  const placeOf = placesIn(columns, first.line, variantLines);
  return { line: first.line, product, placeOf, ...(group.handle && { handle: group.handle }) };
}

function readBefore({ handle }: Group, slug: string, earlier: number): string {
  if (handle === '') return `The product on line ${earlier} has the address "${slug}" already: give both a handle.`;
  return `"${slug}" was already read on line ${earlier}, too far above to be taken together: sort the file by the handle.`;
}

/** Removes repeated rows, for example in a file made of two exports. */
function withoutRepeated({ rows: all, returns }: Group): { rows: ShopifyRow[]; repeated: ShopifyRow[] } {
  if (returns.length === 0) return { rows: all, repeated: [] };
  const rows: ShopifyRow[] = [];
  const repeated: ShopifyRow[] = [];
  const said = new Set<string>();
  for (const row of all) {
    const text = row.wholeText();
    (said.has(text) ? repeated : rows).push(row);
    said.add(text);
  }
  return { rows, repeated };
}

function warnOfPlaces({ handle, rows, returns }: Group, repeated: ShopifyRow[], header: string, warn: Warn): void {
  const [again] = returns;
  if (again === undefined) return;
  const apart = returns.length > 1 ? `line ${again} and ${returns.length - 1} more` : `line ${again}`;
  warn(
    `${header}: the rows of "${handle}" are not consecutive, on line ${rows[0]?.line} and ${apart}; they are one product.`,
  );
  const [same] = repeated;
  if (same) warn(`${header}: ${repeated.length} rows repeat one above and are left out.`, same);
}

/**
 * A handle may use any writing system. If its slug is empty or taken by another handle, a short hash of the handle is
 * appended.
 */
function slugFor(handle: string, handles: Map<string, string>): string {
  const plain = slugOf(handle);
  const other = handles.get(plain);
  const isOwn = plain !== '' && (other === undefined || other === handle);
  const slug = isOwn || handle === '' ? plain : slugOf(`${plain || 'product'}-${shortName(handle)}`);
  if (slug !== '') handles.set(slug, handle);
  return slug;
}
