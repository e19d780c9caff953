import type { AuditEvent } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { languageFor } from '../../language/language.ts';
import { actorName } from '../actor-names.ts';
import { detailsOf } from './details.ts';
import { type Audience, inWords } from './words.ts';

export const auditColumns: Sql = selectList<AuditRow>({
  id: sql`e.id`,
  actor_type: sql`e.actor_type`,
  actor_id: sql`e.actor_id`,
  actor_name: actorName,
  action: sql`e.action`,
  status: sql`e.status`,
  targets: sql`e.targets`,
  fields: sql`e.fields`,
  payload_hash: sql`encode(e.payload_hash, 'hex')`,
  ip: sql`e.ip`,
  buyer_ip: sql`e.buyer_ip`,
  user_agent: sql`e.user_agent`,
  correlation_id: sql`e.correlation_id`,
  created_at: sql`e.created_at`,
  details: sql`e.details`,
});

export type AuditRow = Omit<AuditEvent, 'details' | 'summary'> & { details: string | null };

const OF_AGENTS: string[] = ['agent', 'guest_agent'];
/** The API returns sentences in English only. */
const ENGLISH = languageFor('en', 'UTC');

/** The event as the API returns it. Only calls of agents have a summary, and only if an audience is given. */
export function eventOf(row: AuditRow, audience: Audience | null): AuditEvent {
  const event = { ...row, details: detailsOf(row.details) };
  const hasSummary = audience !== null && OF_AGENTS.includes(row.actor_type);
  return { ...event, summary: hasSummary ? inWords(ENGLISH, event, audience) : null };
}
