import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';
import * as addresses from './addresses.ts';
import * as consents from './consents.ts';
import type { Fields, Known, Plan } from './import-plan.ts';

/**
 * Locks the customers with these e-mail addresses and returns them by e-mail address. Locks in order of ids, so that
 * two imports of the same customers cannot deadlock.
 */
export async function lockKnown(shop: Shop, emails: string[]): Promise<Map<string, Known>> {
  const rows = await shop.rows<Fields>(
    sql`select id, email, first_name, last_name, phone, note, locale, metadata, marketing_opt_in from customers
      where site_id = ${shop.siteId} and email = any(${emails}::text[]) order by id for no key update`,
  );
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ id }) => id);
  const decided = await shop.rows<{ customer_id: string }>(
    sql`select distinct customer_id from marketing_consents
      where site_id = ${shop.siteId} and customer_id = any(${ids}::uuid[])`,
  );
  const has = new Set(decided.map(({ customer_id }) => customer_id));
  const books = await addresses.listOfAll(shop, ids);
  return new Map(
    rows.map((row) => [row.email, { ...row, has_decided: has.has(row.id), addresses: books.get(row.id) ?? [] }]),
  );
}

/**
 * Inserts new customers in the order of their e-mail addresses. Returns the ids of the inserted customers; concurrent
 * requests have inserted the others.
 */
export async function insertNew(shop: Shop, plans: Plan[]): Promise<Set<string>> {
  if (plans.length === 0) return new Set();
  const rows = plans.map(({ customer, input }) => ({ ...customer, created_at: input.created_at ?? null }));
  const made = await shop.rows<RowOf<'customers', 'id'>>(
    sql`insert into customers (site_id, id, email, first_name, last_name, phone, note, locale, metadata, marketing_opt_in, created_at,
        imported_at)
      select ${shop.siteId}, n.id, n.email, n.first_name, n.last_name, n.phone, n.note, n.locale, n.metadata, n.marketing_opt_in,
        coalesce(n.created_at, now()), now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id uuid, email text, first_name text, last_name text,
        phone text, note text, locale text, metadata jsonb, marketing_opt_in boolean, created_at timestamptz)
      order by n.email
      on conflict (site_id, lower(email)) do nothing returning id`,
  );
  return new Set(made.map(({ id }) => id));
}

/** Updates existing, locked customers. */
export async function writeChanged(shop: Shop, plans: Plan[]): Promise<void> {
  const rows = plans.flatMap(({ before, customer, described, consented }) =>
    before !== undefined && (described || consented) ? [customer] : [],
  );
  if (rows.length === 0) return;
  await shop.run(
    sql`update customers c set first_name = n.first_name, last_name = n.last_name, phone = n.phone, note = n.note,
        locale = n.locale, metadata = n.metadata, marketing_opt_in = n.marketing_opt_in, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id uuid, first_name text, last_name text, phone text,
        note text, locale text, metadata jsonb, marketing_opt_in boolean)
      where c.site_id = ${shop.siteId} and c.id = n.id`,
  );
}

/** Inserts the marketing consents and addresses of existing and new customers. */
export async function writeAdded(shop: Shop, plans: Plan[]): Promise<void> {
  await consents.recordImported(
    shop,
    plans.flatMap(({ customer: { id, email }, consented, input }) => {
      const { marketing_opt_in_at: at = null, marketing_wording: wording = null } = input;
      return consented ? [{ customer_id: id, email, wording, at }] : [];
    }),
  );
  await addresses.addImported(
    shop,
    plans.flatMap(({ customer: { id: customer_id }, addresses: all }) => all.map((one) => ({ customer_id, ...one }))),
  );
}
