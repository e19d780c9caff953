import * as budgets from '../mandates/budgets.ts';
import { categoriesOf, requireCategories } from '../mandates/categories.ts';
import type { Shop } from '../shop.ts';
import type { Priced } from './state.ts';

/**
 * Checkouts that an agent made become orders within what the customer allowed: the categories and the budget are checked once
 * more against the goods and the total that are finally bought, whoever changed the cart meanwhile.
 */

/** Throws `category_not_allowed` or `budget_exceeded` when the order could not be made now. */
export async function requireMandate(shop: Shop, priced: Priced): Promise<void> {
  const token_id = await requireGoods(shop, priced);
  if (token_id) await budgets.requireBudget(shop, token_id, priced.totals.total);
}

/** Sets the total aside for a payment that begins. Returns what was set aside; throws the same, or `payment_in_progress`. */
export async function hold(shop: Shop, priced: Priced): Promise<number> {
  const token_id = await requireGoods(shop, priced);
  if (!token_id) return 0;
  await budgets.hold(shop, token_id, priced.totals.total);
  return priced.totals.total;
}

/** Takes the total from the agent's budget, for the order that is being made. Returns what was taken; throws the same. */
export async function spend(shop: Shop, priced: Priced): Promise<budgets.Spent> {
  const token_id = await requireGoods(shop, priced);
  return token_id ? budgets.spend(shop, token_id, priced.totals.total) : budgets.NOTHING_SPENT;
}

/** The token of the agent whose goods these are, if they are an agent's. */
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
