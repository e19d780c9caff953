import type { ProductImport } from '@commerce-backend/spec';
import { BOUNDS } from './bounds.ts';
import type { CsvRow } from './csv-records.ts';
import { looksPrivate, warningOf, warningOfPrivate } from './facts.ts';
import { decodeEntities, textOfHtml } from './html-text.ts';
import { judged } from './judge.ts';
import { KeyTable } from './key-table.ts';
import { warnOfNoPrice } from './missing-columns.ts';
import type { Read, ReadContext } from './reading.ts';
import { type Columns, type FieldError, findColumns, RowReader } from './row-reader.ts';
import { slugOf } from './slug.ts';
import {
  type AttributeColumns,
  attributeColumnsOf,
  losesNothing,
  type OtherColumn,
  otherColumnsOf,
  WOOCOMMERCE_COLUMNS,
  type WooColumn,
  type WooRow,
  type WooWarn,
} from './woocommerce-columns.ts';
import { enabledOf, metadataOf, warnOfMisplaced } from './woocommerce-facts.ts';
import { soldOf } from './woocommerce-sold.ts';
import { listOf, optionsOf, type Variation, variationsOf } from './woocommerce-variations.ts';

/** The columns of a file, and the options for reading it. */
interface Layout {
  columns: Columns<WooColumn>;
  attributes: AttributeColumns[];
  others: (OtherColumn & { rows: number; line: number })[];
  context: ReadContext;
  warn: WooWarn;
}

const FIELD_OF: Record<string, WooColumn> = {
  name: 'name',
  slug: 'name',
  description: 'description',
  description_html: 'description',
  vendor: 'brands',
  product_type: 'categories',
  tags: 'tags',
  url: 'images',
  images: 'images',
  image_url: 'images',
  sku: 'sku',
  barcode: 'barcode',
  price: 'price',
  compare_at_price: 'salePrice',
  inventory_quantity: 'stock',
  taxable: 'taxStatus',
  weight: 'kg',
};

/**
 * Reads products from WooCommerce's product CSV. Variations, wherever they are in the file, become variants of their
 * parent.
 */
export async function* readWooCommerce(
  header: string[],
  rows: AsyncIterable<CsvRow>,
  context: ReadContext,
): AsyncGenerator<Read> {
  const columns = findColumns(header, WOOCOMMERCE_COLUMNS);
  warnOfNoPrice(columns, WOOCOMMERCE_COLUMNS.price[0], context);
  const attributes = attributeColumnsOf(header);
  const used = new Set([
    ...[...columns.values()].map(({ index }) => index),
    ...attributes.flatMap(({ name, values }) => [name, values]),
  ]);
  const others = otherColumnsOf(header, used).map((column) => ({ ...column, rows: 0, line: 0 }));
  const layout: Layout = {
    columns,
    attributes,
    others,
    context,
    warn: (row, message) => {
      const product = slugOf(decodeEntities(row.text('name')));
      context.warn(row.line, warningOf(message, product, row.text('sku')));
    },
  };
  const parents: WooRow[] = [];
  const children = new Map<string, WooRow[]>();
  for await (const { line, cells, problem } of rows) {
    if (problem !== undefined) {
      yield { line, errors: [{ line, field: 'row', message: problem }] };
      continue;
    }
    const row: WooRow = new RowReader(columns, line, cells, context.decimals);
    noteOthers(row, layout);
    if (!/\bvariation\b/i.test(row.text('type'))) {
      parents.push(row);
      continue;
    }
    const siblings = children.get(row.text('parent'));
    if (siblings) siblings.push(row);
    else children.set(row.text('parent'), [row]);
  }
  const slugs = new KeyTable();
  for (const parent of parents) {
    const names = [parent.text('sku'), `id:${parent.text('id')}`].filter((name) => name !== '');
    const own = names.flatMap((name) => children.get(name) ?? []).toSorted(byPosition);
    for (const name of names) children.delete(name);
    yield productOf(parent, enabledOf(parent, own, layout.warn), layout, slugs);
  }
  for (const [name, orphans] of children) {
    for (const { line } of orphans) {
      const message = `No product of the file has the SKU or id "${name}".`;
      yield { line, errors: [{ line, field: columns.get('parent')?.header ?? 'Parent', message }] };
    }
  }
  warnOfNumbers(parents, layout);
  for (const { header: title, meta, rows: count, line } of others) {
    if (count > 0 && meta !== undefined) context.warn(line, warningOfPrivate(title, count));
    else if (count > 0)
      context.warn(line, `${title}: this column is not kept; ${count} rows have a value in it, this is the first.`);
  }
}

/** Sorts variations by their position in the shop, otherwise in the order of the file. */
function byPosition(one: WooRow, other: WooRow): number {
  return (Number(one.text('position')) || 0) - (Number(other.text('position')) || 0);
}

/** Warns that ids and list positions of the old shop are not imported. */
function warnOfNumbers(parents: WooRow[], { columns, context }: Layout): void {
  const [first] = parents.filter((row) => row.text('id') !== '');
  const id = columns.get('id')?.header;
  if (first)
    context.warn(first.line, `${id}: the numbers of the old shop are not kept; ${parents.length} products have one.`);
  const placed = parents.filter((row) => !['', '0'].includes(row.text('position')));
  const [moved] = placed;
  const words = 'products have a place of their own in lists; here a collection can have an order.';
  if (moved) context.warn(moved.line, `${columns.get('position')?.header}: ${placed.length} ${words}`);
}

function noteOthers(row: WooRow, { others }: Layout): void {
  for (const column of others) {
    if (
      (column.meta !== undefined && !looksPrivate(column.meta)) ||
      losesNothing(column.header, row.cell(column.index))
    )
      continue;
    column.rows += 1;
    if (column.rows === 1) column.line = row.line;
  }
}

function productOf(row: WooRow, variations: WooRow[], layout: Layout, slugs: KeyTable): Read {
  const { columns, warn } = layout;
  const type = row.text('type').toLowerCase();
  if (/grouped|external/.test(type)) row.refuse('type', 'Grouped and external products are not known here.');
  const options = variations.length > 0 ? optionsOf(row, variations, layout.attributes) : [];
  const variants = variationsOf(row, variations, options, layout.attributes);
  warnOfShared(variants, warn);
  warnOfMisplaced(row, variations, warn);
  if (type.includes('variable') && variations.length === 0) warn(row, 'No variation of this product is in the file.');
  const isTracked = [row, ...variations].some((each) => each.text('stock') !== '' || each.text('inStock') === '0');
  const sold = (each: WooRow) => soldOf(each, row, isTracked, layout.context.now, warn);
  const taxed = new Set([row, ...variations].map((each) => each.text('taxStatus').toLowerCase() || 'taxable'));
  if (taxed.size > 1 || taxed.has('shipping')) {
    warn(
      row,
      `${row.header('taxStatus')}: ${[...taxed].join(', ')}: a product is taxed as a whole here, by the first row's.`,
    );
  }
  const html = row.text('description') || row.text('shortDescription');
  const hasTags = /<[a-z!/]/i.test(html) && html.length <= BOUNDS.description_html;
  warnOfLength(row, html, warn);
  const categories = listOf(row.text('categories'));
  const images = listOf(row.text('images'));
  const product: ProductImport = {
    name: decodeEntities(row.text('name')),
    slug: slugOf(decodeEntities(row.text('name'))),
    ...(hasTags ? { description_html: html } : { description: textOfHtml(html), description_html: null }),
    vendor: row.text('brands') || null,
    product_type: categories[0]?.split('>').at(-1)?.trim() || null,
    tags: [...new Set(listOf(row.text('tags')).map((tag) => decodeEntities(tag)))],
    ...visibilityOf(row, warn),
    ...(row.text('taxStatus') !== '' && { taxable: row.text('taxStatus').toLowerCase() !== 'none' }),
    track_inventory: isTracked,
    images: [...new Set([...images, ...variations.flatMap((each) => listOf(each.text('images')))])].map((url, i) => ({
      url,
      alt: null,
      position: i + 1,
    })),
    metadata: metadataOf(row, variations, options, layout, warn),
    ...(variations.length === 0
      ? sold(row)
      : {
          options: options.map((name) => ({
            name,
            values: [...new Set(variants.map(({ values }) => values.get(name) ?? ''))].filter(Boolean),
          })),
          variants: variants.map(({ row: each, values, place }) => ({
            ...sold(each),
            ...(place === 'later' && { sku: null, ...(each.text('stock') !== '' && { inventory_quantity: 0 }) }),
            ...Object.fromEntries(options.map((name, i) => [`option${i + 1}`, values.get(name) ?? null])),
            image_url: listOf(each.text('images'))[0] ?? null,
          })),
        }),
  };
  const placeOf = (loc: readonly (string | number)[]) => {
    const line = loc[0] === 'variants' && typeof loc[1] === 'number' ? variants[loc[1]]?.row.line : undefined;
    const property = loc.findLast((part) => typeof part === 'string' && part in FIELD_OF) ?? 'name';
    const column = FIELD_OF[property] ?? 'name';
    return { line: line ?? row.line, field: columns.get(column)?.header ?? WOOCOMMERCE_COLUMNS[column][0] };
  };
  const errors: FieldError[] = [row, ...variations].flatMap((each) => each.errors);
  const distinct = row.text('sku') || row.text('id');
  return judged({ line: row.line, product, errors, placeOf, distinct }, slugs);
}

function warnOfLength(row: WooRow, html: string, warn: WooWarn): void {
  if (html.length <= BOUNDS.description_html) return;
  const words = `it has more than ${BOUNDS.description_html} characters: its text alone is kept.`;
  warn(row, `${row.header('description')}: ${words}`);
}

/** Warns if a row covers several variants, because these variants then share one SKU and one stock. */
function warnOfShared(variants: Variation[], warn: WooWarn): void {
  for (const { row, place } of variants) {
    if (place !== 'first') continue;
    warn(row, `${row.header('type')}: the variation is for any value of an attribute, and comes once for each.`);
    const stock = row.text('stock');
    if (stock !== '') warn(row, `${row.header('stock')}: ${stock} are shared by those; they are with the first.`);
  }
}

function visibilityOf(row: WooRow, warn: WooWarn): Pick<ProductImport, 'status' | 'published_at'> {
  const published = row.word('published', { '1': true, '0': false, '-1': false, true: true, false: false });
  const where = row.text('visibility').toLowerCase();
  if (where === 'catalog' || where === 'search') {
    warn(row, `${row.header('visibility')} "${where}": it is shown in lists and in the search alike.`);
  }
  if (published === false) return { status: 'draft' };
  return where === 'hidden' ? { status: 'active', published_at: null } : { status: 'active' };
}
