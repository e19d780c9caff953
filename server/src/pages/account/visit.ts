import type { CustomerVisit } from '../parts/customer-visit.ts';

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
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id in a query or a form; undefined for anything else. */
export function idIn(given: unknown): string | undefined {
  return typeof given === 'string' && UUID.test(given) ? given : undefined;
}

/** Identifies the forms of the account page in form tokens. */
export function accountForm({ session, path }: AccountVisit): string {
  return `account ${session?.session_id ?? ''} ${path}`;
}
