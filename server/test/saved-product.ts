/** Functions for tests that save a product as a whole. */

import { createHash } from 'node:crypto';
import type { ProductReplacement } from '@commerce-backend/spec';
import type { openShop } from './shop.ts';

export const PRODUCT = '/api/dashboard/products/{product_id}';

export type TestShop = Awaited<ReturnType<typeof openShop>>;

export async function readProduct({ dashboard }: TestShop, product_id: string) {
  const { data, response } = await dashboard.GET(PRODUCT, { params: { path: { product_id } } });
  if (!data) throw new Error('The product is gone.');
  return { product: data, etag: tagIn(response) };
}

/** The ETag without the `W/` that compression adds. */
export function tagIn(response: Response): string {
  return (response.headers.get('ETag') ?? '').replace(/^W\//, '');
}

/** Saves a product based on its current version, or on the given one. */
export async function save(shop: TestShop, product_id: string, body: ProductReplacement, etag?: string) {
  const header = { 'If-Match': etag ?? (await readProduct(shop, product_id)).etag };
  return shop.dashboard.PUT(PRODUCT, { params: { path: { product_id }, header }, body });
}

/** Creates a product in two sizes and two colours, with images. */
export function givenTee(shop: TestShop) {
  return shop.givenProduct({
    name: 'Tee',
    price: '20.00',
    compare_at_price: '25.00',
    tags: ['summer'],
    metadata: { care: 'cold' },
    description: 'A tee.',
    options: [
      { name: 'Size', values: ['S', 'M'] },
      { name: 'Colour', values: ['Red', 'Blue'] },
    ],
    variants: [
      { option1: 'S', option2: 'Red', sku: 'TEE-S-R', inventory_quantity: 3 },
      { option1: 'S', option2: 'Blue', sku: 'TEE-S-B', inventory_quantity: 4 },
      { option1: 'M', option2: 'Red', sku: 'TEE-M-R', inventory_quantity: 5, barcode: '4006381333931' },
      { option1: 'M', option2: 'Blue', sku: 'TEE-M-B', inventory_quantity: 6 },
    ],
    images: [
      { url: 'https://a.example/1.jpg', alt: 'Front' },
      { url: 'https://a.example/2.jpg', alt: 'Back' },
      { url: 'https://a.example/3.jpg' },
    ],
  });
}

/** Uploads a file whose state stays `processing`, because tests that use it run no jobs. */
export async function givenProcessingFile({ dashboard, baseUrl }: TestShop): Promise<string> {
  const content = Buffer.from('not yet read by anybody');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { data } = await dashboard.POST('/api/dashboard/files', {
    body: { filename: 'tee.jpg', content_type: 'image/jpeg', bytes: content.length, sha256 },
  });
  const url = data?.upload_url.replace('http://localhost', baseUrl) ?? '';
  const { status } = await fetch(url, { method: 'PUT', body: new Uint8Array(content) });
  if (!data || status !== 200) throw new Error('The upload was refused.');
  return data.id;
}

/** Reads every row of a shop, except rows about requests. */
export async function rowsOf({ owner, site_id }: TestShop): Promise<Record<string, string[]>> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'site_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'commerce'::regnamespace
        and c.relname <> all($1) order by 1`,
    [OF_CALLS],
  );
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: string }>(
      `select t::text as row from commerce.${name} t where site_id = $1 order by 1`,
      [site_id],
    );
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

const OF_CALLS = ['audit_events', 'idempotency_keys', 'site_usage', 'tokens', 'rate_counts'];
