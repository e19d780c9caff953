export type Format = 'shopify' | 'woocommerce' | 'magento' | 'google' | 'jsonl';

const SHOPIFY = ['url handle', 'body (html)', 'option1 name', 'variant sku', 'variant price', 'image src'];
const WOOCOMMERCE = ['regular price', 'in stock?', 'backorders allowed?', 'visibility in catalog'];
const GOOGLE = ['image_link', 'image link', 'availability', 'google_product_category', 'google product category'];
const MAGENTO = ['product_type', 'attribute_set_code', 'additional_attributes', 'configurable_variations'];

/**
 * Detects the format of a product file from the beginning of its text. If that is not enough, the ending .jsonl or
 * .ndjson of its name means JSON Lines. Undefined if the format is unknown.
 */
export function detectFormat(header: string, fileName: string): Format | undefined {
  const start = header.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('{')) return 'jsonl';
  if (start.startsWith('[')) return undefined;
  if (start.startsWith('<')) return /base\.google\.com\/ns|<g:id|<(?:rss|feed)\b/i.test(start) ? 'google' : undefined;
  const columns = columnsOf(start);
  if (columns.has('sku') && MAGENTO.some((column) => columns.has(column))) return 'magento';
  if (columns.has('name') && WOOCOMMERCE.some((column) => columns.has(column))) return 'woocommerce';
  const named = columns.has('handle') || columns.has('title') || columns.has('url handle');
  if (named && SHOPIFY.some((column) => columns.has(column))) return 'shopify';
  if (columns.has('id') && columns.has('title') && GOOGLE.some((column) => columns.has(column))) return 'google';
  return /\.(?:jsonl|ndjson)$/i.test(fileName) ? 'jsonl' : undefined;
}

/** The delimiter of a CSV header: the most frequent of comma, semicolon and tab. */
export function delimiterOf(header: string): string {
  const line = firstLine(header);
  const count = (character: string) => line.split(character).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** Column names of a CSV header in lower case. */
export function columnsOf(header: string): Set<string> {
  const cells = firstLine(header).split(delimiterOf(header));
  return new Set(cells.map((cell) => cell.trim().replace(/^"|"$/g, '').trim().toLowerCase()));
}

function firstLine(text: string): string {
  return text.trimStart().split(/\r\n|\n|\r/, 1)[0] ?? '';
}
