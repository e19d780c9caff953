import type { Cart } from '@commerce-backend/spec';
import { requireBudget } from '../agent-limits/budgets.ts';
import { requireCategories } from '../agent-limits/categories.ts';
import { minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';

/**
 * Checks an agent's cart against the categories and the budget that the customer approved. Does nothing for people.
 * Throws `category_not_allowed` or `budget_exceeded`.
 */
export async function requireAgentLimits(shop: Shop, { items, total }: Cart): Promise<void> {
  if (!shop.agent) return;
  await requireCategories(
    shop,
    shop.agent.categories,
    items.map(({ product_id }) => product_id),
  );
  await requireBudget(shop, shop.agent.token_id, minorUnits(total, shop.currencyDigits));
}
