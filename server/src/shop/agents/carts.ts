/** Carts of agents. Responses to changes of a cart also contain the budget. */

import type {
  AgentCart,
  AgentCartChange,
  AgentCartPage,
  AgentShippingChoices,
  Cart,
  Locale,
} from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { budgetOf } from '../agent-limits/budgets.ts';
import * as carts from '../carts/carts.ts';
import * as cartDiscounts from '../carts/discounts.ts';
import { readCart } from '../carts/rows.ts';
import { view } from '../carts/view.ts';
import * as addresses from '../customers/addresses.ts';
import { ValidationError } from '../errors.ts';
import { pageOf } from '../page-query.ts';
import { choicesForCart, type Destination } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import { optionContentOf } from './shop.ts';
import { cartOf, warningsOf } from './views.ts';

const CARTS_PER_PAGE = 5;

/** Lists the agent's active carts, most recently changed first. */
export async function listOpen(shop: Shop, query: { page?: number; limit?: number }): Promise<AgentCartPage> {
  const { page, limit, offset } = pageOf({ limit: CARTS_PER_PAGE, ...query });
  const rows = await shop.rows<RowOf<'carts', 'id'> & { counted: number }>(
    sql`select id, count(*) over ()::int as counted from carts
      where site_id = ${shop.siteId} and customer_id = ${shop.customerId}
        and agent_token_id = ${shop.agent?.token_id ?? null}
        and status = 'active' and (payment_id is not null or expires_at > now())
      order by updated_at desc, id desc limit ${limit} offset ${offset}`,
  );
  const found = await together(...rows.map(({ id }) => readCart(shop, id)));
  const total = rows[0]?.counted ?? 0;
  const open: AgentCart[] = found.flatMap((cart) => (cart ? [cartOf(view(cart))] : []));
  return { carts: open, total, page, limit, pages: Math.ceil(total / limit) };
}

export async function create(shop: Shop, wishes: { locale?: Locale }): Promise<AgentCartChange> {
  return changed(shop, await carts.create(shop, wishes));
}

export async function addItem(
  shop: Shop,
  cart_id: string,
  item: { variant_id: string; quantity: number },
): Promise<AgentCartChange> {
  return changed(shop, await carts.addItem(shop, cart_id, item));
}

export async function updateItem(
  shop: Shop,
  cart_id: string,
  line_id: string,
  quantity: number,
): Promise<AgentCartChange> {
  return changed(shop, await carts.updateItem(shop, cart_id, line_id, quantity));
}

export async function removeItem(shop: Shop, cart_id: string, line_id: string): Promise<AgentCartChange> {
  return changed(shop, await carts.removeItem(shop, cart_id, line_id));
}

export async function applyDiscount(shop: Shop, cart_id: string, code: string): Promise<AgentCartChange> {
  await cartDiscounts.apply(shop, cart_id, code);
  return changed(shop, await carts.get(shop, cart_id));
}

export async function removeDiscount(shop: Shop, cart_id: string): Promise<AgentCartChange> {
  return changed(shop, await cartDiscounts.remove(shop, cart_id));
}

async function changed(shop: Shop, cart: Cart): Promise<AgentCartChange> {
  return { cart: cartOf(cart), budget: await budgetOf(shop, shop.actorId) };
}

/** Lists the shipping options of a cart, for the destination in the query or the customer's default address. */
export async function listShippingOptions(
  shop: Shop,
  cart_id: string,
  query: { country?: string; state?: string; postal_code?: string },
): Promise<AgentShippingChoices> {
  const destination = query.country ? query : await defaultDestination(shop);
  if (!destination?.country) {
    const msg = 'The customer has no default address. Send a country.';
    throw new ValidationError([{ loc: ['query', 'country'], msg, type: 'missing' }]);
  }
  const { shipping_options, warnings } = await choicesForCart(shop, cart_id, destination);
  return {
    currency: shop.currency,
    country: destination.country,
    shipping_options: shipping_options.map(({ name, description, ...option }) => ({
      ...option,
      content: optionContentOf({ name, description }),
    })),
    warnings: warningsOf(warnings),
  };
}

async function defaultDestination(shop: Shop): Promise<Destination | undefined> {
  const own = shop.customerId ? await addresses.list(shop, shop.customerId) : [];
  return own.find(({ is_default }) => is_default);
}
