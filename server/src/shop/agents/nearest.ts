/** Suggestions for an unknown id in an agent's request. */

import type { AgentAlternative } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { readCart } from '../carts/rows.ts';
import { view } from '../carts/view.ts';
import { productsByIds } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { alternativeOf } from './products.ts';
import { cartOf } from './views.ts';

/** The parts of a failed request from which alternatives are derived. */
export interface RefusedCall {
  path: { product_id?: string; cart_id?: string; line_item_id?: string };
  body: {
    query?: string;
    product_id?: string;
    variant_id?: string;
    cart_id?: string;
    quantity?: number;
    shipping_address?: { country?: string | null } | null;
  };
}

const MOST = 3;

export async function nearestTo(shop: Shop, noun: string, { path, body }: RefusedCall): Promise<AgentAlternative[]> {
  switch (noun) {
    case 'cart':
      return openCarts(shop);
    case 'line':
      return linesOf(shop, path.cart_id);
    case 'checkout':
      return openCheckouts(shop);
    case 'order':
      return latestOrders(shop);
    case 'variant':
      return variantsOf(shop, body.variant_id);
    case 'product':
      return productWith(shop, path.product_id ?? body.product_id);
    default:
      return [];
  }
}

async function openCarts(shop: Shop): Promise<AgentAlternative[]> {
  const rows = await shop.rows<RowOf<'carts', 'id'>>(
    sql`select id from carts
      where site_id = ${shop.siteId} and customer_id = ${shop.customerId}
        and agent_token_id = ${shop.agent?.token_id ?? null} and status = 'active' and expires_at > now()
      order by updated_at desc, id desc limit ${MOST}`,
  );
  return rows.map(({ id }) => ({ why: 'It is an open cart of this token.', cart_id: id }));
}

async function linesOf(shop: Shop, cart_id: string | undefined): Promise<AgentAlternative[]> {
  const cart = cart_id && (await readCart(shop, cart_id));
  if (!cart || cart.agent_token_id !== shop.agent?.token_id) return [];
  return cartOf(view(cart))
    .items.slice(0, MOST)
    .map(({ id, variant_id, quantity, price, content }) => ({
      why: 'It is a line of this cart.',
      line_item_id: id,
      ...(variant_id && { variant_id }),
      quantity,
      price,
      content,
    }));
}

async function openCheckouts(shop: Shop): Promise<AgentAlternative[]> {
  const rows = await shop.rows<RowOf<'checkouts', 'id' | 'cart_id'>>(
    sql`select id, cart_id from checkouts
      where site_id = ${shop.siteId} and agent_token_id = ${shop.agent?.token_id ?? null}
        and status = 'requires_escalation' and expires_at > now()
      order by updated_at desc, id desc limit ${MOST}`,
  );
  return rows.map(({ id, cart_id }) => ({ why: 'It is an open checkout of this token.', checkout_id: id, cart_id }));
}

async function latestOrders(shop: Shop): Promise<AgentAlternative[]> {
  const rows = await shop.rows<RowOf<'orders', 'id'>>(
    sql`select id from orders where site_id = ${shop.siteId} and customer_id = ${shop.customerId}
      order by created_at desc, id desc limit ${MOST}`,
  );
  return rows.map(({ id }) => ({ why: "It is one of the customer's latest orders.", order_id: id }));
}

/** Finds the variants of a product whose id was sent as a variant id. */
async function variantsOf(shop: Shop, id: string | undefined): Promise<AgentAlternative[]> {
  const [product] = id ? await productsByIds(shop, 'agent', [id]) : [];
  if (!product) return [];
  const why = 'The id is that of the product, and this is a variant of it.';
  return product.variants.slice(0, MOST).map((variant) => alternativeOf(why, { product, variant }));
}

/** Finds the product of a variant whose id was sent as a product id. */
async function productWith(shop: Shop, id: string | undefined): Promise<AgentAlternative[]> {
  const found =
    id &&
    (await shop.one<RowOf<'variants', 'product_id'>>(
      sql`select product_id from variants where site_id = ${shop.siteId} and id = ${id}`,
    ));
  const [product] = found ? await productsByIds(shop, 'agent', [found.product_id]) : [];
  const variant = product?.variants.find((one) => one.id === id);
  const why = 'The id is that of a variant, and this is its product.';
  return product && variant ? [alternativeOf(why, { product, variant })] : [];
}
