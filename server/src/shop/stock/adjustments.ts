/** Adjusts the stock of many variants in one call, for a delivery or a stocktaking. */

import type { AdjustmentReason, AdjustmentResult, InventoryAdjustment } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { deltaOf, refuseImpossible, type Stock } from './inventory.ts';

type Result = AdjustmentResult['results'][number];

interface Variant extends Stock {
  id: string;
  sku: string | null;
  product_id: string;
}

interface Movement {
  id: string;
  variant_id: string;
  product_id: string;
  delta: number;
  on_hand: number;
  reserved: number;
  note: string | null;
}

const UNKNOWN: Omit<Result, 'index' | 'sku'> = {
  variant_id: null,
  status: 'failed',
  inventory_quantity: null,
  reason: 'not_found',
  message: 'There is no such variant.',
};

interface Adjustments {
  reason: AdjustmentReason;
  note?: string;
  dry_run?: boolean;
  adjustments: InventoryAdjustment[];
}

/**
 * Adjusts each row by the rules of `adjust`, based on the stock that earlier rows leave. A rejected row does not stop
 * the others. Locks the variants in order of ids, as a sale does, and writes them in one statement.
 */
export async function adjustSeveral(
  shop: Shop,
  { reason, note, dry_run = false, adjustments }: Adjustments,
): Promise<AdjustmentResult> {
  refuseUnnamed(adjustments, 'adjustments');
  const noted = adjustments.map((row) => ({ ...row, note: row.note ?? note }));
  const { results, movements } = await judge(shop, noted, deltaOf);
  if (!dry_run && movements.length > 0) await write(shop, { type: 'adjustment', reason }, movements);
  return { dry_run, counts: countsOf(results), results };
}

interface Quantity {
  variant_id?: string;
  sku?: string;
  inventory_quantity: number;
}

/** Sets the available stock of each variant, for an external system that manages the stock. */
export async function setSeveral(shop: Shop, items: Quantity[]): Promise<AdjustmentResult> {
  refuseUnnamed(items, 'items');
  const { results, movements } = await judge(shop, items, (row, actual) => row.inventory_quantity - actual);
  if (movements.length > 0) await write(shop, { type: 'sync', reason: null }, movements);
  return { dry_run: false, counts: countsOf(results), results };
}

interface Named {
  variant_id?: string;
  sku?: string;
  note?: string | undefined;
}

/** Locks all variants, and plans the result and the stock movements of each row. Writes nothing. */
async function judge<Row extends Named>(shop: Shop, rows: Row[], delta: (row: Row, actual: number) => number) {
  const find = finder(await lockNamed(shop, rows));
  const movements: Movement[] = [];
  const results = rows.map((row, index): Result => {
    const variant = find(row);
    if (!variant) return { ...UNKNOWN, index, sku: row.sku ?? null };
    const { status, reason, message, movement } = changeOf(variant, row.note, (actual) => delta(row, actual));
    if (movement) movements.push(movement);
    const inventory_quantity = variant.on_hand - variant.reserved;
    return { index, variant_id: variant.id, sku: variant.sku, inventory_quantity, status, reason, message };
  });
  return { results, movements };
}

type Change = Pick<Result, 'status' | 'reason' | 'message'> & { movement?: Movement };

function changeOf(variant: Variant, note: string | undefined, deltaFrom: (actual: number) => number): Change {
  try {
    const delta = deltaFrom(variant.on_hand - variant.reserved);
    if (delta === 0) return { status: 'unchanged', reason: null, message: null };
    refuseImpossible(variant, delta);
    variant.on_hand += delta;
    return { status: 'adjusted', reason: null, message: null, movement: movementOf(variant, delta, note) };
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    return { status: 'failed', reason: reasonOf(error), message: error.message };
  }
}

function countsOf(results: Result[]): AdjustmentResult['counts'] {
  const count = (status: Result['status']) => results.filter((row) => row.status === status).length;
  return { adjusted: count('adjusted'), unchanged: count('unchanged'), failed: count('failed') };
}

function refuseUnnamed(rows: Named[], field: string): void {
  const mistakes = rows.flatMap(({ variant_id, sku }, i) =>
    (variant_id === undefined) === (sku === undefined)
      ? [bodyMistake([field, i], 'value_error', 'Send the variant, either as variant_id or as sku.')]
      : [],
  );
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

function lockNamed(shop: Shop, rows: Named[]): Promise<Variant[]> {
  const ids = rows.flatMap(({ variant_id }) => variant_id ?? []);
  const skus = rows.flatMap(({ sku }) => sku ?? []);
  return shop.rows<Variant>(
    sql`select id, sku, product_id, on_hand, reserved, inventory_policy = 'continue' or not track_inventory as may_go_below
      from variants where site_id = ${shop.siteId} and (id = any(${ids}::uuid[]) or sku = any(${skus}::text[]))
      order by id for update`,
  );
}

function finder(variants: Variant[]): (row: Named) => Variant | undefined {
  const byId = new Map(variants.map((variant) => [variant.id, variant]));
  const bySku = new Map(variants.map((variant) => [variant.sku, variant]));
  return ({ variant_id, sku }) => (variant_id ? byId.get(variant_id.toLowerCase()) : bySku.get(sku ?? ''));
}

function movementOf(variant: Variant, delta: number, note: string | undefined): Movement {
  const { id: variant_id, product_id, on_hand, reserved } = variant;
  return { id: uuidv7(), variant_id, product_id, delta, on_hand, reserved, note: note ?? null };
}

function reasonOf({ code }: ShopError): Result['reason'] {
  return code === 'quantity_changed' || code === 'insufficient_stock' ? code : 'out_of_range';
}

/** A variant changes by the sum of its rows. Each row is a separate stock movement. */
async function write(
  shop: Shop,
  { type, reason }: { type: 'adjustment' | 'sync'; reason: AdjustmentReason | null },
  movements: Movement[],
): Promise<void> {
  await shop.run(
    sql`with moved as (
        select * from jsonb_to_recordset(${JSON.stringify(movements)}) as m (id uuid, variant_id uuid, product_id uuid,
          delta int, on_hand int, reserved int, note text)
      ), changed as (
        update variants v set on_hand = v.on_hand + summed.delta, updated_at = now()
        from (select variant_id, sum(delta)::int as delta from moved group by variant_id) as summed
        where v.site_id = ${shop.siteId} and v.id = summed.variant_id
      )
      insert into stock_movements (site_id, id, variant_id, product_id, type, reason, delta, on_hand_after,
        reserved_after, note, actor_id)
      select ${shop.siteId}, id, variant_id, product_id, ${type}, ${reason}, delta, on_hand, reserved, note,
        ${shop.actorId} from moved`,
  );
}
