import type { Product, Variant, VariantInput, VariantPatch } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { indexProducts } from '../../search/index/index-products.ts';
import { notFound, ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { lockProduct, moveTo, refuseBeyond } from './parts.ts';
import { notAmong, type OptionPlan, planNewVariant } from './plan.ts';
import * as products from './products.ts';
import { variantObject } from './rows.ts';
import { insertVariants, summarize } from './write.ts';

const MAX_VARIANTS = 2_048;

/**
 * Adds a variant with a value for each option. Throws `not_found`, `limit_reached`, `sku_taken`,
 * `variant_options_taken` or a ValidationError.
 */
export async function create(shop: Shop, product_id: string, input: VariantInput): Promise<Variant> {
  const { track_inventory, price } = await lockProduct(shop, product_id);
  const count = await shop.one<{ total: number }>(
    sql`select count(*) as total from variants where site_id = ${shop.siteId} and product_id = ${product_id}`,
  );
  refuseBeyond(count?.total ?? 0, MAX_VARIANTS, 'variants');
  const options = await optionsOf(shop, product_id);
  const plan = planNewVariant(input, price, options, shop.currencyDigits);
  const firstPosition = (count?.total ?? 0) + 1;
  const [id = ''] = await insertVariants(shop, { product_id, parts: [plan], track_inventory, firstPosition });
  await summarize(shop, product_id);
  await indexProducts(shop, [product_id]);
  return get(shop, product_id, id);
}

/**
 * Changes the given fields of a variant. If no value differs, writes nothing. Throws `not_found`, `sku_taken`,
 * `variant_options_taken` or a ValidationError.
 */
export async function update(shop: Shop, product_id: string, id: string, patch: VariantPatch): Promise<Variant> {
  await lockProduct(shop, product_id);
  await get(shop, product_id, id);
  const changes = [
    await products.updateVariantRow(shop, id, patch),
    await updateOptionValues(shop, product_id, id, patch),
    patch.position !== undefined && (await move(shop, product_id, id, patch.position)),
  ];
  if (changes.includes(true)) {
    await summarize(shop, product_id);
    await indexProducts(shop, [product_id]);
  }
  return get(shop, product_id, id);
}

/** Deletes a variant. Throws `not_found`, `last_variant`, or `conflict` if an open checkout has reserved its stock. */
export async function remove(shop: Shop, product_id: string, id: string): Promise<Product> {
  await lockProduct(shop, product_id);
  const rows = await shop.rows<RowOf<'variants', 'id' | 'reserved'>>(
    sql`select id, reserved from variants where site_id = ${shop.siteId} and product_id = ${product_id}
      order by id for update`,
  );
  const variant = rows.find((row) => row.id === id);
  if (!variant) throw notFound('variant');
  if (rows.length === 1)
    throw new ShopError('last_variant', 'A product must have at least one variant. Delete the product instead.');
  if (variant.reserved > 0)
    throw new ShopError('conflict', 'An open checkout has reserved stock of this variant. Retry later.');
  await shop.run(sql`delete from variants where site_id = ${shop.siteId} and id = ${id}`);
  await summarize(shop, product_id);
  await indexProducts(shop, [product_id]);
  return products.get(shop, product_id);
}

async function get(shop: Shop, product_id: string, id: string): Promise<Variant> {
  const row = await shop.one<{ variant: Variant }>(
    sql`select ${variantObject('dashboard', 'exact')} as variant from variants v
      where v.site_id = ${shop.siteId} and v.product_id = ${product_id} and v.id = ${id}`,
  );
  if (!row) throw notFound('variant');
  return row.variant;
}

async function optionsOf(shop: Shop, product_id: string): Promise<OptionPlan[]> {
  return shop.rows<OptionPlan>(
    sql`select name, values from product_options
      where site_id = ${shop.siteId} and product_id = ${product_id} order by position`,
  );
}

/** Returns whether the option values changed. */
async function updateOptionValues(shop: Shop, product_id: string, id: string, patch: VariantPatch): Promise<boolean> {
  const { option1, option2, option3 } = patch;
  const given = [option1, option2, option3];
  if (given.every((value) => value === undefined)) return false;
  const options = await optionsOf(shop, product_id);
  const beyond = given.findIndex((value, i) => value !== undefined && i >= options.length);
  if (beyond >= 0) {
    const msg = 'The product has no such option.';
    throw new ValidationError([{ loc: ['body', `option${beyond + 1}`], msg, type: 'extra_forbidden' }]);
  }
  const mistakes = options.flatMap((option, i) => {
    const value = given[i];
    if (value == null || option.values.includes(value)) return [];
    const ctx = { expected: option.values };
    return [{ loc: ['body', `option${i + 1}`], msg: notAmong(option), type: 'enum', ctx }];
  });
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  const changed = await shop.run(
    sql`update variants set option1 = coalesce(${option1 ?? null}, option1),
        option2 = coalesce(${option2 ?? null}, option2), option3 = coalesce(${option3 ?? null}, option3)
      where site_id = ${shop.siteId} and id = ${id} and (option1, option2, option3) is distinct from
        (coalesce(${option1 ?? null}, option1), coalesce(${option2 ?? null}, option2),
          coalesce(${option3 ?? null}, option3))`,
  );
  return changed > 0;
}

/** Moves a variant to a position. Returns whether any variant moved. */
async function move(shop: Shop, product_id: string, id: string, position: number): Promise<boolean> {
  const rows = await shop.rows<RowOf<'variants', 'id'>>(
    sql`select id from variants where site_id = ${shop.siteId} and product_id = ${product_id} order by position, id`,
  );
  const ids = moveTo(
    rows.map((row) => row.id),
    id,
    position,
  );
  const moved = await shop.run(
    sql`update variants v set position = wanted.place
      from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
      where v.site_id = ${shop.siteId} and v.product_id = ${product_id} and v.id = wanted.id
        and v.position <> wanted.place`,
  );
  return moved > 0;
}
