import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { Schemas } from '@commerce-backend/sdk';

/**
 * Turns electronics products of Open Icecat, one JSON object per line as the Chorus project publishes them
 * (github.com/querqy/chorus), into the JSONL that `commerce products import` reads:
 *
 *   node examples/convert-icecat.ts products.jsonl.gz > products.jsonl
 */
interface Entry {
  product_id: string;
  title: string;
  brand?: string;
  description?: string;
  price_cents?: number;
  date_released?: string;
  ean?: string[];
  image?: string;
  attributes?: Record<string, unknown>;
}

const MOST_METADATA = 50;

const [file] = process.argv.slice(2);
if (!file) {
  process.stderr.write('Name the file: node examples/convert-icecat.ts products.jsonl.gz\n');
  process.exit(2);
}

const bytes = createReadStream(file);
const jsonl = await text(file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes);
// Split at LF only: the texts contain U+2028, at which readline splits as well.
for (const line of jsonl.split('\n').filter(Boolean)) {
  process.stdout.write(`${JSON.stringify(productOf(JSON.parse(line) as Entry))}\n`);
}

function productOf(entry: Entry): Schemas['ProductImport'] {
  const { product_id, title, brand, description, price_cents, ean, image, attributes } = entry;
  const type = attributes?.type;
  return {
    name: title.slice(0, 255),
    // Titles are not unique in the file, but slugs must be, so the id is appended.
    slug: `${slugOf(title)}-${slugOf(product_id)}`,
    description: description ?? '',
    vendor: brand ?? null,
    product_type: typeof type === 'string' ? type.slice(0, 255) : null,
    status: 'active',
    // Leaves out the price of a product without one, so that the import makes the product a draft.
    ...(price_cents !== undefined && { price: (price_cents / 100).toFixed(2) }),
    sku: product_id,
    barcode: ean?.[0] ?? null,
    track_inventory: false,
    // Imports require https for images. The file has http URLs, but the host serves https too.
    images: image ? [{ url: image.replace(/^http:/, 'https:'), alt: title.slice(0, 255) }] : [],
    metadata: metadataOf(attributes ?? {}),
  };
}

/** Returns the first attributes, limited to the number and length that the contract allows. */
function metadataOf(attributes: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(attributes).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(
    entries.slice(0, MOST_METADATA).map(([name, value]) => [name.slice(0, 100), String(value).slice(0, 500)]),
  );
}

function slugOf(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 200).replace(/-$/, '');
}
