import type { AgentScope, AgentToken, AuditEvent, ConsentStatus } from '@commerce-backend/spec';
import { type Html, html } from './html.ts';
import { inWords } from './words.ts';

/** How the pages say what agents may do and did, in plain words. */

export const SCOPES: Record<AgentScope, string> = {
  'catalog:read': 'Look at the products of the shop',
  'cart:write': 'Put products into carts of its own',
  'checkout:create': 'Prepare purchases, which you confirm or decline',
  'customer:self': 'See your name, e-mail address and phone number',
  'orders:read': 'See your orders',
};

export const STATUSES: Record<AgentToken['status'], string> = {
  active: 'Active',
  revoked: 'Revoked',
  expired: 'Expired',
};

/** An assistant in a sentence. Its name is its own choice and may claim to be anyone's. */
export function assistantNamed(agent_name: string): Html {
  return html`An assistant that calls itself <strong dir="auto">${agent_name}</strong> (nobody has verified that)`;
}

type Ended = Pick<AgentToken, 'status' | 'revoked_by'>;

/** That an assistant's access has ended, and by whom; undefined as long as it has not. */
export function endInWords({ status, revoked_by }: Ended): string | undefined {
  if (status === 'active') return undefined;
  if (status === 'expired') return 'Its access has ended since.';
  switch (revoked_by) {
    case 'customer':
      return 'You have revoked its access since.';
    case 'merchant':
      return 'The shop has revoked its access since.';
    case 'agent':
      return 'It has given its access back since.';
    default:
      return 'Its access has been revoked since.';
  }
}

/** An amount of minor units, as people read it. */
export function budgetInWords(cents: number, currency: string): string {
  return inWords(decimalOf(cents, digitsOf(currency)), currency);
}

export function digitsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Minor units as a plain decimal, for a field. */
export function decimalOf(cents: number, digits: number): string {
  const text = String(cents).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** What was typed into a field for an amount, in minor units; undefined when it is none. */
export function centsIn(typed: string, digits: number): number | undefined {
  const match = /^(\d{1,12})(?:[.,](\d{1,3}))?$/.exec(typed.replaceAll(/\s/g, ''));
  const fraction = match?.[2] ?? '';
  if (!match || fraction.length > digits) return undefined;
  return Number(match[1]) * 10 ** digits + Number(fraction.padEnd(digits, '0') || 0);
}

const ACTIONS: Record<string, string> = {
  'agent.searchCatalog': 'Searched the catalogue',
  'agent.getProduct': 'Looked at a product',
  'agent.findProducts': 'Looked for products',
  'agent.findAndAdd': 'Put something into a cart',
  'agent.findAndBuy': 'Prepared a purchase',
  'agent.getCart': 'Looked at its cart',
  'agent.getCheckout': 'Looked at its purchase',
  'agent.getCustomer': 'Read your profile',
  'agent.listOrders': 'Looked at your orders',
  'agent.getOrder': 'Looked at an order',
  'agent.listAudit': 'Looked at its own activity',
  'agent.revokeToken': 'Gave its access back',
};

/** A call of an agent in words; one that was refused says so. */
export function deedInWords({ action, status }: Pick<AuditEvent, 'action' | 'status'>): string {
  const work = ACTIONS[action] ?? 'Tried something that there is not';
  return status < 400 ? work : `${work} (refused)`;
}

/** Why there is nothing to decide any more. */
export const DECIDED: Record<Exclude<ConsentStatus, 'pending'>, { title: string; sentence: string }> = {
  approved: { title: 'You have allowed this', sentence: 'The assistant gets its access now. You can close this page.' },
  consumed: {
    title: 'You have allowed this',
    sentence: 'The assistant has its access. You can take it back at any time.',
  },
  denied: { title: 'You have refused this', sentence: 'The assistant gets no access. You can close this page.' },
  expired: {
    title: 'This request has expired',
    sentence: 'It was not decided in time. Nothing was allowed. The assistant can ask again.',
  },
};
