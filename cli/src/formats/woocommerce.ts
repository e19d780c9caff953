import type { ProductImport, VariantInput, WeightUnit } from '@commerce-backend/spec';
import { BOUNDS } from './bounds.ts';
import type { CsvRow } from './csv-records.ts';
import { isMore, plainDecimal } from './decimals.ts';
import { type Fact, metadataFrom, warningOf } from './facts.ts';
import { decodeEntities, textOfHtml } from './html-text.ts';
import { judged } from './judge.ts';
import { KeyTable } from './key-table.ts';
import type { Read, ReadContext } from './reading.ts';
import { type Columns, type FieldError, findColumns, RowReader } from './row-reader.ts';
import { slugOf } from './slug.ts';
import {
  type AttributeColumns,
  attributeColumnsOf,
  losesNothing,
  otherColumnsOf,
  WOOCOMMERCE_COLUMNS,
  type WooColumn,
} from './woocommerce-columns.ts';
import { listOf, optionsOf, type Variation, variationsOf } from './woocommerce-variations.ts';

type WooRow = RowReader<WooColumn>;
type Warn = (row: WooRow, message: string) => void;

/** What a file has, and how to read it. */
interface Layout {
  columns: Columns<WooColumn>;
  attributes: AttributeColumns[];
  others: (ReturnType<typeof otherColumnsOf>[number] & { rows: number; line: number })[];
  context: ReadContext;
  warn: Warn;
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
  weight: 'kg',
};

/** The products of WooCommerce's product CSV. Variations, wherever they stand in the file, become variants of their parent. */
export async function* readWooCommerce(
  header: string[],
  rows: AsyncIterable<CsvRow>,
  context: ReadContext,
): AsyncGenerator<Read> {
  const columns = findColumns(header, WOOCOMMERCE_COLUMNS);
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
    warn: (row, message) => context.warn(row.line, message),
  };
  const parents: WooRow[] = [];
  const children = new Map<string, WooRow[]>();
  for await (const { line, cells, problem } of rows) {
    if (problem !== undefined) {
      yield { line, errors: [{ line, field: 'row', message: problem }] };
      continue;
    }
    const row: WooRow = new RowReader(columns, line, cells);
    noteOthers(row, layout);
    if (!/\bvariation\b/i.test(row.text('type'))) parents.push(row);
    else children.set(row.text('parent'), [...(children.get(row.text('parent')) ?? []), row]);
  }
  const slugs = new KeyTable();
  for (const parent of parents) {
    const names = [parent.text('sku'), `id:${parent.text('id')}`].filter((name) => name !== '');
    const own = names.flatMap((name) => children.get(name) ?? []);
    for (const name of names) children.delete(name);
    yield productOf(parent, own, layout, slugs);
  }
  for (const [name, orphans] of children) {
    for (const { line } of orphans) {
      const message = `No product of the file has the SKU or id "${name}".`;
      yield { line, errors: [{ line, field: columns.get('parent')?.header ?? 'Parent', message }] };
    }
  }
  for (const { header: title, rows: count, line } of others) {
    if (count > 0)
      context.warn(line, `${title}: this column is not kept; ${count} rows have a value in it, this is the first.`);
  }
}

function noteOthers(row: WooRow, { others }: Layout): void {
  for (const column of others) {
    if (column.meta !== undefined || losesNothing(column.header, row.cell(column.index))) continue;
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
  if (type.includes('variable') && variations.length === 0) warn(row, 'No variation of this product is in the file.');
  const isTracked = [row, ...variations].some((each) => each.text('stock') !== '' || each.text('inStock') === '0');
  const sold = (each: WooRow) => soldOf(each, row, isTracked, layout);
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
    ...visibilityOf(row),
    ...(row.text('taxStatus') === 'none' && { tax_class: 'zero' }),
    track_inventory: isTracked,
    images: [...new Set([...images, ...variations.flatMap((each) => listOf(each.text('images')))])].map((url, i) => ({
      url,
      alt: null,
      position: i + 1,
    })),
    metadata: metadataOf(row, options, categories, layout),
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
  return judged({ line: row.line, product, errors, placeOf, distinct }, slugs, layout.context);
}

function warnOfLength(row: WooRow, html: string, warn: Warn): void {
  if (html.length <= BOUNDS.description_html) return;
  const words = `it has more than ${BOUNDS.description_html} characters: its text alone is kept.`;
  warn(row, `${row.header('description')}: ${words}`);
}

/** A row that stands for several variants has one SKU and one stock. */
function warnOfShared(variants: Variation[], warn: Warn): void {
  for (const { row, place } of variants) {
    if (place !== 'first') continue;
    warn(row, `${row.header('type')}: the variation is for any value of an attribute, and comes once for each.`);
    const stock = row.text('stock');
    if (stock !== '') warn(row, `${row.header('stock')}: ${stock} are shared by those; they are with the first.`);
  }
}

function visibilityOf(row: WooRow): Pick<ProductImport, 'status' | 'published_at'> {
  const published = row.word('published', { '1': true, '0': false, '-1': false, true: true, false: false });
  if (published === false) return { status: 'draft' };
  return row.text('visibility') === 'hidden' ? { status: 'active', published_at: null } : { status: 'active' };
}

const BACKORDERS = { '1': true, '0': false, notify: true, yes: true, no: false } as const;

function soldOf(row: WooRow, parent: WooRow, isTracked: boolean, { warn, context }: Layout): VariantInput {
  const quantity = row.whole('stock');
  const isCounted = quantity !== undefined || row.text('inStock') === '0';
  const beyond = row.word('backorders', BACKORDERS) ?? false;
  const policy = beyond || (isTracked && !isCounted) ? 'continue' : 'deny';
  if (quantity !== undefined && quantity < 0 && policy === 'deny') {
    warn(row, `${row.header('stock')} ${quantity}: stock below zero becomes 0.`);
  }
  return {
    sku: row.text('sku') || null,
    barcode: row.text('barcode') || null,
    ...pricesOf(row, context.now, warn),
    ...(quantity !== undefined && { inventory_quantity: policy === 'deny' ? Math.max(0, quantity) : quantity }),
    inventory_policy: policy,
    ...(row.text('lowStock') !== '' && { low_stock_threshold: Math.max(0, row.whole('lowStock') ?? 0) }),
    ...(weightOf(row) ?? weightOf(parent)),
    ...(/virtual|downloadable/i.test(row.text('type')) && { requires_shipping: false }),
  };
}

function pricesOf(row: WooRow, now: Date, warn: Warn): VariantInput {
  const price = row.money('price');
  const sale = row.money('salePrice');
  if (price === undefined && row.text('price') === '') row.refuse('price', 'The price is missing.');
  if (price === undefined || sale === undefined) return { ...(price && { price }), compare_at_price: null };
  const starts = Date.parse(row.text('saleStarts'));
  const ends = Date.parse(row.text('saleEnds'));
  if (starts > now.getTime() || ends < now.getTime()) {
    warn(row, `${row.header('salePrice')}: ${sale} does not hold now and is left out.`);
    return { price, compare_at_price: null };
  }
  if (isMore(price, sale)) return { price: sale, compare_at_price: price };
  warn(row, `${row.header('salePrice')}: ${sale} is not below the price ${price} and is left out.`);
  return { price, compare_at_price: null };
}

function weightOf(row: WooRow): VariantInput | undefined {
  const unit = (['kg', 'g', 'lb', 'oz'] as WeightUnit[]).find((name) => row.text(name as WooColumn) !== '');
  const number = unit && row.decimal(unit as WooColumn);
  return number === undefined ? undefined : { weight: plainDecimal(number, 8), weight_unit: unit as WeightUnit };
}

function metadataOf(row: WooRow, options: string[], categories: string[], { attributes, others, warn }: Layout) {
  const all = categories.length > 1 ? categories.join(', ') : '';
  const short = row.text('description') ? textOfHtml(row.text('shortDescription')) : '';
  const facts: Fact[] = [
    { key: 'category', value: categories[0] ?? '', column: row.header('categories') },
    { key: 'categories', value: all, column: row.header('categories') },
    { key: 'short_description', value: short, column: row.header('shortDescription') },
    ...attributes
      .map(({ name, values, header }) => ({ key: row.cell(name), value: row.cell(values), column: header }))
      .filter(({ key }) => key !== '' && !options.includes(key)),
    ...others.flatMap(({ meta, index, header }) =>
      meta ? [{ key: meta, value: row.cell(index), column: header }] : [],
    ),
  ];
  const slug = slugOf(decodeEntities(row.text('name')));
  return metadataFrom(facts, (message) => warn(row, warningOf(message, slug, row.text('sku'))));
}
