import type { Cart } from '@commerce-backend/spec';
import { requireBudget } from '../mandates/budgets.ts';
import { requireCategories } from '../mandates/categories.ts';
import { minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';

/**
 * What an agent adds to a cart stays within the categories and the budget that its customer allowed; people are not bound.
 * Throws `category_not_allowed` or `budget_exceeded`.
 */
export async function requireMandate(shop: Shop, { items, total }: Cart): Promise<void> {
  if (!shop.agent) return;
  await requireCategories(
    shop,
    shop.agent.categories,
    items.map(({ product_id }) => product_id),
  );
  await requireBudget(shop, shop.agent.token_id, minorUnits(total, shop.currencyDigits));
}
