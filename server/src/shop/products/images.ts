import type { ImageInput, ImagePatch, NewImage, Product } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { newId } from '../../db/new-id.ts';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import * as fileImages from './file-images.ts';
import type { Place } from './mistakes.ts';
import { lockProduct, moveTo, refuseBeyond } from './parts.ts';
import * as products from './products.ts';
import { insertImages } from './write.ts';

const MAX_IMAGES = 250;

/**
 * Adds an image at the given position or at the end. If its file is still being processed, the image appears when the
 * file is ready. Throws `not_found`, `limit_reached`, or a ValidationError if the file cannot be used.
 */
export async function create(shop: Shop, product_id: string, input: NewImage): Promise<Product> {
  await lockProduct(shop, product_id);
  const before = (await idsOf(shop, product_id)).length;
  const waiting = await fileImages.countWaiting(shop, product_id);
  refuseBeyond(before + waiting, MAX_IMAGES, 'images');
  const { file_id, position = before + waiting + 1 } = input;
  const url = await addressOf(shop, input);
  if (url === null && file_id !== undefined) {
    if (input.variant_ids !== undefined) throw stillProcessing();
    await fileImages.wait(shop, product_id, { ...input, file_id, position });
  } else if (url !== null) {
    const id = newId();
    await insertAt(shop, product_id, { ...input, url, id, position });
    if (input.variant_ids) await showForVariants(shop, product_id, id, input.variant_ids);
    await markProductUpdated(shop, product_id);
  }
  return products.get(shop, product_id);
}

/**
 * Returns the URL of a new image; null while its file is being processed. Throws a ValidationError; `loc` is the path
 * of the image in the request.
 */
export async function addressOf(
  shop: Shop,
  { url, file_id }: Pick<NewImage, 'url' | 'file_id'>,
  loc: Place = ['body'],
): Promise<string | null> {
  const refused = (field: string, type: string, msg: string) =>
    new ValidationError([{ loc: [...loc, field], msg, type }]);
  if (url !== undefined && file_id !== undefined) {
    throw refused('file_id', 'extra_forbidden', 'Send either url or file_id, not both.');
  }
  if (file_id !== undefined) return fileImages.addressOfFile(shop, file_id, loc);
  if (url === undefined) throw refused('url', 'missing', 'Send url or file_id.');
  return url;
}

async function insertAt(shop: Shop, product_id: string, image: ImageInput & { id: string; position: number }) {
  const before = await idsOf(shop, product_id);
  const parts = [{ ...image, position: before.length + 1 }];
  await insertImages(shop, { product_id, parts });
  if (image.position <= before.length) await moveToPosition(shop, product_id, image.id, image.position);
}

/** Adds the images that have waited for this file. */
export async function showFile(shop: Shop, file_id: string): Promise<void> {
  await fileImages.lockProductsOf(shop, file_id);
  const url = await fileImages.addressOfFile(shop, file_id);
  if (url === null) throw new Error(`The file ${file_id} is not ready.`);
  for (const { product_id, ...image } of await fileImages.takeWaiting(shop, file_id)) {
    // An import may have reached the image limit meanwhile.
    if ((await idsOf(shop, product_id)).length >= MAX_IMAGES) continue;
    await insertAt(shop, product_id, { ...image, url });
    await markProductUpdated(shop, product_id);
  }
}

/** Changes the given fields of an image. If no value differs, writes nothing. Throws `not_found`. */
export async function update(shop: Shop, product_id: string, id: string, patch: ImagePatch): Promise<Product> {
  await lockProduct(shop, product_id);
  if (!(await idsOf(shop, product_id)).includes(id)) return updateWaiting(shop, product_id, id, patch);
  const has = (field: keyof ImagePatch) => patch[field] !== undefined;
  const changed = await shop.run(
    sql`with wanted as (
        select coalesce(${patch.url ?? null}, url) as url,
          case when ${has('alt')} then ${patch.alt ?? null} else alt end as alt,
          case when ${has('width')} then ${patch.width ?? null}::int else width end as width,
          case when ${has('height')} then ${patch.height ?? null}::int else height end as height
        from product_images where site_id = ${shop.siteId} and id = ${id}
      )
      update product_images i set url = w.url, alt = w.alt, width = w.width, height = w.height, file_id = f.id,
        sources = f.sources
      from wanted w left join files f on f.site_id = ${shop.siteId} and f.url = w.url and f.status = 'ready'
      where i.site_id = ${shop.siteId} and i.product_id = ${product_id} and i.id = ${id}
        and (i.url, i.alt, i.width, i.height) is distinct from (w.url, w.alt, w.width, w.height)`,
  );
  const moved = patch.position !== undefined && (await moveToPosition(shop, product_id, id, patch.position));
  const shown = patch.variant_ids ? await showForVariants(shop, product_id, id, patch.variant_ids) : 0;
  if (changed > 0 || moved || shown > 0) await markProductUpdated(shop, product_id);
  return products.get(shop, product_id);
}

async function updateWaiting(shop: Shop, product_id: string, id: string, patch: ImagePatch): Promise<Product> {
  const { alt, position, ...fixed } = patch;
  if (!(await fileImages.updateWaiting(shop, product_id, id, { alt, position }))) throw notFound('image');
  if (Object.keys(fixed).length > 0) throw stillProcessing();
  return products.get(shop, product_id);
}

function stillProcessing(): ShopError {
  return new ShopError('conflict', 'While the image is processed, only its text and its position can be changed.');
}

/**
 * Shows the image for exactly these variants. Returns the number of changed variants. A variant refers to its image by
 * URL.
 */
async function showForVariants(shop: Shop, product_id: string, id: string, variant_ids: string[]): Promise<number> {
  const known = await shop.rows<RowOf<'variants', 'id'>>(
    sql`select id from variants where site_id = ${shop.siteId} and product_id = ${product_id} and id = any(${variant_ids})`,
  );
  const mistakes = variant_ids.flatMap((wanted, i) =>
    known.some((one) => one.id === wanted)
      ? []
      : [bodyMistake(['variant_ids', i], 'variant_unknown', 'The product has no such variant.')],
  );
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return shop.run(
    sql`update variants v set image_url = case when v.id = any(${variant_ids}) then i.url end, updated_at = now()
      from product_images i
      where i.site_id = ${shop.siteId} and i.id = ${id} and v.site_id = ${shop.siteId} and v.product_id = ${product_id}
        and (v.image_url is not distinct from i.url) <> (v.id = any(${variant_ids}))`,
  );
}

export async function remove(shop: Shop, product_id: string, id: string): Promise<Product> {
  await lockProduct(shop, product_id);
  if (await fileImages.removeWaiting(shop, product_id, id)) return products.get(shop, product_id);
  const deleted = await shop.run(
    sql`delete from product_images where site_id = ${shop.siteId} and product_id = ${product_id} and id = ${id}`,
  );
  if (deleted === 0) throw notFound('image');
  await markProductUpdated(shop, product_id);
  return products.get(shop, product_id);
}

async function idsOf(shop: Shop, product_id: string): Promise<string[]> {
  const rows = await shop.rows<RowOf<'product_images', 'id'>>(
    sql`select id from product_images where site_id = ${shop.siteId} and product_id = ${product_id} order by position, id`,
  );
  return rows.map(({ id }) => id);
}

/** Returns whether any image moved. */
async function moveToPosition(shop: Shop, product_id: string, id: string, position: number): Promise<boolean> {
  const ids = moveTo(await idsOf(shop, product_id), id, position);
  const moved = await shop.run(
    sql`update product_images i set position = wanted.place
      from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
      where i.site_id = ${shop.siteId} and i.product_id = ${product_id} and i.id = wanted.id
        and i.position <> wanted.place`,
  );
  return moved > 0;
}

/** Webhooks about the product depend on its updated_at, so image changes must update it. */
async function markProductUpdated(shop: Shop, product_id: string): Promise<void> {
  await shop.run(sql`update products set updated_at = now() where site_id = ${shop.siteId} and id = ${product_id}`);
}
