import type { Product, Variant } from '@commerce-backend/spec';
import { gramsOf } from './decimals.ts';
import { htmlOfText } from './html-text.ts';
import {
  codeCell,
  GRAMS,
  NO_OPTION,
  plainCell,
  SHOPIFY_COLUMNS,
  type ShopifyColumn,
  safeCell,
  TEXT_COLUMNS,
  TEXT_PROPERTIES,
  tagsCell,
} from './shopify-columns.ts';
import { CATEGORY, GIFT_CARD, metafieldHeader } from './shopify-metadata.ts';

const COLUMNS = Object.keys(SHOPIFY_COLUMNS) as ShopifyColumn[];

type Row = Partial<Record<ShopifyColumn, string>>;

/**
 * The header and the rows of Shopify's product CSV: for each product, a row per variant or image. Importing them gives
 * the same products, except for data without a column: low-stock thresholds, image sizes, option values without a
 * variant, and the time of publication (`Published` states whether it is before `now`). Cells that start with `=`, `+`,
 * `-` or `@` are not changed, because another shop must get the same text. With `forSpreadsheets`, they get an
 * apostrophe as prefix, which this shop's import removes.
 */
export function shopifyRows(products: Product[], now: Date, { forSpreadsheets = false } = {}): string[][] {
  const cell = forSpreadsheets ? safeCell : plainCell;
  const names = new Set<string>();
  for (const { metadata } of products) {
    for (const [key, value] of Object.entries(metadata)) {
      if (key !== CATEGORY && !(key === GIFT_CARD && value === 'true')) names.add(key);
    }
  }
  const header = [...COLUMNS.map((column) => SHOPIFY_COLUMNS[column][0]), ...[...names].map(metafieldHeader)];
  const rows = products.flatMap((product) => {
    const facts = [...names].map((name) => product.metadata[name] ?? '');
    return rowsOf(product, now).map((row, index) => [
      ...COLUMNS.map((column) => row[column] ?? ''),
      ...(index === 0 ? facts : facts.map(() => '')),
    ]);
  });
  return [header, ...rows].map((cells) => cells.map(cell));
}

function rowsOf(product: Product, now: Date): Row[] {
  const count = Math.max(product.variants.length, product.images.length, 1);
  return Array.from({ length: count }, (_, index) => {
    const variant = product.variants[index];
    return {
      ...(index === 0 && productCells(product, now)),
      ...(variant && variantCells(variant, product)),
      ...imageCells(product.images[index]),
      handle: product.slug,
    };
  });
}

function productCells(product: Product, now: Date): Row {
  const published = product.published_at !== null && Date.parse(product.published_at) <= now.getTime();
  const names = product.has_variants ? product.options.map((option) => option.name) : [NO_OPTION.name];
  return {
    title: product.name,
    body: product.description_html ?? htmlOfText(product.description),
    category: product.metadata[CATEGORY] ?? '',
    giftCard: product.metadata[GIFT_CARD] === 'true' ? 'TRUE' : 'FALSE',
    ...Object.fromEntries(TEXT_PROPERTIES.map((property) => [TEXT_COLUMNS[property], product[property] ?? ''])),
    tags: tagsCell(product.tags),
    published: product.status === 'active' && published ? 'TRUE' : 'FALSE',
    status: product.status,
    option1Name: names[0] ?? '',
    option2Name: names[1] ?? '',
    option3Name: names[2] ?? '',
  };
}

function variantCells(variant: Variant, product: Product): Row {
  return {
    option1Value: product.has_variants ? (variant.option1 ?? '') : NO_OPTION.value,
    option2Value: variant.option2 ?? '',
    option3Value: variant.option3 ?? '',
    sku: codeCell(variant.sku ?? ''),
    grams: variant.weight === null ? '' : gramsOf(variant.weight, GRAMS[variant.weight_unit]),
    weightUnit: variant.weight_unit,
    tracker: product.track_inventory ? 'shopify' : '',
    quantity: String(variant.inventory_quantity),
    policy: variant.inventory_policy,
    requiresShipping: variant.requires_shipping ? 'TRUE' : 'FALSE',
    taxable: product.tax_class === 'zero' ? 'FALSE' : 'TRUE',
    price: variant.price,
    compareAt: variant.compare_at_price ?? '',
    barcode: codeCell(variant.barcode ?? ''),
    cost: variant.cost_per_item ?? '',
    variantImage: product.has_variants ? (variant.image_url ?? '') : '',
  };
}

function imageCells(image: Product['images'][number] | undefined): Row {
  if (!image) return {};
  return { imageUrl: image.url, imageAlt: image.alt ?? '', imagePosition: String(image.position) };
}
