/**
 * Checks the checkout of an agent's cart against the permissions that the customer granted. Uses the final products and
 * total, because somebody else may have changed the cart.
 */

import * as budgets from '../agent-limits/budgets.ts';
import { categoriesOf, requireCategories } from '../agent-limits/categories.ts';
import type { Shop } from '../shop.ts';
import type { Priced } from './state.ts';

/** Throws `category_not_allowed` or `budget_exceeded` if the agent's permissions do not allow this order. */
export async function requireAgentLimits(shop: Shop, priced: Priced): Promise<void> {
  const token_id = await requireGoods(shop, priced);
  if (token_id) await budgets.requireBudget(shop, token_id, priced.totals.total);
}

/**
 * Reserves the total in the agent's budget when a payment begins. Returns the reserved amount in minor units. Throws
 * `category_not_allowed`, `budget_exceeded` or `payment_in_progress`.
 */
export async function hold(shop: Shop, priced: Priced): Promise<number> {
  const token_id = await requireGoods(shop, priced);
  if (!token_id) return 0;
  await budgets.hold(shop, token_id, priced.totals.total);
  return priced.totals.total;
}

/**
 * Spends the total of the new order from the agent's budget. Returns the spent amount. Throws `category_not_allowed`,
 * `budget_exceeded` or `payment_in_progress`.
 */
export async function spend(shop: Shop, priced: Priced): Promise<budgets.Spent> {
  const token_id = await requireGoods(shop, priced);
  return token_id ? budgets.spend(shop, token_id, priced.totals.total) : budgets.NOTHING_SPENT;
}

/** Checks the categories. Returns the id of the agent token; null for checkouts of people. */
async function requireGoods(shop: Shop, { row: { agent_token_id: token_id }, lines }: Priced): Promise<string | null> {
  if (!token_id) return null;
  const categories = await categoriesOf(shop, token_id);
  await requireCategories(
    shop,
    categories,
    lines.map(({ product_id }) => product_id),
  );
  return token_id;
}
