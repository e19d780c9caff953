/** Agents' budgets and categories. Amounts are in minor units. Weekly and monthly budgets never reset in the mocks. */

import type { AgentBudget } from '@commerce-backend/spec';
import { decimal } from './money.ts';
import { isInCategories } from './products.ts';
import { Refusal } from './refusal.ts';
import { isOver, type State, type StoredAgent, type StoredProduct } from './state.ts';

export function budgetOf(state: State, agent: StoredAgent): AgentBudget {
  const { budget_cents, max_per_order_cents, budget_period } = agent.terms;
  const open = [...state.checkouts.values()].filter(
    (one) => one.agent === agent && one.status === 'requires_escalation' && !isOver(one.expires_at),
  );
  return {
    ...{ currency: state.data.currency, budget_cents, budget_used_cents: agent.used_cents },
    budget_pending_cents: open.reduce((sum, { shown_total }) => sum + shown_total, 0),
    budget_remaining_cents: budget_cents - agent.used_cents,
    ...{ max_per_order_cents, budget_period, spent_total_cents: agent.used_cents },
    budget_resets_at: budget_period === 'once' ? null : agent.terms.expires_at,
  };
}

/** Throws `budget_exceeded` above the remaining budget or the maximum per order. */
export function requireBudget(state: State, agent: StoredAgent, required_cents: number): void {
  const budget = budgetOf(state, agent);
  const { budget_cents, budget_used_cents, max_per_order_cents, budget_remaining_cents } = budget;
  const perOrder = max_per_order_cents !== null && required_cents > max_per_order_cents;
  if (!perOrder && required_cents <= budget_remaining_cents) return;
  const inWords = (cents: number) => `${decimal(cents, state.digits)} ${state.data.currency}`;
  const most = perOrder
    ? `the agent may spend at most ${inWords(max_per_order_cents)} on one order`
    : `only ${decimal(budget_remaining_cents, state.digits)} of the agent's budget is left`;
  const limit = perOrder ? 'per_order' : 'budget';
  const fields = { limit, budget_cents, budget_used_cents, required_cents, budget };
  throw new Refusal('budget_exceeded', `This costs ${inWords(required_cents)}, but ${most}.`, fields);
}

/** Throws `category_not_allowed` for a product in none of the agent's categories. */
export function requireCategories(
  state: State,
  { terms: { categories } }: StoredAgent,
  products: StoredProduct[],
): void {
  if (products.every((product) => isInCategories(state, product, categories))) return;
  throw new Refusal('category_not_allowed', 'The agent may only use products in its categories.', { categories });
}
