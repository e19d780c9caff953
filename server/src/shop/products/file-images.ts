/**
 * Images from uploaded files. While a file is being processed, its image is stored in `pending_images` with its future
 * position and text. The product changes only when the file is ready. If the processing fails, the product does not
 * change.
 */

import type { NewImage, Product } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import { newId } from '../../db/new-id.ts';
import { ValidationError } from '../errors.ts';
import { sentenceOf } from '../files/failures.ts';
import type { Shop } from '../shop.ts';
import type { Place } from './mistakes.ts';
import * as products from './products.ts';

interface ImageFile {
  status: 'awaiting_upload' | 'processing' | 'ready' | 'failed';
  failure: Parameters<typeof sentenceOf>[0] | null;
  url: string | null;
}

/**
 * Returns the URL of a file; null while it is being processed. Locks the file until the transaction ends. Throws a
 * ValidationError at `loc` if the file is unknown, not uploaded or failed.
 */
export async function addressOfFile(shop: Shop, file_id: string, loc: Place = ['body']): Promise<string | null> {
  const refused = (type: string, msg: string) => new ValidationError([{ loc: [...loc, 'file_id'], msg, type }]);
  const file = await shop.one<ImageFile>(
    sql`select status, failure, url from files where site_id = ${shop.siteId} and id = ${file_id} for share`,
  );
  if (!file) throw refused('file_unknown', 'There is no such file.');
  if (file.status === 'awaiting_upload') throw refused('file_not_uploaded', 'Upload the file first.');
  if (file.status === 'failed')
    throw refused('file_failed', file.failure ? sentenceOf(file.failure) : 'The file has failed.');
  return file.url;
}

interface Waiting extends Pick<NewImage, 'alt'> {
  file_id: string;
  position: number;
}

export async function wait(shop: Shop, product_id: string, { file_id, alt = null, position }: Waiting): Promise<void> {
  await shop.run(
    sql`insert into pending_images (site_id, id, product_id, file_id, alt, position)
      values (${shop.siteId}, ${newId()}, ${product_id}, ${file_id}, ${alt}, ${position})`,
  );
}

export async function countWaiting(shop: Shop, product_id: string): Promise<number> {
  const row = await shop.one<{ count: number }>(
    sql`select count(*)::int as count from pending_images where site_id = ${shop.siteId} and product_id = ${product_id}`,
  );
  return row?.count ?? 0;
}

/** An existing image that waits for its file, or a new one. */
export type WaitingPlan = Waiting | { id: string; alt: string | null; position: number };

/** Replaces the images of a product that wait for their files. */
export async function replaceWaiting(shop: Shop, product_id: string, planned: WaitingPlan[]): Promise<void> {
  const kept = planned.flatMap((image) => ('id' in image ? [image.id] : []));
  await shop.run(
    sql`delete from pending_images where site_id = ${shop.siteId} and product_id = ${product_id}
      and not (id = any(${kept}::uuid[]))`,
  );
  for (const image of planned) {
    if ('id' in image) await updateWaiting(shop, product_id, image.id, image);
    else await wait(shop, product_id, image);
  }
}

/** Updates an image that waits for its file. Returns whether there is one. */
export async function updateWaiting(
  shop: Shop,
  product_id: string,
  id: string,
  { alt, position }: { alt?: string | null | undefined; position?: number | undefined },
): Promise<boolean> {
  const updated = await shop.run(
    sql`update pending_images set alt = case when ${alt !== undefined} then ${alt ?? null} else alt end,
        position = coalesce(${position ?? null}::int, position)
      where site_id = ${shop.siteId} and product_id = ${product_id} and id = ${id}`,
  );
  return updated > 0;
}

export async function removeWaiting(shop: Shop, product_id: string, id: string): Promise<boolean> {
  const removed = await shop.run(
    sql`delete from pending_images where site_id = ${shop.siteId} and product_id = ${product_id} and id = ${id}`,
  );
  return removed > 0;
}

/**
 * Returns a product with images that wait for their files (status processing). These are read first, so that an image
 * whose file becomes ready in between is found twice rather than not at all. Throws `not_found`.
 */
export async function getWithWaiting(shop: Shop, product_id: string, baseUrl: string): Promise<Product> {
  const [waiting, product] = await together(readWaiting(shop, product_id, baseUrl), products.get(shop, product_id));
  return merge(product, waiting);
}

/** Like `getWithWaiting`, for a product that the caller has locked and read. */
export async function withWaiting(shop: Shop, product: Product, baseUrl: string): Promise<Product> {
  return merge(product, await readWaiting(shop, product.id, baseUrl));
}

async function readWaiting(shop: Shop, product_id: string, baseUrl: string): Promise<Product['images']> {
  const waiting = await shop.rows<{ id: string; alt: string | null; position: number; path: string }>(
    sql`select w.id, w.alt, w.position, f.site_id || '/' || f.name || '/1280.webp' as path
      from pending_images w join files f on f.site_id = w.site_id and f.id = w.file_id
      where w.site_id = ${shop.siteId} and w.product_id = ${product_id} order by w.position, w.id`,
  );
  return waiting.map(({ path, ...image }) => ({
    ...image,
    ...{
      url: `${baseUrl}/files/${path}`,
      width: null,
      height: null,
      variant_ids: [],
      status: 'processing' as const,
      sources: [],
    },
  }));
}

/** An image keeps its id when its file becomes ready, so duplicates have the same id. */
function merge(product: Product, waiting: Product['images']): Product {
  const still = waiting.filter(({ id }) => !product.images.some((image) => image.id === id));
  return still.length === 0 ? product : { ...product, images: [...product.images, ...still] };
}

/** Locks the products whose images wait for the file, in the order of their ids. */
export async function lockProductsOf(shop: Shop, file_id: string): Promise<void> {
  await shop.run(
    sql`select from products where site_id = ${shop.siteId} and id in (
        select product_id from pending_images where site_id = ${shop.siteId} and file_id = ${file_id})
      order by id for update`,
  );
}

export interface Arrived {
  id: string;
  product_id: string;
  alt: string | null;
  position: number;
}

/** Removes and returns the images that wait for a file, oldest first. */
export async function takeWaiting(shop: Shop, file_id: string): Promise<Arrived[]> {
  const rows = await shop.rows<Arrived>(
    sql`delete from pending_images where site_id = ${shop.siteId} and file_id = ${file_id}
      returning id, product_id, alt, position`,
  );
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}
