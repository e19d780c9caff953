import type { ImageInput, ImagePatch, Product } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { notFound } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { lockProduct, moveTo, refuseBeyond } from './parts.ts';
import * as products from './products.ts';
import { insertImages } from './write.ts';

const MAX_IMAGES = 250;

/** Adds an image, after the others unless it names a position. */
export async function create(shop: Shop, product_id: string, input: ImageInput): Promise<Product> {
  await lockProduct(shop, product_id);
  const before = await idsOf(shop, product_id);
  refuseBeyond(before.length, MAX_IMAGES, 'images');
  await insertImages(shop, {
    product_id,
    parts: [{ ...input, position: undefined }],
    firstPosition: before.length + 1,
  });
  if (input.position !== undefined) {
    const added = (await idsOf(shop, product_id)).find((id) => !before.includes(id));
    if (added) await moveToPosition(shop, product_id, added, input.position);
  }
  await markProductUpdated(shop, product_id);
  return products.get(shop, product_id);
}

/** Changes the given fields; one that changes nothing is no change of the product. Throws `not_found`. */
export async function update(shop: Shop, product_id: string, id: string, patch: ImagePatch): Promise<Product> {
  await lockProduct(shop, product_id);
  const before = await idsOf(shop, product_id);
  if (!before.includes(id)) throw notFound('image');
  const has = (field: keyof ImagePatch) => patch[field] !== undefined;
  const changed = await shop.run(
    sql`with wanted as (
        select coalesce(${patch.url ?? null}, url) as url,
          case when ${has('alt')} then ${patch.alt ?? null} else alt end as alt,
          case when ${has('width')} then ${patch.width ?? null}::int else width end as width,
          case when ${has('height')} then ${patch.height ?? null}::int else height end as height
        from product_images where site_id = ${shop.siteId} and id = ${id}
      )
      update product_images i set url = w.url, alt = w.alt, width = w.width, height = w.height
      from wanted w where i.site_id = ${shop.siteId} and i.product_id = ${product_id} and i.id = ${id}
        and (i.url, i.alt, i.width, i.height) is distinct from (w.url, w.alt, w.width, w.height)`,
  );
  const moved = patch.position !== undefined && (await moveToPosition(shop, product_id, id, patch.position));
  if (changed > 0 || moved) await markProductUpdated(shop, product_id);
  return products.get(shop, product_id);
}

export async function remove(shop: Shop, product_id: string, id: string): Promise<Product> {
  await lockProduct(shop, product_id);
  const deleted = await shop.run(
    sql`delete from product_images where site_id = ${shop.siteId} and product_id = ${product_id} and id = ${id}`,
  );
  if (deleted === 0) throw notFound('image');
  await markProductUpdated(shop, product_id);
  return products.get(shop, product_id);
}

async function idsOf(shop: Shop, product_id: string): Promise<string[]> {
  const rows = await shop.rows<{ id: string }>(
    sql`select id from product_images where site_id = ${shop.siteId} and product_id = ${product_id} order by position, id`,
  );
  return rows.map(({ id }) => id);
}

/** Returns whether any image had another place before. */
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

/** The images are part of the product, which has changed with them: webhooks are told by its updated_at. */
async function markProductUpdated(shop: Shop, product_id: string): Promise<void> {
  await shop.run(sql`update products set updated_at = now() where site_id = ${shop.siteId} and id = ${product_id}`);
}
