/** Reduces a request to the permissions that the customer approves. They never exceed the request. */

import type { AgentScope, BudgetPeriod } from '@commerce-backend/spec';
import { bodyMistake, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { distinctCategories, misspeltCategories } from './consent-requests.ts';

export interface Terms {
  scopes: AgentScope[];
  budget_cents: number;
  max_per_order_cents: number | null;
  budget_period: BudgetPeriod;
  categories: string[];
}

export interface Asked extends Terms {
  /** Whether the agent named a budget. If not, `budget_cents` is only the limit of the shop. */
  budget_named: boolean;
}

type Mistakes = ValidationError['detail'];

/** From least to most: a budget per week allows more than the same budget per month. */
const PERIODS: BudgetPeriod[] = ['once', 'month', 'week'];

/** Returns the approved permissions. Throws a ValidationError if they exceed the request. */
export async function narrowed(shop: Shop, asked: Asked, approval: Partial<Terms>): Promise<Terms> {
  const categories = narrowCategories(asked.categories, approval.categories);
  const granted: Terms = {
    scopes: asked.scopes.filter((scope) => approval.scopes?.includes(scope) ?? true),
    budget_cents: approval.budget_cents ?? (asked.budget_named ? asked.budget_cents : 0),
    max_per_order_cents: approval.max_per_order_cents ?? asked.max_per_order_cents,
    budget_period: approval.budget_period ?? asked.budget_period,
    categories: categories ?? [],
  };
  const mistakes = [
    ...(categories ? [] : [categoriesMistake()]),
    ...amountMistakes(asked, granted),
    ...choiceMistakes(asked, granted, approval),
    ...(approval.categories ? await misspeltCategories(shop, newIn(asked.categories, categories)) : []),
  ];
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return granted;
}

function amountMistakes(asked: Terms, granted: Terms): Mistakes {
  return (['budget_cents', 'max_per_order_cents'] as const).flatMap((field) => {
    const le = asked[field];
    if (le === null || (granted[field] ?? 0) <= le) return [];
    const msg = `At most ${le}: the agent requests no more, or the shop allows no more.`;
    return [bodyMistake([field], 'less_than_equal', msg, { le })];
  });
}

function choiceMistakes(asked: Terms, granted: Terms, approval: Partial<Terms>): Mistakes {
  const mistakes: Mistakes = [];
  if (PERIODS.indexOf(granted.budget_period) > PERIODS.indexOf(asked.budget_period)) {
    const expected = PERIODS.slice(0, PERIODS.indexOf(asked.budget_period) + 1).join(', ');
    const msg = `Exceeds the request. Must be one of ${expected}.`;
    mistakes.push(bodyMistake(['budget_period'], 'enum', msg, { expected }));
  }
  if (approval.scopes?.some((scope) => !asked.scopes.includes(scope))) {
    const expected = asked.scopes.join(', ');
    mistakes.push(bodyMistake(['scopes'], 'enum', `The agent requests only ${expected}.`, { expected }));
  }
  return mistakes;
}

/**
 * Returns the approved categories. A request without categories allows all. Returns undefined if a category was not
 * requested, or none is left.
 */
function narrowCategories(asked: string[], approved: string[] | undefined): string[] | undefined {
  if (approved === undefined) return asked;
  const wanted = distinctCategories(approved);
  if (asked.length === 0) return wanted;
  const kept = asked.filter((name) => wanted.some((one) => one.toLowerCase() === name.toLowerCase()));
  return kept.length === wanted.length && kept.length > 0 ? kept : undefined;
}

/** The approved categories that were not checked with the request. */
function newIn(asked: string[], categories: string[] | undefined): string[] {
  return asked.length === 0 ? (categories ?? []) : [];
}

function categoriesMistake() {
  return bodyMistake(['categories'], 'value_error', 'Choose at least one of the requested categories.');
}
