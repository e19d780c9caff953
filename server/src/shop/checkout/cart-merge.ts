import sql from 'sql-template-tag';
import * as carts from '../carts/carts.ts';
import * as redemptions from '../carts/redemptions.ts';
import { type CartState, readCart } from '../carts/rows.ts';
import type { Shop } from '../shop.ts';
import { mayReadBuyer } from './binding.ts';
import * as checkouts from './checkouts.ts';

/**
 * Merges a guest's cart into the customer's at login. The guest's quantities and discount code take precedence; beyond
 * 100 lines, the customer's oldest are dropped. The checkout of the guest's cart ends, so that its stock is available
 * to the merged cart. If the caller may not read the buyer data of that checkout (binding.ts), the guest's cart and
 * checkout continue, and the lines are only copied. Returns the id of the customer's active cart, or null if the
 * guest's cart cannot be merged.
 */
export async function mergeAtLogin(shop: Shop, guest_cart_id: string, customer_id: string): Promise<string | null> {
  const guest = await readCart(shop, guest_cart_id);
  if (!guest || !isMergeable(guest)) return null;
  const { id: target } = await carts.ofCustomer(shop, customer_id);
  await shop.run(
    sql`select from carts where site_id = ${shop.siteId} and id = any(${[guest_cart_id, target]}::uuid[])
      order by id for update`,
  );
  const [now, into] = [await readCart(shop, guest_cart_id), await readCart(shop, target)];
  if (!now || !isMergeable(now) || into?.status !== 'active' || into.payment_id) return null;
  const checkout = await checkouts.openOf(shop, guest_cart_id);
  const goesOn = checkout !== undefined && !mayReadBuyer(shop, checkout);
  await takeLines(shop, now, into);
  if (!goesOn) await end(shop, guest_cart_id, target, customer_id);
  await shop.run(
    sql`update carts c set expires_at = now() + ${carts.CART_LIFE.customer}, updated_at = now(), attribution = coalesce((
          select g.attribution from carts g where g.site_id = ${shop.siteId} and g.id = ${guest_cart_id}), c.attribution)
      where c.site_id = ${shop.siteId} and c.id = ${target}`,
  );
  await redemptions.updateReservation(shop, await carts.readForCustomer(shop, target, customer_id, false));
  // Ending the checkout locks variants, which are always locked last.
  if (checkout && !goesOn) await checkouts.end(shop, checkout.id, 'cancelled');
  return target;
}

async function end(shop: Shop, guest_cart_id: string, target: string, customer_id: string): Promise<void> {
  await redemptions.moveToCart(shop, guest_cart_id, target, customer_id);
  await shop.run(
    sql`update carts set status = 'merged', merged_into = ${target}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${guest_cart_id}`,
  );
}

function isMergeable({ status, customer_id, payment_id, draft, expired }: CartState & { expired: boolean }): boolean {
  return status === 'active' && customer_id === null && payment_id === null && draft === null && !expired;
}

async function takeLines(shop: Shop, guest: CartState, target: CartState): Promise<void> {
  const taken = new Set(guest.lines.map(({ variant_id }) => variant_id));
  const own = target.lines.filter(({ variant_id }) => !taken.has(variant_id));
  const beyond = own.slice(0, Math.max(0, own.length + taken.size - carts.MAX_LINES)).map(({ id }) => id);
  await shop.run(sql`delete from cart_items where site_id = ${shop.siteId} and id = any(${beyond}::uuid[])`);
  await shop.run(
    sql`insert into cart_items as i (site_id, id, cart_id, variant_id, product_id, name, variant_name, quantity,
        price_seen, created_at)
      select site_id, gen_random_uuid(), ${target.id}, variant_id, product_id, name, variant_name, quantity, price_seen,
        created_at
      from cart_items where site_id = ${shop.siteId} and cart_id = ${guest.id}
      on conflict on constraint one_line_per_variant do update
        set quantity = excluded.quantity, price_seen = excluded.price_seen`,
  );
}
