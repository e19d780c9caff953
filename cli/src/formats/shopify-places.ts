import type { PlaceOf } from './reading.ts';
import type { Columns } from './row-reader.ts';
import { SHOPIFY_COLUMNS, type ShopifyColumn, TEXT_COLUMNS } from './shopify-columns.ts';

const COLUMN_OF: Record<string, ShopifyColumn> = {
  name: 'title',
  slug: 'handle',
  description: 'body',
  description_html: 'body',
  ...TEXT_COLUMNS,
  metadata: 'category',
  tags: 'tags',
  status: 'status',
  published_at: 'published',
  track_inventory: 'tracker',
  taxable: 'taxable',
  url: 'imageUrl',
  alt: 'imageAlt',
  images: 'imageUrl',
  image_url: 'variantImage',
  sku: 'sku',
  barcode: 'barcode',
  price: 'price',
  compare_at_price: 'compareAt',
  cost_per_item: 'cost',
  inventory_quantity: 'quantity',
  inventory_policy: 'policy',
  weight: 'grams',
  weight_unit: 'weightUnit',
  requires_shipping: 'requiresShipping',
  options: 'option1Name',
  variants: 'option1Value',
  option1: 'option1Value',
  option2: 'option2Value',
  option3: 'option3Value',
};

/** The column of a product, variant or image property. */
export function columnOf(property: string): ShopifyColumn {
  return COLUMN_OF[property] ?? 'handle';
}

/** The column's name in the file, or Shopify's name if the file does not have it. */
export function headerOf(columns: Columns<ShopifyColumn>, column: ShopifyColumn): string {
  return columns.get(column)?.header ?? SHOPIFY_COLUMNS[column][0];
}

const NAMES = ['option1Name', 'option2Name', 'option3Name'] as const;

/**
 * Returns a function that maps parts of a product to lines of the file. The function keeps no cells in memory, because
 * each product of the file has its own.
 */
export function placesIn(columns: Columns<ShopifyColumn>, line: number, variantLines: number[]): PlaceOf {
  return (loc) => {
    const [list, at] = loc;
    if (list === 'options' && typeof at === 'number') {
      return { line, field: headerOf(columns, NAMES[at] ?? 'option1Name') };
    }
    const property = loc.findLast((part) => typeof part === 'string' && part in COLUMN_OF);
    const variantLine = list === 'variants' && typeof at === 'number' ? variantLines[at] : undefined;
    return { line: variantLine ?? line, field: headerOf(columns, columnOf(String(property ?? 'slug'))) };
  };
}
