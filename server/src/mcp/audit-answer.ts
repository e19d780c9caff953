/**
 * The response of `list_audit`. Many fields of a recorded call are equal in all calls of a token, so the tool returns
 * only a few fields, unless `full` is true.
 */

import type { AuditEvent, AuditPage } from '@commerce-backend/spec';
import type { OperationId } from '../http/contract/contract.ts';

export const AUDIT: OperationId = 'agent.listAudit';

/** The number of events that the tool returns if the call names no limit. */
export const EVENTS = 10;

/** The argument for complete events, which belongs to the tool and not to the operation. */
export const FULL = 'full';
export const FULL_SCHEMA = { type: 'boolean', default: false, description: 'With all recorded fields.' };

const LONGEST_QUERY = 60;

export function compactAudit({ audit_events, next_cursor }: AuditPage): Record<string, unknown> {
  return { audit_events: audit_events.map(compactEvent), next_cursor };
}

function compactEvent({ created_at, action, status, details }: AuditEvent) {
  const { outcome, query, found, amount, currency, order_number } = details ?? {};
  const fields = { created_at, action, status, outcome, query: short(query), found, amount, currency, order_number };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function short(query: string | null | undefined): string | null {
  // Counts characters instead of UTF-16 units, because half of an emoji is invalid text, which strict clients reject.
  const characters = [...(query ?? '')];
  if (characters.length <= LONGEST_QUERY) return query ?? null;
  return `${characters
    .slice(0, LONGEST_QUERY - 1)
    .join('')
    .trimEnd()}…`;
}
