/** Reads a tenant's data as the owner of the database. */

import type { Pool } from 'pg';

/**
 * Tables that are read before the tenant is known. Most of them serve to find the tenant: by the hash of a token, by
 * the secret in a link to a checkout or to a consent request, by host, by a staff invitation, or by an assistant's
 * code. Two are for the catalogue's version, which the same statement computes, and one is for the links that lift a
 * login delay. All other tables with a site_id are tenant tables.
 */
export const DIRECTORY = [
  ...['sites', 'staff_memberships', 'staff_invitations', 'tokens', 'customer_tokens', 'checkout_links'],
  'agent_consent_links',
  'assistants',
  ...['catalog_versions', 'catalog_schedule'],
  'site_domains',
  'login_unlocks',
];

/** Tables that a request may write without having an effect. */
const NO_EFFECT = ['idempotency_keys', 'site_usage'];

/** Tables that a rejected request writes, because it is audited. */
const REFUSED = ['audit_events'];

/** Agents' calls are excluded, because each is audited regardless of its result; E8 checks that. */
const EXCEPT: Record<string, string> = { audit_events: `and t.actor_type <> 'agent'` };

const tablesOf = new WeakMap<Pool, Promise<string[]>>();

export function tablesWithSite(owner: Pool): Promise<string[]> {
  const known = tablesOf.get(owner) ?? listTables(owner);
  tablesOf.set(owner, known);
  return known;
}

async function listTables(owner: Pool): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'site_id'
     where n.nspname = 'commerce' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * A tenant's data: for each table, the number of rows and a digest of their versions, which changes with every write.
 */
export type Holdings = Record<string, { rows: number; digest: string }>;

export async function holdingsOf(owner: Pool, site_id: string): Promise<Holdings> {
  const tables = (await tablesWithSite(owner)).filter((table) => !NO_EFFECT.includes(table));
  const parts = tables.map((table) => partOf(table, `commerce.${table} t where t.site_id = $1 ${EXCEPT[table] ?? ''}`));
  // Sessions have no site_id: they belong to staff, and staff to sites.
  parts.push(
    partOf(
      'staff_sessions',
      'commerce.staff_sessions t where t.staff_id in (select staff_id from commerce.staff_memberships where site_id = $1)',
    ),
  );
  // A connection reuses the plan of a named statement after a few runs. Planning this statement takes longer than
  // running it.
  const { rows } = await owner.query<{ name: string; rows: number; digest: string }>({
    name: 'holdings',
    text: parts.join(' union all '),
    values: [site_id],
  });
  return Object.fromEntries(rows.map(({ name, ...held }) => [name, { ...held, rows: Number(held.rows) }]));
}

function partOf(name: string, from: string): string {
  return `select '${name}' as name, count(*) as rows,
    coalesce(sum(hashtextextended(t.ctid::text || ' ' || t.xmin::text, 0)), 0)::text as digest from ${from}`;
}

/** Returns the tables whose contents differ, each with the number of added rows. */
export function changes(before: Holdings, after: Holdings): Record<string, number> {
  const changed = Object.keys(after).filter((table) => before[table]?.digest !== after[table]?.digest);
  return Object.fromEntries(changed.map((table) => [table, (after[table]?.rows ?? 0) - (before[table]?.rows ?? 0)]));
}

/** Returns the changed tables, except those that even a rejected call may write. */
export function effects(before: Holdings, after: Holdings): string[] {
  return Object.keys(changes(before, after)).filter((table) => !REFUSED.includes(table));
}
