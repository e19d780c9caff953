import type { CustomerVisit } from '../parts/customer-visit.ts';
import { type AccountView, withQuery } from '../parts/paths.ts';

/** A request for the account page. */
export interface AccountVisit extends CustomerVisit {
  /** Id of the agent whose actions are shown. */
  agent_id: string | undefined;
  /** Id of the order that is shown. */
  order_id: string | undefined;
  /** The return of this order that an agent has prepared, as in the URL. */
  prepared: string | undefined;
  /** Id of an invoice or credit note of the order, to download. */
  document_id: string | undefined;
  /** The section; undefined for the orders. */
  view: AccountView | undefined;
  /** Id of the address that is edited. */
  address_id: string | undefined;
  /** The change that a form has just made, which the page confirms. */
  done: Done | undefined;
}

export const DONE = ['address_saved', 'address_deleted', 'saved', 'email_sent', 'password_changed', 'deleted'] as const;

export type Done = (typeof DONE)[number];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id in a query or a form; undefined for anything else. */
export function idIn(given: unknown): string | undefined {
  return typeof given === 'string' && UUID.test(given) ? given : undefined;
}

/** Identifies the forms of the account page in form tokens. */
export function accountForm({ session, path }: AccountVisit): string {
  return `account ${session?.session_id ?? ''} ${path}`;
}

/** Path of a section that confirms a change. */
export function doneAt(path: string, done: Done): string {
  return withQuery(path, 'done', done);
}
