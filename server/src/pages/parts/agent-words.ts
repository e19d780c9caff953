/** Describes agents and their permissions in plain words. */

import type { AgentScope, AgentToken, BudgetPeriod } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { currencyDigits } from '../../shop/money.ts';
import { type Html, html } from './html.ts';
import { rich } from './words.ts';

export const SCOPES = {
  'catalog:read': 'consent.scope_catalog_read',
  'cart:write': 'consent.scope_cart_write',
  'checkout:create': 'consent.scope_checkout_create',
  'customer:self': 'consent.scope_customer_self',
  'orders:read': 'consent.scope_orders_read',
  'returns:request': 'consent.scope_returns_request',
} as const satisfies Record<AgentScope, string>;

/** An agent's name for use in a sentence. The agent chose the name, so it may be misleading. */
export function assistantNamed(language: Language, agent_name: string): Html {
  return rich(language, 'consent.assistant', { name: html`<strong dir="auto">${agent_name}</strong>` });
}

type Ended = Pick<AgentToken, 'status' | 'revoked_by'>;

/** States that an agent's access has ended, and who ended it; undefined while it is active. */
export function endInWords({ say }: Language, { status, revoked_by }: Ended): string | undefined {
  if (status === 'active') return undefined;
  if (status === 'expired') return say('consent.ended');
  switch (revoked_by) {
    case 'customer':
      return say('consent.ended_by_customer');
    case 'merchant':
      return say('consent.ended_by_merchant');
    case 'agent':
      return say('consent.ended_by_agent');
    default:
      return say('consent.ended_revoked');
  }
}

/** Formats an amount in minor units as money. */
export function budgetInWords(language: Language, cents: number, currency: string): string {
  return language.amount(decimalOf(cents, currencyDigits(currency)), currency);
}

/** Formats a budget with its period. */
export function budgetOfPeriod(language: Language, cents: number, period: BudgetPeriod, currency: string): string {
  const amount = budgetInWords(language, cents, currency);
  switch (period) {
    case 'week':
      return language.say('consent.each_week', { amount });
    case 'month':
      return language.say('consent.each_month', { amount });
    default:
      return language.say('consent.in_total', { amount });
  }
}

/** Formats minor units as a plain decimal, for a form field. */
export function decimalOf(cents: number, digits: number): string {
  const text = String(cents).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Parses a typed amount to minor units; undefined if it is invalid. */
export function centsIn(typed: string, digits: number): number | undefined {
  const match = /^(\d{1,12})(?:[.,](\d{1,3}))?$/.exec(typed.replaceAll(/\s/g, ''));
  const fraction = match?.[2] ?? '';
  if (!match || fraction.length > digits) return undefined;
  return Number(match[1]) * 10 ** digits + Number(fraction.padEnd(digits, '0') || 0);
}
