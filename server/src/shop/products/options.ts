/**
 * An option's position determines which column of the variants (option1 to option3) contains its values. So adding,
 * moving or deleting an option rewrites those columns of all variants, in one statement.
 */

import type { OptionInput, OptionPatch, Product } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { indexProducts } from '../../search/index/index-products.ts';
import { notFound, ShopError } from '../errors.ts';
import { normalName } from '../plain-text.ts';
import type { Shop } from '../shop.ts';
import { lockProduct, moveTo, refuseBeyond } from './parts.ts';
import * as products from './products.ts';
import { insertOptions, summarize } from './write.ts';

const MAX_OPTIONS = 3;

interface OptionRow {
  id: string;
  name: string;
  position: number;
  values: string[];
}

/** Adds an option at the end. Each variant gets the option's first value. */
export async function create(shop: Shop, product_id: string, { name, values }: OptionInput): Promise<Product> {
  await lockProduct(shop, product_id);
  const rows = await optionsOf(shop, product_id);
  refuseBeyond(rows.length, MAX_OPTIONS, 'options');
  const option = { name: normalName(name, ['body', 'name']), values };
  await insertOptions(shop, { product_id, parts: [option], firstPosition: rows.length + 1 });
  const places = rows.map(({ position }) => position);
  await rewriteVariants(shop, product_id, places, values[0] ?? null);
  return finish(shop, product_id);
}

/**
 * Renames or moves an option, or replaces its values. If nothing differs, writes nothing. Throws `option_in_use` if a
 * removed value is in use.
 */
export async function update(shop: Shop, product_id: string, id: string, patch: OptionPatch): Promise<Product> {
  await lockProduct(shop, product_id);
  const rows = await optionsOf(shop, product_id);
  const row = rows.find((option) => option.id === id);
  if (!row) throw notFound('option');
  if (patch.values) await refuseMissingValues(shop, product_id, row, patch.values);
  const name = patch.name === undefined ? null : normalName(patch.name, ['body', 'name']);
  const changed = await shop.run(
    sql`update product_options set name = coalesce(${name}, name),
        values = coalesce(${patch.values ?? null}::text[], values)
      where site_id = ${shop.siteId} and id = ${id} and (name, values) is distinct from
        (coalesce(${name}, name), coalesce(${patch.values ?? null}::text[], values))`,
  );
  const before = rows.map((one) => one.id);
  const after = patch.position === undefined ? before : moveTo(before, id, patch.position);
  const moved = after.some((one, place) => one !== before[place]);
  if (changed === 0 && !moved) return products.get(shop, product_id);
  if (moved) await reorder(shop, product_id, rows, after);
  return finish(shop, product_id);
}

/** Deletes an option; later ones move up. Throws `option_in_use` if two variants would become equal. */
export async function remove(shop: Shop, product_id: string, id: string): Promise<Product> {
  await lockProduct(shop, product_id);
  const rows = await optionsOf(shop, product_id);
  if (!rows.some((option) => option.id === id)) throw notFound('option');
  await shop.run(sql`delete from product_options where site_id = ${shop.siteId} and id = ${id}`);
  const left = rows.filter((option) => option.id !== id);
  try {
    await reorder(
      shop,
      product_id,
      rows,
      left.map((option) => option.id),
    );
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'variant_options_taken') throw error;
    throw new ShopError(
      'option_in_use',
      'Without this option two variants would be the same. Delete one of them first.',
    );
  }
  return finish(shop, product_id);
}

async function optionsOf(shop: Shop, product_id: string): Promise<OptionRow[]> {
  return shop.rows<OptionRow>(
    sql`select id, name, position, values from product_options
      where site_id = ${shop.siteId} and product_id = ${product_id} order by position`,
  );
}

/** Reorders options, and with them the option values of all variants. */
async function reorder(shop: Shop, product_id: string, before: OptionRow[], ids: string[]): Promise<void> {
  await shop.run(
    sql`update product_options o set position = wanted.place
      from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
      where o.site_id = ${shop.siteId} and o.product_id = ${product_id} and o.id = wanted.id`,
  );
  const places = ids.map((id) => before.find((option) => option.id === id)?.position ?? 0);
  await rewriteVariants(shop, product_id, places, null);
}

/**
 * Moves the option values of all variants. The new value i comes from position `from[i]`. The last new value is
 * `added`, if given.
 */
async function rewriteVariants(shop: Shop, product_id: string, from: number[], added: string | null): Promise<void> {
  const places = [...from, ...(added === null ? [] : [4])];
  await shop.run(
    sql`update variants set
        option1 = (array[option1, option2, option3, ${added}::text])[${places[0] ?? 5}::int],
        option2 = (array[option1, option2, option3, ${added}::text])[${places[1] ?? 5}::int],
        option3 = (array[option1, option2, option3, ${added}::text])[${places[2] ?? 5}::int],
        updated_at = now()
      where site_id = ${shop.siteId} and product_id = ${product_id}`,
  );
}

async function refuseMissingValues(shop: Shop, product_id: string, { position }: OptionRow, values: string[]) {
  const rows = await shop.rows<{ value: string }>(
    sql`select distinct (array[option1, option2, option3])[${position}::int] as value from variants
      where site_id = ${shop.siteId} and product_id = ${product_id}
        and not ((array[option1, option2, option3])[${position}::int] = any(${values}::text[])) order by 1`,
  );
  if (rows.length === 0) return;
  const missing = rows.map(({ value }) => value);
  throw new ShopError('option_in_use', `Variants use the value ${missing.join(', ')}.`, { values: missing });
}

async function finish(shop: Shop, product_id: string): Promise<Product> {
  await summarize(shop, product_id);
  await indexProducts(shop, [product_id]);
  return products.get(shop, product_id);
}
