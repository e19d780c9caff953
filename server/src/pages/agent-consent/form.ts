import type { AgentConsent, AgentScope, BudgetPeriod } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { Approval } from '../../shop/agents/consents.ts';
import type { ValidationError } from '../../shop/errors.ts';
import { withoutHidden } from '../../shop/hidden-characters.ts';
import { currencyDigits } from '../../shop/money.ts';
import { centsIn } from '../parts/agent-words.ts';
import type { FormBody } from '../parts/form-body.ts';
import type { Mistake } from '../parts/form-parts.ts';
import type { ConsentVisit } from './visit.ts';

export type ConsentField =
  | 'budget'
  | 'max_per_order'
  | 'budget_period'
  | 'lifetime_days'
  | `scope_${number}`
  | `category_${number}`
  | 'same_code'
  | 'password';

export interface ConsentForm {
  /** Amounts as the customer typed them. */
  budget: string;
  max_per_order: string;
  budget_period: BudgetPeriod;
  /** Undefined if the agent named the expiry. */
  lifetime_days: number | undefined;
  scopes: AgentScope[];
  categories: string[];
}

/**
 * Budget periods that the customer may choose: the requested one and longer ones. A budget that resets more often would
 * allow more.
 */
export function periodsWithin(asked: BudgetPeriod): BudgetPeriod[] {
  const all: BudgetPeriod[] = ['week', 'month', 'once'];
  return all.slice(all.indexOf(asked));
}

/** Category names in the form: the requested ones, or the shop's own if the agent requested all categories. */
export function offeredCategories({ categories, category_choices }: AgentConsent): string[] {
  return categories.length > 0 ? categories : category_choices.map(({ value }) => value);
}

export function parseForm(body: FormBody, consent: AgentConsent): ConsentForm {
  const period = body.get('budget_period');
  const days = body.get('lifetime_days');
  const [usual] = consent.lifetime_choices;
  return {
    budget: body.get('budget') ?? '',
    max_per_order: body.get('max_per_order') ?? '',
    budget_period: periodsWithin(consent.budget_period).find((one) => one === period) ?? consent.budget_period,
    lifetime_days: consent.lifetime_choices.find((one) => String(one) === days) ?? usual,
    scopes: consent.scopes.filter((_scope, i) => body.has(`scope_${i}`)),
    categories: chosenCategories(body, consent),
  };
}

/**
 * Categories are read by name and not by position, because the shop's categories may have changed since the form was
 * shown.
 */
function chosenCategories(body: FormBody, consent: AgentConsent): string[] {
  const chosen = new Set([...body].flatMap(([name, value]) => (name.startsWith('category_') ? value : [])));
  return offeredCategories(consent).filter((name) => chosen.has(withoutHidden(name, { lines: false }).trim()));
}

export function consentMistakes(
  { language: { say }, authorization }: ConsentVisit,
  body: FormBody,
  form: ConsentForm,
  consent: AgentConsent,
): Mistake<ConsentField>[] {
  const mistakes: Mistake<ConsentField>[] = [];
  if (!authorization && body.get('same_code') !== 'yes') {
    mistakes.push({ field: 'same_code', message: say('consent.compare_codes') });
  }
  mistakes.push(...amountMistakes(say, form, consent));
  if (form.scopes.length === 0) mistakes.push({ field: 'scope_0', message: say('consent.choose_scope') });
  if (consent.categories.length > 0 && form.categories.length === 0) {
    mistakes.push({ field: 'category_0', message: say('consent.choose_category') });
  }
  if (consent.password_required && !body.has('password')) {
    mistakes.push({ field: 'password', message: say('consent.no_password') });
  }
  return mistakes;
}

function amountMistakes(say: Language['say'], form: ConsentForm, consent: AgentConsent): Mistake<ConsentField>[] {
  const digits = currencyDigits(consent.currency);
  const wrong = { message: say('consent.amount_form', { example: digits > 0 ? '25.00' : '25' }) };
  const mistakes: Mistake<ConsentField>[] = [];
  const budget = centsIn(form.budget, digits);
  if (budget === undefined && !buysNothing(form)) mistakes.push({ field: 'budget', ...wrong });
  else if (budget !== undefined && budget > consent.budget_cents)
    mistakes.push({ field: 'budget', message: say('consent.amount_high') });

  const { max_per_order_cents: most } = consent;
  const perOrder = centsIn(form.max_per_order, digits);
  // The agent requested no limit, and the customer set none.
  if (most === null && form.max_per_order === '') return mistakes;
  if (perOrder === undefined) mistakes.push({ field: 'max_per_order', ...wrong });
  else if (perOrder > (most ?? perOrder)) {
    mistakes.push({ field: 'max_per_order', message: say('consent.per_order_high') });
  }
  return mistakes;
}

/** Whether the customer has left the budget empty and may do so, because the agent may not prepare purchases. */
function buysNothing({ budget, scopes }: ConsentForm): boolean {
  return budget === '' && !scopes.includes('checkout:create');
}

/** Converts a valid form to the approval. */
export function approvalOf(form: ConsentForm, { currency }: AgentConsent): Approval & { budget_cents: number } {
  const digits = currencyDigits(currency);
  const [budget_cents, max_per_order_cents] = [form.budget, form.max_per_order].map((typed) => centsIn(typed, digits));
  const { budget_period, lifetime_days, scopes, categories } = form;
  return {
    ...{ budget_period, scopes, categories },
    ...(lifetime_days !== undefined && { lifetime_days }),
    budget_cents: budget_cents ?? 0,
    ...(max_per_order_cents !== undefined && { max_per_order_cents }),
  };
}

const FIELDS = new Map<unknown, ConsentField>([
  ['budget_cents', 'budget'],
  ['max_per_order_cents', 'max_per_order'],
  ['budget_period', 'budget_period'],
  ['lifetime_days', 'lifetime_days'],
  ['scopes', 'scope_0'],
]);

/** Assigns the shop's validation errors to the fields of the form. */
export function mistakesOf({ detail }: ValidationError): Mistake<ConsentField>[] {
  return detail.map(({ loc, msg }) => ({ field: FIELDS.get(loc[1]) ?? 'category_0', message: msg }));
}
