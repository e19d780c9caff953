import type { ImageInput, ProductImport, VariantInput } from '@commerce-backend/spec';
import { isMore, plainDecimal } from './decimals.ts';
import { metadataFrom, warningOf } from './facts.ts';
import { decodeEntities, textOfHtml } from './html-text.ts';
import type { MagentoColumn } from './magento-columns.ts';
import { categoriesOf, factsOf, imageUrlOf, optionNames, pairsOf, type Variation } from './magento-text.ts';
import type { ReadContext } from './reading.ts';
import type { RowReader } from './row-reader.ts';
import { slugOf } from './slug.ts';

export type MagentoRow = RowReader<MagentoColumn>;

/** A child row, and its option values in the parent's row. */
export type Child = { row: MagentoRow; variation: Variation };

/** Converts a simple, virtual or downloadable row that is not a variation to a product. */
export function simpleProductOf(row: MagentoRow, context: ReadContext): ProductImport {
  return {
    ...sharedOf(row, new Set(), context),
    ...imagesOf(row, [], context),
    ...trackingOf([row]),
    ...soldOf(row, context),
  };
}

/** Converts a configurable row to a product. Its children become variants, in the order of the list in that row. */
export function configurableProductOf(row: MagentoRow, children: Child[], context: ReadContext): ProductImport {
  const codes = [...new Set(children.flatMap(({ variation }) => variation.values.map(({ code }) => code)))];
  const names = optionNames(codes, row.text('configurable_variation_labels'));
  const optionValueOf = (child: Child, code: string | undefined) =>
    child.variation.values.find((pair) => pair.code === code)?.value || null;
  const variants = children.map((child): VariantInput => {
    const image_url = imageUrlOf(child.row.text('base_image'), context.baseImageUrl);
    return {
      option1: optionValueOf(child, codes[0]),
      option2: optionValueOf(child, codes[1]),
      option3: optionValueOf(child, codes[2]),
      ...soldOf(child.row, context, row),
      ...(image_url !== undefined && { image_url }),
    };
  });
  const options = codes.map((code, index) => {
    const values = children.map((child) => optionValueOf(child, code));
    if (values.includes(null)) row.refuse('configurable_variations', `A variation has no value for "${code}".`);
    return { name: names[index] ?? code, values: [...new Set(values.filter((value) => value !== null))] };
  });
  const rows = children.map((child) => child.row);
  return {
    ...sharedOf(row, new Set(codes), context),
    ...imagesOf(row, rows, context),
    ...trackingOf(rows),
    options,
    variants,
  };
}

/** Fields that products with and without variants have. */
function sharedOf(row: MagentoRow, optionCodes: Set<string>, context: ReadContext): ProductImport {
  const name = decodeEntities(row.text('name'));
  const attributes = pairsOf(row.text('additional_attributes'));
  const maker = attributes.find(({ code }) => code === 'manufacturer' || code === 'brand')?.value;
  const slug = slugOf(row.text('url_key')) || slugOf(name) || slugOf(row.text('sku'));
  const facts = factsOf(attributes, optionCodes).map(({ code, value }) => {
    return { key: code, value, column: `${row.header('additional_attributes')}, ${code}` };
  });
  const warn = (message: string) => context.warn(row.line, warningOf(message, slug, row.text('sku')));
  return {
    name,
    slug,
    description: textOfHtml(row.text('description') || row.text('short_description')),
    ...(row.has('additional_attributes') && { vendor: maker || null }),
    ...categoriesOf(row.text('categories')),
    metadata: metadataFrom(facts, warn),
    status: isOnline(row) ? 'active' : 'draft',
  };
}

/** Whether the product is enabled. Magento writes 1 for enabled, 2 or 0 for disabled; an empty cell means enabled. */
export function isOnline(row: MagentoRow): boolean {
  return ['', '1'].includes(row.text('product_online'));
}

function imagesOf(row: MagentoRow, children: MagentoRow[], context: ReadContext): Pick<ProductImport, 'images'> {
  const additional = row.text('additional_images').split(',');
  const labels = row.text('additional_image_labels').split(',');
  const named = [
    { name: row.text('base_image'), alt: row.text('base_image_label') },
    ...additional.map((name, index) => ({ name: name.trim(), alt: labels[index]?.trim() ?? '' })),
    ...children.map((child) => ({ name: child.text('base_image'), alt: child.text('base_image_label') })),
  ].filter(({ name }) => name !== '' && name !== 'no_selection');
  const images = new Map<string, ImageInput>();
  for (const { name, alt } of named) {
    const url = imageUrlOf(name, context.baseImageUrl);
    if (url === undefined || images.has(url)) continue;
    images.set(url, { url, alt: decodeEntities(alt) || null, position: images.size + 1 });
  }
  const dropped = new Set(named.map(({ name }) => name).filter((name) => !imageUrlOf(name, context.baseImageUrl)));
  if (dropped.size > 0) {
    context.warn(row.line, `Images left out: ${dropped.size}. The file has their names, not their addresses.`);
  }
  const isUnset = named.length === 0 && row.has('base_image');
  return images.size > 0 || isUnset ? { images: [...images.values()] } : {};
}

/** Stock is tracked unless every row overrides Magento's default and disables tracking. */
function trackingOf(rows: MagentoRow[]): Pick<ProductImport, 'track_inventory'> {
  const untracked = (row: MagentoRow) =>
    row.text('use_config_manage_stock') === '0' && row.text('manage_stock') === '0';
  return { track_inventory: !rows.every(untracked) };
}

/** SKU, prices, stock and shipping of a row. A missing price is taken from its parent. */
function soldOf(row: MagentoRow, context: ReadContext, parent?: MagentoRow): VariantInput {
  const backorders = row.text('use_config_backorders') === '0' && ['1', '2'].includes(row.text('allow_backorders'));
  const ownThreshold = row.text('use_config_notify_stock_qty') === '0';
  const threshold = ownThreshold ? row.whole('notify_on_stock_below') : undefined;
  const shipped = !['virtual', 'downloadable'].includes(row.text('product_type'));
  return {
    sku: row.text('sku'),
    ...pricesOf(row, context, parent),
    ...stockOf(row),
    inventory_policy: backorders ? 'continue' : 'deny',
    ...(threshold !== undefined && threshold >= 0 && { low_stock_threshold: threshold }),
    ...weightOf(row, context),
    requires_shipping: shipped,
  };
}

function pricesOf(row: MagentoRow, context: ReadContext, parent: MagentoRow | undefined): VariantInput {
  const regular = row.money('price') ?? parent?.money('price');
  const special = isSaleOn(row, context.now) ? row.money('special_price') : undefined;
  const onSale = regular !== undefined && special !== undefined && isMore(regular, special);
  const cost = row.money('cost');
  return {
    ...(regular !== undefined && { price: onSale ? special : regular }),
    compare_at_price: onSale ? regular : null,
    ...(row.has('cost') && { cost_per_item: cost ?? null }),
  };
}

function isSaleOn(row: MagentoRow, now: Date): boolean {
  const from = Date.parse(row.text('special_price_from_date'));
  const to = Date.parse(row.text('special_price_to_date'));
  // The sale includes its last day. A missing or invalid date means no limit.
  const end = to + 24 * 60 * 60 * 1000;
  return !(from > now.getTime()) && !(end <= now.getTime());
}

function stockOf(row: MagentoRow): VariantInput {
  const quantity = row.whole('qty');
  if (row.text('is_in_stock') === '0') return { inventory_quantity: Math.min(quantity ?? 0, 0) };
  return quantity === undefined ? {} : { inventory_quantity: quantity };
}

function weightOf(row: MagentoRow, context: ReadContext): VariantInput {
  const weight = row.decimal('weight');
  if (weight !== undefined) return { weight: plainDecimal(weight, 4), weight_unit: context.weightUnit };
  return row.has('weight') ? { weight: null } : {};
}
