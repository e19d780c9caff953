import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import sharp, { type Create } from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { FILES_DIR, testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import type { Jobs } from '../jobs/run.ts';
import { deleteUnused } from '../shop/files/unused.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';

type TestShop = Awaited<ReturnType<typeof openShop>>;

let jobs: Jobs;
beforeAll(async () => {
  jobs = await workJobs();
});
afterAll(() => jobs.stop());

const photo = (width: number, height: number, rest: Partial<Create> = {}) =>
  sharp({ create: { width, height, channels: 3, background: '#a63', ...rest } });

/** A copy of the JPEG with another size in its header. */
function claiming(width: number, height: number, jpeg: Buffer): Buffer {
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  jpeg.writeUInt16BE(height, frame + 5);
  jpeg.writeUInt16BE(width, frame + 7);
  return jpeg;
}

async function announce(shop: TestShop, content: Buffer, content_type: 'image/jpeg' | 'image/png' = 'image/jpeg') {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const body = { filename: 'mug.jpg', content_type, bytes: content.length, sha256 };
  const { data, error } = await shop.dashboard.POST('/api/dashboard/files', { body });
  if (!data) throw new Error(JSON.stringify(error));
  // The test server's base URL is http://localhost, but it listens on another port.
  return { ...data, upload_url: data.upload_url.replace('http://localhost', shop.baseUrl) };
}

async function put(url: string, content: Buffer) {
  const response = await fetch(url, { method: 'PUT', body: new Uint8Array(content) });
  return { status: response.status, body: (await response.json()) as { detail?: { type: string }[] } };
}

async function upload(shop: TestShop, content: Buffer, content_type?: 'image/jpeg' | 'image/png') {
  const { id, upload_url } = await announce(shop, content, content_type);
  expect(await put(upload_url, content)).toMatchObject({ status: 200, body: { id, status: 'processing' } });
  return id;
}

async function fileOf({ dashboard }: TestShop, file_id: string) {
  const { data } = await dashboard.GET('/api/dashboard/files/{file_id}', { params: { path: { file_id } } });
  return data;
}

async function done(shop: TestShop, id: string) {
  await expect.poll(async () => (await fileOf(shop, id))?.status, { timeout: 20_000 }).toMatch(/ready|failed/);
  return fileOf(shop, id);
}

async function addImage(
  shop: TestShop,
  product_id: string,
  body: { file_id: string; position?: number; alt?: string },
) {
  const params = { path: { product_id } };
  return shop.dashboard.POST('/api/dashboard/products/{product_id}/images', { params, body });
}

async function imagesOf({ dashboard }: TestShop, product_id: string) {
  const { data } = await dashboard.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id } } });
  return data?.images ?? [];
}

test('turns a photo into upright images of three widths without metadata', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct({ images: [{ url: 'https://shop.example/old.jpg' }] });
  const content = await photo(2000, 1000)
    .withExif({ IFD0: { Copyright: 'Okafor' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const id = await upload(shop, content);
  const added = await addImage(shop, product.id, { file_id: id, position: 1, alt: 'A mug' });
  expect(added.response.status).toBe(201);
  const file = await done(shop, id);
  await expect.poll(async () => (await imagesOf(shop, product.id))[0]?.status).toBe('ready');

  const [image, old] = await imagesOf(shop, product.id);
  expect(image).toMatchObject({ alt: 'A mug', position: 1, url: file?.url, sources: file?.sources });
  expect(image).toMatchObject({ width: file?.width, height: file?.height });
  expect(old).toMatchObject({ position: 2, url: 'https://shop.example/old.jpg' });
  expect(file?.sources.map(({ width, height }) => [width, height])).toEqual([
    [320, 640],
    [640, 1280],
    [1000, 2000],
  ]);
  const shown = await shop.storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: product.slug } },
  });
  expect(shown.data?.images[0]).toEqual({ ...image, status: undefined });

  for (const { url, width } of file?.sources ?? []) {
    const response = await fetch(url.replace('http://localhost', shop.baseUrl));
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const about = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    expect(about).toMatchObject({ format: 'webp', width });
    expect([about.exif, about.xmp, about.icc, about.orientation]).toEqual([undefined, undefined, undefined, undefined]);
  }
  const site = join(FILES_DIR, 'files', shop.site_id);
  const kept = readdirSync(site, { recursive: true }).filter((name) => /\.|original/.test(String(name)));
  expect(kept).toHaveLength(3);
});

test('an upload URL accepts the announced bytes once, and no other bytes', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const content = await photo(40, 40).jpeg().toBuffer();
  const { id, upload_url } = await announce(shop, content);

  const other = Buffer.from(content);
  other.writeUInt8(other.readUInt8(30) ^ 1, 30);
  expect((await put(upload_url, other)).body.detail?.[0]?.type).toBe('wrong_sha256');
  expect((await put(upload_url, Buffer.concat([content, content]))).body.detail?.[0]?.type).toBe('wrong_length');
  expect((await put(upload_url.replace(/.{4}$/, 'AAAA'), content)).status).toBe(404);
  expect((await put(upload_url.replace(shop.site_id, neighbour.site_id), content)).status).toBe(404);
  expect((await fileOf(shop, id))?.status).toBe('awaiting_upload');
  const product = await shop.givenProduct();
  expect((await addImage(shop, product.id, { file_id: id })).error).toMatchObject({
    detail: [{ loc: ['body', 'file_id'], type: 'file_not_uploaded' }],
  });

  const both = await Promise.all([put(upload_url, content), put(upload_url, content)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await put(upload_url, content)).status).toBe(409);
  expect((await done(shop, id))?.sources).toMatchObject([{ width: 40 }]);
  expect(await fileOf(neighbour, id)).toBeUndefined();
  const foreign = await neighbour.givenProduct();
  expect((await addImage(neighbour, foreign.id, { file_id: id })).error).toMatchObject({
    detail: [{ type: 'file_unknown' }],
  });

  const late = await announce(shop, content);
  await shop.owner.query('update commerce.files set expires_at = now() where id = $1', [late.id]);
  expect((await put(late.upload_url, content)).status).toBe(410);
});

test('slow uploads of a shop do not block other shops', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const content = await photo(40, 40).jpeg().toBuffer();
  const { upload_url } = await announce(shop, content);
  const elsewhere = await announce(neighbour, content);
  const statuses: (number | undefined)[] = [];
  const slow = Array.from({ length: 40 }, () => {
    const sent = request(upload_url, { method: 'PUT', headers: { 'Content-Length': content.length } });
    sent.on('response', (response) => statuses.push(response.resume().statusCode)).on('error', () => undefined);
    sent.write(content.subarray(0, 1));
    return sent;
  });
  try {
    await expect.poll(() => statuses, { timeout: 10_000 }).toEqual(Array(24).fill(503));
    expect((await put(elsewhere.upload_url, content)).status).toBe(200);
    expect((await put(upload_url, content)).status).toBe(503);
  } finally {
    for (const sent of slow) sent.destroy();
  }
  await expect.poll(async () => (await put(upload_url, content)).status, { timeout: 10_000 }).toBe(200);
});

test.for([
  ['unreadable', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['unreadable', async () => (await photo(400, 400).jpeg().toBuffer()).subarray(0, 900)],
  ['wrong_type', () => photo(40, 40).png().toBuffer()],
  ['too_large', async () => claiming(10_000, 6_000, await photo(40, 40).jpeg().toBuffer())],
] as const)(
  'a file that fails processing (%s) leaves the product unchanged and returns the reason',
  { timeout: 30_000 },
  async ([code, make]) => {
    const shop = await openShop();
    const product = await shop.givenProduct({ images: [{ url: 'https://shop.example/old.jpg' }] });
    const before = await shop.dashboard.GET('/api/dashboard/products/{product_id}', {
      params: { path: { product_id: product.id } },
    });
    const id = await upload(shop, await make());
    await addImage(shop, product.id, { file_id: id });

    expect((await done(shop, id))?.failure).toMatchObject({ code, message: expect.stringMatching(/\.$/) });
    const after = await shop.dashboard.GET('/api/dashboard/products/{product_id}', {
      params: { path: { product_id: product.id } },
    });
    expect(after.data).toEqual(before.data);
    expect((await addImage(shop, product.id, { file_id: id })).error).toMatchObject({
      detail: [{ type: 'file_failed' }],
    });
  },
);

test('limits the storage of a shop, and deleting files frees space', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  const usage = async () => {
    const { rows } = await owner.query('select bytes::int from commerce.file_usage where site_id = $1', [site_id]);
    return rows[0]?.bytes;
  };
  const product = await shop.givenProduct();
  const id = await upload(
    shop,
    await photo(700, 700, { noise: { type: 'gaussian', mean: 9, sigma: 9 } })
      .jpeg()
      .toBuffer(),
  );
  const file = await done(shop, id);
  const kept = await usage();
  await addImage(shop, product.id, { file_id: id });
  await announce(shop, Buffer.alloc(1000));
  expect(await usage()).toBe(kept + 1000);

  await owner.query('update commerce.file_usage set limit_bytes = bytes + 10 where site_id = $1', [site_id]);
  await expect(announce(shop, Buffer.alloc(11))).rejects.toThrow('limit_reached');
  expect(await usage()).toBe(kept + 1000);

  // An export contains only image URLs. Importing it must not change the images.
  const [image] = await imagesOf(shop, product.id);
  const row = {
    name: product.name,
    slug: product.slug,
    price: '10.00',
    images: [{ url: image?.url ?? '' }, { url: 'https://a.example/b' }],
  };
  await shop.dashboard.POST('/api/dashboard/products/import', { body: { products: [row] } });
  expect((await imagesOf(shop, product.id))[0]).toMatchObject({ url: file?.url, sources: file?.sources });

  const sweep = async () => {
    await owner.query(`update commerce.files set expires_at = now() - interval '2 hours',
      unused_since = unused_since - interval '2 days' where site_id = '${site_id}'`);
    return inShopAsSystem((await testServer()).db, site_id, deleteUnused);
  };
  expect(await sweep()).toBe(1);
  expect(await usage()).toBe(kept);
  await shop.givenOrder();
  await owner.query('update commerce.order_lines set image_url = $1 where site_id = $2', [file?.url, site_id]);
  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', { params: { path: { product_id: product.id } } });
  expect([await sweep(), await sweep(), await sweep()]).toEqual([0, 0, 0]);
  const url = String(file?.url).replace('http://localhost', shop.baseUrl);
  expect((await fetch(url)).status).toBe(200);
  await owner.query('update commerce.order_lines set image_url = null where site_id = $1', [site_id]);
  await owner.query('update commerce.files set in_orders = false where site_id = $1', [site_id]);
  expect([await sweep(), await sweep()]).toEqual([0, 1]);
  expect(await usage()).toBe(0);
  await expect.poll(async () => (await fetch(url)).status).toBe(404);
});

test('rejects an image URL with http (422) unless it is already stored, and an import converts it to https', async () => {
  const shop = await openShop();
  const address = 'http://shop.example/mug.jpg';
  const { data, error } = await shop.dashboard.POST('/api/dashboard/products', {
    body: { name: 'Mug', price: '1.00', images: [{ url: address }, { url: 'http://localhost/demo-images/mug.svg' }] },
  });
  expect({ data, error }).toMatchObject({
    error: { detail: [{ loc: ['body', 'images', 0, 'url'], type: 'value_error' }] },
  });
  const product = await shop.givenProduct({ images: [{ url: 'https://shop.example/mug.jpg' }] });
  const params = { path: { product_id: product.id } };
  const refused = await shop.dashboard.POST('/api/dashboard/products/{product_id}/images', {
    params,
    body: { url: address },
  });
  expect(refused.error).toMatchObject({ detail: [{ loc: ['body', 'url'] }] });
  const row = { name: 'Mug', slug: product.slug, price: '10.00', images: [{ url: address }] };
  const imported = () => shop.dashboard.POST('/api/dashboard/products/import', { body: { products: [row] } });
  expect((await imported()).data?.results[0]?.status).toBe('unchanged');

  await shop.owner.query('update commerce.product_images set url = $1 where product_id = $2', [address, product.id]);
  expect((await imported()).data?.results[0]?.status).not.toBe('failed');
});

test('an image of one shop is processed before the remaining images of another shop', async () => {
  const content = await photo(400, 300).jpeg().toBuffer();
  await jobs.stop();
  const [busy, other] = [await openShop(), await openShop()];
  const many: string[] = [];
  for (let n = 0; n < 12; n += 1) many.push(await upload(busy, content));
  const one = await upload(other, content);
  const prioritiesOf = async ({ site_id }: TestShop) => {
    const { rows } = await busy.owner.query<{ priority: number }>(
      `select priority from graphile_worker._private_jobs where payload->>'site_id' = $1 order by id`,
      [site_id],
    );
    return rows.map(({ priority }) => priority);
  };
  expect(await prioritiesOf(busy)).toEqual(many.map((_, place) => place));
  expect(await prioritiesOf(other)).toEqual([0]);
  jobs = await workJobs();

  await done(other, one);
  const all = await Promise.all(many.map((id) => done(busy, id)));

  expect(all.every((file) => file?.status === 'ready')).toBe(true);
  const { rows: order } = await busy.owner.query<{ id: string }>(
    'select id from commerce.files where id = any($1::uuid[]) order by changed_at',
    [[...many, one]],
  );
  expect(order.findIndex(({ id }) => id === one)).toBeLessThan(4);
});
