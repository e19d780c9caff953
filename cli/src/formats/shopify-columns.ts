import type { BOUNDS } from './bounds.ts';

/**
 * The columns of Shopify's product CSV that are used here, with their names over time: first the long-established one, then
 * that of the newer template. Metafields have columns of their own (shopify-metadata.ts); any other column with values causes a
 * warning.
 */
export const SHOPIFY_COLUMNS = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  body: ['Body (HTML)', 'Body HTML', 'Body', 'Description'],
  vendor: ['Vendor'],
  category: ['Product Category', 'Product category', 'Standard Product Type'],
  type: ['Type', 'Product type', 'Custom Product Type'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  option1Name: ['Option1 Name'],
  option1Value: ['Option1 Value'],
  option2Name: ['Option2 Name'],
  option2Value: ['Option2 Value'],
  option3Name: ['Option3 Name'],
  option3Value: ['Option3 Value'],
  sku: ['Variant SKU', 'SKU'],
  grams: ['Variant Grams', 'Weight value (grams)'],
  weightUnit: ['Variant Weight Unit', 'Weight unit for display'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker'],
  quantity: ['Variant Inventory Qty', 'Inventory quantity'],
  policy: ['Variant Inventory Policy', 'Continue selling when out of stock'],
  requiresShipping: ['Variant Requires Shipping', 'Requires shipping'],
  taxable: ['Variant Taxable', 'Charge tax'],
  price: ['Variant Price', 'Price'],
  compareAt: ['Variant Compare At Price', 'Compare-at price'],
  barcode: ['Variant Barcode', 'Variant Barcodes', 'Barcode', 'Barcodes'],
  cost: ['Cost per item', 'Variant Cost'],
  imageUrl: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
  imageAlt: ['Image Alt Text'],
  giftCard: ['Gift Card', 'Gift card'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
  variantImage: ['Variant Image', 'Variant image URL'],
} as const;

export type ShopifyColumn = keyof typeof SHOPIFY_COLUMNS;

/** The properties of a product that are the text of one cell, which may be empty. */
export const TEXT_COLUMNS = {
  vendor: 'vendor',
  product_type: 'type',
  seo_title: 'seoTitle',
  seo_description: 'seoDescription',
} as const satisfies Partial<Record<keyof typeof BOUNDS, ShopifyColumn>>;

export const TEXT_PROPERTIES = Object.keys(TEXT_COLUMNS) as (keyof typeof TEXT_COLUMNS)[];

/** Shopify's placeholder option of a product without options. */
export const NO_OPTION = { name: 'Title', value: 'Default Title' } as const;

/** The number of grams of each unit of the contract. */
export const GRAMS = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 } as const;

/** The tags of a cell. They are separated by commas; a tag with a comma is quoted, and quotes inside it are doubled. */
export function tagsOf(cell: string): string[] {
  const tags: string[] = [];
  const next = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/y;
  while (next.lastIndex < cell.length) {
    const [, quotedTag, plainTag = ''] = next.exec(cell) ?? [];
    const tag = quotedTag === undefined ? plainTag.trim() : quotedTag.replaceAll('""', '"');
    if (tag !== '' && !tags.includes(tag)) tags.push(tag);
  }
  return tags;
}

/** The cell that `tagsOf` reads as these tags. */
export function tagsCell(tags: string[]): string {
  return tags
    .map((tag) => (tag.includes(',') || tag.startsWith('"') ? `"${tag.replaceAll('"', '""')}"` : tag))
    .join(', ');
}

/** Shopify serves its own pictures by https, although old files have http or protocol-relative URLs. */
export function secure(address: string): string {
  return address.replace(/^(?:http:)?\/\/(?=cdn\.shopify\.com\/)/, 'https://');
}

/**
 * Removes the apostrophe with which spreadsheets keep the leading zeros of a number; Shopify writes SKUs and barcodes that way.
 */
export function codeOf(cell: string): string {
  return /^'+\d+$/.test(cell) ? cell.slice(1) : cell;
}

/** The cell that `codeOf` reads as this SKU or barcode. */
export function codeCell(code: string): string {
  return /^'+\d+$/.test(code) ? `'${code}` : code;
}
