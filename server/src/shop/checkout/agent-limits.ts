import * as budgets from '../agent-limits/budgets.ts';
import { categoriesOf, requireCategories } from '../agent-limits/categories.ts';
import type { Shop } from '../shop.ts';
import type { Priced } from './state.ts';

/**
 * Checks checkouts of agents against the permissions that the customer granted: categories and budget are checked again
 * with the final goods and total, even if somebody else has changed the cart meanwhile.
 */

/** Throws `category_not_allowed` or `budget_exceeded` if the order could not be placed now. */
export async function requireAgentLimits(shop: Shop, priced: Priced): Promise<void> {
  const token_id = await requireGoods(shop, priced);
  if (token_id) await budgets.requireBudget(shop, token_id, priced.totals.total);
}

/**
 * Reserves the total in the budget when a payment begins. Returns the reserved amount. Throws what `requireAgentLimits`
 * throws, or `payment_in_progress`.
 */
export async function hold(shop: Shop, priced: Priced): Promise<number> {
  const token_id = await requireGoods(shop, priced);
  if (!token_id) return 0;
  await budgets.hold(shop, token_id, priced.totals.total);
  return priced.totals.total;
}

/** Spends the total of the new order from the agent's budget. Returns the spent amount. Throws what `hold` throws. */
export async function spend(shop: Shop, priced: Priced): Promise<budgets.Spent> {
  const token_id = await requireGoods(shop, priced);
  return token_id ? budgets.spend(shop, token_id, priced.totals.total) : budgets.NOTHING_SPENT;
}

/** Checks the categories and returns the agent's token; null for checkouts of people. */
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
