import type { BOUNDS } from './bounds.ts';

/**
 * The columns of Shopify's product CSV that the import uses, with their long-established name and that in the newer
 * template. Metafields have separate columns (shopify-metadata.ts). All other columns with values cause a warning.
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

/** Product properties whose value is the text of one cell, which may be empty. */
export const TEXT_COLUMNS = {
  vendor: 'vendor',
  product_type: 'type',
  seo_title: 'seoTitle',
  seo_description: 'seoDescription',
} as const satisfies Partial<Record<keyof typeof BOUNDS, ShopifyColumn>>;

export const TEXT_PROPERTIES = Object.keys(TEXT_COLUMNS) as (keyof typeof TEXT_COLUMNS)[];

/** The option with which Shopify marks a product without options. */
export const NO_OPTION = { name: 'Title', value: 'Default Title' } as const;

/** Weight units of the contract in grams. */
export const GRAMS = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 } as const;

/** Parses a cell with tags. Commas separate tags. A tag with a comma is in quotes, in which quotes are doubled. */
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

/** Formats tags as a cell that `tagsOf` can parse. */
export function tagsCell(tags: string[]): string {
  return tags
    .map((tag) => (tag.includes(',') || tag.startsWith('"') ? `"${tag.replaceAll('"', '""')}"` : tag))
    .join(', ');
}

/** Converts an image URL of Shopify's CDN to https. Old files have http or protocol-relative URLs. */
export function secure(address: string): string {
  return address.replace(/^(?:http:)?\/\/(?=cdn\.shopify\.com\/)/, 'https://');
}

/**
 * Matches cells that spreadsheets would run as a formula, and such cells after apostrophes. Excludes negative numbers,
 * so that spreadsheets can add them up.
 */
const FORMULA = /^(?!-\d+(?:\.\d+)?$)'*[=+\-@\t\r]/;
const MARKED = /^'+(?!-\d+(?:\.\d+)?$)[=+\-@\t\r]/;

/** Formats a text as a cell that no spreadsheet runs as a formula. `textOfCell` returns the text. */
export function safeCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Formats a text as a cell that `textOfCell` can parse, without an apostrophe before a formula. */
export function plainCell(text: string): string {
  return MARKED.test(text) ? `'${text}` : text;
}

/** Removes the apostrophe that keeps spreadsheets from running a cell as a formula. */
export function textOfCell(cell: string): string {
  return MARKED.test(cell) ? cell.slice(1) : cell;
}

/** Removes the apostrophe before an SKU or barcode, which Shopify writes so that spreadsheets keep leading zeros. */
export function codeOf(cell: string): string {
  return /^'+\d+$/.test(cell) ? cell.slice(1) : cell;
}

/** Formats an SKU or barcode as a cell that `codeOf` can parse. */
export function codeCell(code: string): string {
  return /^'+\d+$/.test(code) ? `'${code}` : code;
}
