import type { ImportResult, Product, ProductImport, ValidationErrorItem, VariantInput } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { bodyMistake, ShopError, ValidationError } from './errors.ts';
import { combinationOf, type ProductPlan, planProduct } from './product-plan.ts';
import { insertImages, insertOptions, insertVariants, summarize } from './product-write.ts';
import * as products from './products.ts';
import type { Shop } from './shop.ts';

/**
 * Import: each row creates or updates the product of its slug, behind a savepoint of its own, so that a refused row
 * leaves its product as it was and stops no other. Rows arrive unchecked (the contract marks them x-validate-rows);
 * `mistakesIn` holds a row against the contract's ProductImport.
 */
export interface ImportCall {
  products: unknown[];
  dry_run?: boolean;
  /** Also set the stock of variants that exist already; without it, stock sold since is never put back. */
  update_inventory?: boolean;
}

export type RowCheck = (row: unknown, loc: (string | number)[]) => ValidationErrorItem[];

type RowResult = ImportResult['results'][number];

export async function importProducts(shop: Shop, call: ImportCall, mistakesIn: RowCheck): Promise<ImportResult> {
  const results: RowResult[] = [];
  for (const [index, row] of call.products.entries()) {
    results.push(await importRow(shop, call, mistakesIn, index, row));
  }
  const count = (status: RowResult['status']) => results.filter((result) => result.status === status).length;
  return {
    dry_run: call.dry_run ?? false,
    counts: {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      failed: count('failed'),
    },
    results,
  };
}

/** Thrown to undo a row that was only tried. */
class Undo {
  readonly outcome: RowResult;

  constructor(outcome: RowResult) {
    this.outcome = outcome;
  }
}

async function importRow(shop: Shop, call: ImportCall, mistakesIn: RowCheck, index: number, row: unknown) {
  const given = (row as { slug?: unknown } | null)?.slug;
  const slug = typeof given === 'string' ? given.slice(0, 255) : null;
  const failed = (errors: ValidationErrorItem[]): RowResult => ({
    index,
    slug,
    status: 'failed',
    product_id: null,
    errors,
  });
  const mistakes = mistakesIn(row, ['body', 'products', index]);
  if (mistakes.length > 0) return failed(mistakes);
  try {
    return await shop.savepoint(async () => {
      const outcome = await writeRow(shop, row as ProductImport, index, call.update_inventory ?? false);
      if (outcome.status === 'unchanged') throw new Undo(outcome);
      if (call.dry_run)
        throw new Undo({ ...outcome, product_id: outcome.status === 'created' ? null : outcome.product_id });
      return outcome;
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome;
    if (error instanceof ValidationError) return failed(error.detail);
    const { constraint = '' } = error as { constraint?: string };
    if (error instanceof ShopError) return failed([bodyMistake(['products', index], error.code, error.message)]);
    const known = ROW_CONSTRAINTS[constraint];
    if (!known) throw error;
    return failed([bodyMistake(['products', index, ...known.field], constraint, known.msg)]);
  }
}

const ROW_CONSTRAINTS: Partial<Record<string, { field: string[]; msg: string }>> = {
  sku_taken: { field: [], msg: 'A SKU of this row belongs to a variant of another product.' },
  variant_options_taken: { field: ['variants'], msg: 'Two variants have the same option values.' },
  insufficient_stock: { field: [], msg: 'Stock below zero is possible under inventory_policy continue alone.' },
};

async function writeRow(shop: Shop, row: ProductImport, index: number, update_inventory: boolean): Promise<RowResult> {
  const known = await shop.one<{ id: string }>(
    sql`select id from products where site_id = ${shop.siteId} and slug = ${row.slug} for update`,
  );
  const result = { index, slug: row.slug, errors: [] };
  if (!known) {
    const product_id = await products.insert(shop, planProduct(row, shop.currencyDigits, ['body', 'products', index]));
    return { ...result, status: 'created', product_id };
  }
  const before = await products.get(shop, known.id);
  const whole = { ...partsOf(before), ...row };
  const plan = planProduct(whole, shop.currencyDigits, ['body', 'products', index]);
  await updateProduct(shop, before, row, plan, update_inventory);
  const after = await products.get(shop, known.id);
  const status = comparable(before) === comparable(after) ? 'unchanged' : 'updated';
  return { ...result, status, product_id: known.id };
}

/** What a row need not repeat, so that absent fields stay as they are. */
function partsOf(product: Product): Partial<ProductImport> {
  const [only] = product.variants;
  if (product.has_variants || !only) {
    return {
      options: product.options.map(({ name, values }) => ({ name, values })),
      variants: product.variants.map(inputOf),
    };
  }
  const { option1: _1, option2: _2, option3: _3, image_url: _image, ...fields } = inputOf(only);
  return fields;
}

function inputOf(variant: Product['variants'][number]): VariantInput {
  const { id: _id, product_id: _product, available: _a, is_low_stock: _l, is_out_of_stock: _o, ...fields } = variant;
  const { created_at: _created, updated_at: _updated, ...input } = fields;
  return input;
}

async function updateProduct(
  shop: Shop,
  before: Product,
  row: ProductImport,
  plan: ProductPlan,
  update_inventory: boolean,
) {
  const { id } = before;
  const { name, vendor, product_type, tags, metadata, status, published_at, track_inventory } = row;
  const { description } = row;
  await products.updateRow(shop, id, {
    name,
    description,
    vendor,
    product_type,
    tags,
    metadata,
    status,
    published_at,
    track_inventory,
  });
  if (row.options || row.variants) {
    await shop.run(sql`delete from product_options where site_id = ${shop.siteId} and product_id = ${id}`);
    await insertOptions(shop, id, plan.options);
  }
  await writeVariants(shop, before, plan, track_inventory ?? before.track_inventory, update_inventory);
  if (row.images) {
    await shop.run(sql`delete from product_images where site_id = ${shop.siteId} and product_id = ${id}`);
    await insertImages(shop, id, row.images);
  }
  await summarize(shop, id);
}

/** Variants are the same when their option values are; those that the row no longer names go. */
async function writeVariants(
  shop: Shop,
  before: Product,
  plan: ProductPlan,
  track: boolean,
  update_inventory: boolean,
) {
  const known = new Map(before.variants.map((variant) => [combinationOf(variant), variant]));
  const kept = plan.variants.flatMap((variant, i) => {
    const old = known.get(combinationOf(variant));
    return old ? [{ ...variant, id: old.id, position: i + 1, old_quantity: old.inventory_quantity }] : [];
  });
  const added = plan.variants.filter((variant) => !known.has(combinationOf(variant)));
  await removeOthers(
    shop,
    before.id,
    kept.map(({ id }) => id),
  );
  await shop.run(
    sql`update variants v set position = n.position, sku = n.sku, barcode = n.barcode, price = n.price,
        compare_at_price = n.compare_at_price, cost_per_item = n.cost_per_item, inventory_policy = n.inventory_policy,
        low_stock_threshold = coalesce(n.low_stock_threshold, v.low_stock_threshold), weight = n.weight,
        weight_unit = n.weight_unit, requires_shipping = n.requires_shipping, image_url = n.image_url
      from jsonb_to_recordset(${JSON.stringify(kept)}) as n (id uuid, position int, sku text, barcode text, price numeric,
        compare_at_price numeric, cost_per_item numeric, inventory_policy text, low_stock_threshold int, weight numeric,
        weight_unit text, requires_shipping boolean, image_url text)
      where v.site_id = ${shop.siteId} and v.id = n.id`,
  );
  if (update_inventory) await setStock(shop, before.id, kept);
  await insertVariants(shop, before.id, added, track, kept.length + 1);
}

async function removeOthers(shop: Shop, product_id: string, keep: string[]): Promise<void> {
  const held = await shop.one(
    sql`select from variants where site_id = ${shop.siteId} and product_id = ${product_id} and reserved > 0
      and not (id = any(${keep}::uuid[]))`,
  );
  if (held) throw new ShopError('conflict', 'An open checkout holds stock of a variant that this row no longer names.');
  await shop.run(
    sql`delete from variants where site_id = ${shop.siteId} and product_id = ${product_id}
      and not (id = any(${keep}::uuid[]))`,
  );
}

async function setStock(shop: Shop, product_id: string, variants: { id: string; inventory_quantity: number }[]) {
  await shop.run(
    sql`with changed as (
        update variants v set on_hand = n.inventory_quantity + v.reserved
        from jsonb_to_recordset(${JSON.stringify(variants)}) as n (id uuid, inventory_quantity int, old_quantity int)
        where v.site_id = ${shop.siteId} and v.id = n.id and v.on_hand - v.reserved <> n.inventory_quantity
        returning v.id, v.on_hand, v.reserved, n.inventory_quantity - n.old_quantity as delta
      )
      insert into stock_movements (site_id, id, variant_id, product_id, type, reason, delta, on_hand_after,
        reserved_after, actor_id)
      select ${shop.siteId}, gen_random_uuid(), id, ${product_id}, 'adjustment', 'correction', delta, on_hand, reserved,
        ${shop.actorId} from changed`,
  );
}

/** What counts as a change: everything but ids of replaced parts and times. */
function comparable(product: Product): string {
  return JSON.stringify(product, (key, value: unknown) => (key === 'updated_at' || key === 'id' ? undefined : value));
}
