import type { AuditEvent } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { languageFor } from '../../language/language.ts';
import { actorName } from '../actor-names.ts';
import { detailsOf } from './details.ts';
import { type Audience, inWords } from './words.ts';

/** A row of `audit_events e` as it is read for `eventOf`. */
export const auditColumns: Sql = sql`e.id, e.actor_type, e.actor_id, ${actorName} as actor_name, e.action, e.status,
  e.targets, e.fields, encode(e.payload_hash, 'hex') as payload_hash, e.ip, e.buyer_ip, e.user_agent, e.correlation_id,
  e.created_at, e.details`;

export type AuditRow = Omit<AuditEvent, 'details' | 'summary'> & { details: string | null };

const OF_AGENTS: string[] = ['agent', 'guest_agent'];
/** Like all other words of the API. */
const ENGLISH = languageFor('en', 'UTC');

/** An AuditEvent of the contract, in words for people alone. */
export function eventOf(row: AuditRow, audience: Audience | null): AuditEvent {
  const event = { ...row, details: detailsOf(row.details) };
  const told = audience !== null && OF_AGENTS.includes(row.actor_type);
  return { ...event, summary: told ? inWords(ENGLISH, event, audience) : null };
}
