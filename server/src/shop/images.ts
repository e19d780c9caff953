import type { ImageInput, ImagePatch, Product } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { notFound } from './errors.ts';
import { lockProduct, moveTo, refuseBeyond } from './product-parts.ts';
import { insertImages } from './product-write.ts';
import * as products from './products.ts';
import type { Shop } from './shop.ts';

const MAX_IMAGES = 250;

/** Adds an image, behind the others unless it names a position. */
export async function create(shop: Shop, product_id: string, input: ImageInput): Promise<Product> {
  await lockProduct(shop, product_id);
  const before = await idsOf(shop, product_id);
  refuseBeyond(before.length, MAX_IMAGES, 'images');
  await insertImages(shop, product_id, [{ ...input, position: undefined }], before.length + 1);
  if (input.position !== undefined) {
    const added = (await idsOf(shop, product_id)).find((id) => !before.includes(id));
    if (added) await place(shop, product_id, added, input.position);
  }
  return products.get(shop, product_id);
}

export async function update(shop: Shop, product_id: string, id: string, patch: ImagePatch): Promise<Product> {
  await lockProduct(shop, product_id);
  const has = (field: keyof ImagePatch) => patch[field] !== undefined;
  const changed = await shop.run(
    sql`update product_images set url = coalesce(${patch.url ?? null}, url),
        alt = case when ${has('alt')} then ${patch.alt ?? null} else alt end,
        width = case when ${has('width')} then ${patch.width ?? null}::int else width end,
        height = case when ${has('height')} then ${patch.height ?? null}::int else height end
      where site_id = ${shop.siteId} and product_id = ${product_id} and id = ${id}`,
  );
  if (changed === 0) throw notFound('image');
  if (patch.position !== undefined) await place(shop, product_id, id, patch.position);
  return products.get(shop, product_id);
}

export async function remove(shop: Shop, product_id: string, id: string): Promise<Product> {
  await lockProduct(shop, product_id);
  const deleted = await shop.run(
    sql`delete from product_images where site_id = ${shop.siteId} and product_id = ${product_id} and id = ${id}`,
  );
  if (deleted === 0) throw notFound('image');
  return products.get(shop, product_id);
}

async function idsOf(shop: Shop, product_id: string): Promise<string[]> {
  const rows = await shop.rows<{ id: string }>(
    sql`select id from product_images where site_id = ${shop.siteId} and product_id = ${product_id} order by position, id`,
  );
  return rows.map(({ id }) => id);
}

async function place(shop: Shop, product_id: string, id: string, position: number): Promise<void> {
  const ids = moveTo(await idsOf(shop, product_id), id, position);
  await shop.run(
    sql`update product_images i set position = wanted.place
      from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
      where i.site_id = ${shop.siteId} and i.product_id = ${product_id} and i.id = wanted.id`,
  );
}
