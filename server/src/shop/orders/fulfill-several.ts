import type { FulfillResult } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { create, type FulfillmentInput } from './fulfillments.ts';
import { type LockedOrder, lockOrdersNumbered } from './orders.ts';

type Row = FulfillResult['results'][number];
type Shipped = Omit<FulfillmentInput, 'items'> & { order_number: string };

/**
 * Ships up to 100 orders by the rules of `create`. A rejected row does not stop the others. Locks all orders first, in
 * order of ids, so that two calls for the same orders cannot deadlock.
 */
export async function fulfillSeveral(shop: Shop, orders: Shipped[]): Promise<FulfillResult> {
  const numbers = orders.map(({ order_number }) => order_number);
  const locked = await lockOrdersNumbered(shop, numbers);
  const byNumber = new Map(locked.map((order) => [order.order_number, order]));
  const results: Row[] = [];
  for (const [index, { order_number, ...parcel }] of orders.entries()) {
    const order = byNumber.get(order_number);
    const again = numbers.indexOf(order_number) < index;
    results.push({ index, order_number, order_id: order?.id ?? null, ...(await ship(shop, order, again, parcel)) });
  }
  const fulfilled = results.filter(({ status }) => status === 'fulfilled').length;
  return { counts: { fulfilled, failed: results.length - fulfilled }, results };
}

type Outcome = Pick<Row, 'fulfillment_id' | 'status' | 'reason' | 'message'>;

async function ship(
  shop: Shop,
  order: LockedOrder | undefined,
  again: boolean,
  parcel: FulfillmentInput,
): Promise<Outcome> {
  if (!order) return failed('not_found', 'There is no order with this number.');
  if (again) return failed('duplicate', 'The order is already in an earlier row.');
  try {
    const { fulfillment } = await shop.savepoint(() => create(shop, order.id, parcel));
    return { fulfillment_id: fulfillment.id, status: 'fulfilled', reason: null, message: null };
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    return failed(error.code === 'limit_reached' ? 'limit_reached' : 'invalid_transition', error.message);
  }
}

function failed(reason: Row['reason'], message: string): Outcome {
  return { fulfillment_id: null, status: 'failed', reason, message };
}
