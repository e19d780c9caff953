import type { AuditEvent } from '@commerce-backend/spec';
import sql, { raw, type Sql } from 'sql-template-tag';
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
  target_name: targetName(),
});

export type AuditRow = Omit<AuditEvent, 'details' | 'summary' | 'changes' | 'more_changes'> & {
  details: string | null;
};

/**
 * The current name of the first target. Ids are unique across tables, so the first table that contains the id has the
 * name.
 */
function targetName(): Sql {
  const named = (table: string, name: string) =>
    sql`(select ${raw(name)} from ${raw(table)} n where n.site_id = e.site_id and n.id = e.targets[1])`;
  return sql`case when e.targets[1] is null then null else coalesce(
    ${named('products', 'n.name')}, ${named('orders', 'n.order_number')}, ${named('discounts', 'n.code')},
    ${named('collections', 'n.title')}, ${named('shipping_options', 'n.name')},
    ${named('customers', "nullif(concat_ws(' ', n.first_name, n.last_name), '')")},
    (select concat_ws(' ', p.name, nullif(n.sku, '')) from variants n join products p on p.site_id = n.site_id
      and p.id = n.product_id where n.site_id = e.site_id and n.id = e.targets[1]),
    (select n.name from staff n join staff_memberships m on m.staff_id = n.id
      where m.site_id = e.site_id and n.id = e.targets[1])) end`;
}

const OF_AGENTS: string[] = ['agent', 'guest_agent'];
/** The API returns sentences in English only. */
const ENGLISH = languageFor('en', 'UTC');

/** The event as the API returns it. Only calls of agents have a summary, and only if an audience is given. */
export function eventOf(row: AuditRow, audience: Audience | null): AuditEvent {
  const event = { ...row, ...detailsOf(row.details) };
  const hasSummary = audience !== null && OF_AGENTS.includes(row.actor_type);
  return { ...event, summary: hasSummary ? inWords(ENGLISH, event, audience) : null };
}
