/** Orders the items of an earlier order again at current prices, if they are still for sale. */

import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { CART_LIFE, MAX_LINES } from '../carts/carts.ts';
import { keptOfVariant } from '../carts/rows.ts';
import { holdActor } from '../customers/erasure.ts';
import { notFound, ShopError } from '../errors.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { shownQuantity } from '../shown-quantity.ts';
import { create, openOf } from './checkouts.ts';

export interface ReorderLine {
  variant_id: string | null;
  name: string;
  variant_name: string | null;
  /** Quantity in the original order. */
  quantity: number;
  /** The quantity that can be bought now, in the detail that the shop shows to shoppers. */
  available: number;
  /** Whether the line is left out only because the cart is full. */
  too_many: boolean;
}

interface Row extends Omit<ReorderLine, 'available' | 'too_many'> {
  sellable: boolean;
  unlimited: boolean;
  free: number;
  low_stock_threshold: number;
}

const MAX_QUANTITY = 999;

/**
 * Lists the lines of a customer's order as they can be ordered now. Stock reserved by the open reorder checkout counts
 * as available. Throws `not_found`.
 */
export async function reorderLines(shop: Shop, order_id: string): Promise<ReorderLine[]> {
  const order = await shop.one(
    sql`select from orders where site_id = ${shop.siteId} and id = ${order_id} and customer_id = ${shop.customerId}`,
  );
  if (!order) throw notFound('order');
  // An order from an integration may list a variant twice.
  const rows = await shop.rows<Row>(
    sql`select l.variant_id, min(l.name) as name, min(l.variant_name) as variant_name,
        least(sum(l.quantity), ${MAX_QUANTITY})::int as quantity, coalesce(bool_and(${visible}), false) as sellable,
        coalesce(bool_and(not v.track_inventory or v.inventory_policy = 'continue'), false) as unlimited,
        coalesce(min(v.on_hand - v.reserved + coalesce(held.quantity, 0)), 0) as free, coalesce(min(v.low_stock_threshold), 0) as low_stock_threshold
      from order_lines l
      left join variants v on v.site_id = l.site_id and v.id = l.variant_id
      left join products p on p.site_id = v.site_id and p.id = v.product_id
      left join (
        select r.variant_id, r.quantity from carts c
        join checkouts k on k.site_id = c.site_id and k.cart_id = c.id and k.status in ('open', 'ready', 'requires_escalation')
        join stock_reservations r on r.site_id = k.site_id and r.checkout_id = k.id
        where c.site_id = ${shop.siteId} and c.reorder_of = ${order_id} and c.status = 'active'
      ) as held on held.variant_id = l.variant_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.quantity > 0
      group by l.variant_id, case when l.variant_id is null then l.id end
      order by min(l.position)`,
  );
  let offered = 0;
  return rows.map(({ sellable, unlimited, free, low_stock_threshold, ...line }) => {
    const enough = unlimited || free >= line.quantity;
    const some = enough ? line.quantity : Math.max(0, shownQuantity(shop.showStock, free, low_stock_threshold));
    const available = sellable ? Math.min(line.quantity, some) : 0;
    if (available > 0) offered += 1;
    const too_many = available > 0 && offered > MAX_LINES;
    return { ...line, available: too_many ? 0 : available, too_many };
  });
}

/**
 * Returns the open checkout of an earlier reorder. Otherwise ends that reorder's cart, so that a new one can be
 * created.
 */
export async function openReorder(shop: Shop, order_id: string): Promise<string | undefined> {
  await holdActor(shop);
  const cart = await shop.one<RowOf<'carts', 'id'>>(
    sql`select id from carts where site_id = ${shop.siteId} and reorder_of = ${order_id} and status = 'active' for update`,
  );
  if (!cart) return undefined;
  const open = await openOf(shop, cart.id);
  if (open && open.customer_id === shop.customerId) return open.id;
  await shop.run(
    sql`update carts set status = 'expired', updated_at = now() where site_id = ${shop.siteId} and id = ${cart.id}`,
  );
  return undefined;
}

/**
 * Creates a checkout of the available lines of an order, in a separate cart, and returns its id. Concurrent calls
 * return the same checkout. Call `openReorder` first. Throws `not_found`, `cart_empty` if nothing is for sale, and the
 * errors of `checkouts.create`.
 */
export async function reorder(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  { order_id, locale }: { order_id: string; locale: string },
): Promise<string> {
  const lines = (await reorderLines(shop, order_id)).filter(({ available }) => available > 0);
  if (lines.length === 0) throw new ShopError('cart_empty', 'No product of the order is for sale.');
  const cart_id = uuidv7();
  const filled = await shop.run(
    sql`with cart as (
        insert into carts (site_id, id, customer_id, locale, reorder_of, expires_at)
        values (${shop.siteId}, ${cart_id}, null, ${locale}, ${order_id}, now() + ${CART_LIFE.guest})
        on conflict (site_id, reorder_of) where reorder_of is not null and status = 'active' do nothing
        returning site_id, id
      )
      insert into cart_items (site_id, id, cart_id, variant_id, product_id, name, variant_name, quantity, price_seen)
      select cart.site_id, w.id, cart.id, v.id, kept.product_id, kept.name, kept.variant_name, w.quantity,
        kept.price
      from cart
      cross join unnest(${lines.map(() => uuidv7())}::uuid[], ${lines.map(({ variant_id }) => variant_id)}::uuid[],
        ${lines.map(({ available }) => available)}::int[]) as w (id, variant_id, quantity)
      join variants v on v.site_id = ${shop.siteId} and v.id = w.variant_id
      join products p on p.site_id = v.site_id and p.id = v.product_id
      cross join lateral (select ${keptOfVariant}) as kept`,
  );
  if (filled > 0) return (await create(shop, checkoutDeps, cart_id, { locale })).id;
  const first = await openReorder(shop, order_id);
  if (!first) throw new ShopError('cart_empty', 'No product of the order is for sale.');
  return first;
}
