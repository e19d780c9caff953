import type { ProductImport } from '@commerce-backend/spec';
import { BOUNDS, outOfBounds } from './bounds.ts';
import type { CsvRow } from './csv-records.ts';
import { htmlOfText, textOfHtml } from './html-text.ts';
import type { Read, ReadContext } from './reading.ts';
import { type Columns, type FieldError, findColumns, RowReader } from './row-reader.ts';
import { SHOPIFY_COLUMNS, type ShopifyColumn, tagsOf } from './shopify-columns.ts';
import { imagesOf, pictureIn } from './shopify-images.ts';
import {
  type ExtraColumns,
  extraColumnsOf,
  metadataOf,
  noteOthers,
  warnOfMissingStock,
  warnOfOthers,
} from './shopify-metadata.ts';
import { columnOf, headerOf, placesIn } from './shopify-places.ts';
import type { ShopifyRow } from './shopify-row.ts';
import { isDefaultOnly, optionsOf, soldOf, variantRowsOf, variantsOf } from './shopify-variants.ts';
import { firstUseOf, shortName, slugOf } from './slug.ts';

/** 250 variants and as many images need no more rows; beyond that the handle column is surely not what it seems. */
const MOST_ROWS = 1000;

/** The lines of the slugs so far, and the handle that each comes from. */
type Seen = { slugs: Map<string, number>; handles: Map<string, string> };

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
  const seen: Seen = { slugs: new Map(), handles: new Map() };
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
  const [first] = group.rows as [ShopifyRow];
  const slug = slugFor(group.handle || first.text('title'), handles);
  const product = productOf(group.rows, slug, extra, (message) => context.warn(first.line, message));
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
    context.warn(first.line, `The handle "${group.handle}" becomes the slug "${slug}".`);
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

function productOf(
  rows: ShopifyRow[],
  slug: string,
  extra: ExtraColumns,
  warn: (message: string) => void,
): ProductImport {
  const [first] = rows as [ShopifyRow];
  const variantRows = variantRowsOf(rows);
  const images = imagesOf(rows, warn);
  warnOfOtherTexts(rows, warn);
  const isAlone = isDefaultOnly(variantRows);
  const own = isAlone ? pictureIn(first, 'variantImage', warn) : '';
  if (own !== '' && !images.some(({ url }) => url === own)) {
    images.push({ url: own, alt: null, position: images.length + 1 });
  }
  return {
    name: first.text('title'),
    slug,
    ...(first.has('body') && descriptionOf(first, warn)),
    ...(first.has('seoTitle') && { seo_title: fitting(first, 'seoTitle', BOUNDS.seo_title, warn) }),
    ...(first.has('seoDescription') && {
      seo_description: fitting(first, 'seoDescription', BOUNDS.seo_description, warn),
    }),
    ...metadataOf(first, extra, warn),
    ...(first.has('vendor') && { vendor: first.text('vendor') || null }),
    ...(first.has('type') && { product_type: first.text('type') || null }),
    ...(first.has('tags') && { tags: tagsOf(first.text('tags')) }),
    ...visibilityOf(first, warn),
    ...trackingOf(variantRows),
    ...taxClassOf(variantRows, warn),
    ...((first.has('imageUrl') || images.length > 0) && { images }),
    ...(isAlone ? soldOf(first, warn) : { options: optionsOf(variantRows), variants: variantsOf(variantRows, warn) }),
  };
}

/** Formatted where the file has more than paragraphs; the server makes the plain text of it. */
function descriptionOf(
  row: ShopifyRow,
  warn: (message: string) => void,
): Pick<ProductImport, 'description' | 'description_html'> {
  const body = row.text('body');
  const text = textOfHtml(body);
  if (!/<[a-z!/]/i.test(body) || htmlOfText(text) === body) return { description: text, description_html: null };
  if (body.length <= BOUNDS.description_html) return { description_html: body };
  const most = BOUNDS.description_html;
  warn(
    `${row.header('body')}: the HTML has ${body.length} characters, at most ${most} are kept: its text comes in alone.`,
  );
  return { description: text, description_html: null };
}

function fitting(row: ShopifyRow, column: ShopifyColumn, most: number, warn: (message: string) => void): string | null {
  const text = row.text(column);
  const letters = [...text];
  if (letters.length <= most) return text || null;
  warn(`${row.header(column)}: the text has ${letters.length} characters and is cut to ${most}.`);
  return letters.slice(0, most).join('').trim();
}

const STATUSES = { active: 'active', draft: 'draft', archived: 'archived', unlisted: 'unlisted' } as const;

/** Shopify's status and its "published" together: a product can be active and yet not in the online store. */
function visibilityOf(
  row: ShopifyRow,
  warn: (message: string) => void,
): Pick<ProductImport, 'status' | 'published_at'> {
  const published = row.flag('published');
  const status = row.word('status', STATUSES);
  if (status === 'unlisted') {
    warn('Unlisted products are not known here; it becomes a draft.');
    return { status: 'draft' };
  }
  if (status === 'active') return published === false ? { status, published_at: null } : { status };
  if (status !== undefined) return { status };
  if (!row.has('published') && !row.has('status')) return {};
  return { status: published === false ? 'draft' : 'active' };
}

/** Stock is tracked for a whole product here: for all its variants as soon as Shopify tracks one. */
function trackingOf(variantRows: ShopifyRow[]): Pick<ProductImport, 'track_inventory'> {
  if (!variantRows[0]?.has('tracker')) return {};
  return { track_inventory: variantRows.some((row) => row.text('tracker') !== '') };
}

/** Shopify knows only whether tax is charged at all: where it is, the class stays as it is here. */
function taxClassOf(variantRows: ShopifyRow[], warn: (message: string) => void): Pick<ProductImport, 'tax_class'> {
  const untaxed = variantRows.filter((row) => row.flag('taxable') === false);
  const [first] = untaxed;
  if (first && untaxed.length === variantRows.length) return { tax_class: 'zero' };
  if (first) {
    const rest = `${untaxed.length} of ${variantRows.length} variants are not taxed; tax classes are those of whole products here`;
    warn(`Line ${first.line}: ${first.header('taxable')}: ${rest}, and all of it is taxed.`);
  }
  return {};
}

const SAID_ONCE = [
  'title',
  'body',
  'vendor',
  'type',
  'tags',
  'category',
  'seoTitle',
  'seoDescription',
  'status',
] as const;

/** The first row speaks for the product; some programs repeat its texts, and a text that differs is not kept. */
function warnOfOtherTexts(rows: ShopifyRow[], warn: (message: string) => void): void {
  const [first, ...others] = rows as [ShopifyRow, ...ShopifyRow[]];
  for (const column of SAID_ONCE) {
    const other = others.find((row) => row.text(column) !== '' && row.text(column) !== first.text(column));
    if (other)
      warn(
        `Line ${other.line}: ${other.header(column)} differs from that of the first row of the product, and is left out.`,
      );
  }
}
