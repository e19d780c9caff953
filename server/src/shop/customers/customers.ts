/**
 * Customers as staff manage them. Every change locks the customer first, then, if needed, carts, checkouts, orders,
 * discount codes and stock, each in order of ids (erasure.ts).
 */

import type { CustomerDetails, CustomerInput, CustomerPatch, CustomerRecord } from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { foldEmail } from '../emails.ts';
import { notFound, ShopError } from '../errors.ts';
import { escapeLike } from '../like.ts';
import * as mail from '../mail.ts';
import { canonicalAmount } from '../money.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import * as addresses from './addresses.ts';
import * as consents from './consents.ts';
import { records } from './rows.ts';
import * as sessions from './sessions.ts';

export interface CustomerQuery extends PageQuery {
  q?: string;
  has_account?: boolean;
  sort?: CustomerSort;
}

type CustomerSort = 'newest' | 'oldest' | 'email_asc' | 'email_desc';

const SORTS: Record<CustomerSort, Sql> = {
  newest: sql`created_at desc, id desc`,
  oldest: sql`created_at, id`,
  email_asc: sql`lower(email), id`,
  email_desc: sql`lower(email) desc, id`,
};

/** Returns one page of customers. `q` matches parts of e-mail addresses, full names and phone numbers. */
export async function list(shop: Shop, query: CustomerQuery): Promise<{ customers: CustomerRecord[] } & Page> {
  const { page, limit, offset } = pageOf(query);
  const wanted = await conditions(shop, query);
  const counted = await shop.one<{ total: number }>(
    sql`select count(*) as total from customers c where site_id = ${shop.siteId} and ${wanted}`,
  );
  const total = counted?.total ?? 0;
  const customers = await records(
    shop,
    sql`${wanted} order by ${SORTS[query.sort ?? 'newest']} limit ${limit} offset ${offset}`,
  );
  return { customers, total, page, limit, pages: Math.ceil(total / limit) };
}

async function conditions(shop: Shop, { q, has_account }: CustomerQuery): Promise<Sql> {
  const mentioned = q ? await mentioning(shop, `%${escapeLike(q)}%`) : sql`true`;
  return sql`${mentioned}
    and (${has_account ?? null}::boolean is null or (c.password_hash is not null) = ${has_account ?? null})`;
}

/** If more customers match, a scan is as fast as the index. */
const FEW = 1_000;

/**
 * The condition that a customer's e-mail address, phone number or name contains the text. Uses the index only if few
 * customers match.
 */
async function mentioning(shop: Shop, like: string): Promise<Sql> {
  const found = await shop.rows<{ customer_id: string }>(
    sql`select s.customer_id from search_customers(${like}, ${FEW + 1}) s`,
  );
  if (found.length <= FEW) return sql`c.id = any(${found.map(({ customer_id }) => customer_id)}::uuid[])`;
  return sql`(c.email ilike ${like} or c.phone ilike ${like} or concat_ws(' ', c.first_name, c.last_name) ilike ${like})`;
}

/**
 * Returns a customer with addresses and marketing decisions. Throws `not_found`, even for a customer of another shop.
 */
export async function get(shop: Shop, id: string): Promise<CustomerDetails> {
  return {
    ...(await record(shop, id)),
    addresses: await addresses.list(shop, id),
    marketing_consents: await consents.listOfCustomer(shop, id),
  };
}

export interface ExportQuery {
  cursor?: string;
  limit?: number;
  created_from?: string;
  created_to?: string;
}

/**
 * Returns one page of customers, oldest first, without anonymised ones. `cursor` is the `next_cursor` of the previous
 * page.
 */
export async function exportPage(
  shop: Shop,
  { cursor, limit = 100, created_from, created_to }: ExportQuery,
): Promise<{ customers: CustomerDetails[]; next_cursor: string | null }> {
  const conditions = [sql`c.anonymized_at is null`];
  if (cursor) conditions.push(sql`c.id > ${idOfCursor(cursor)}`);
  if (created_from) conditions.push(sql`c.created_at >= ${created_from}`);
  if (created_to) conditions.push(sql`c.created_at < ${created_to}`);
  const rows = await records(shop, sql`${join(conditions, ' and ')} order by c.id limit ${limit + 1}`);
  const { page, next_cursor } = cursorPage(rows, limit);
  const ids = page.map(({ id }) => id);
  const books = await addresses.listOfAll(shop, ids);
  const decisions = await consents.listOfAll(shop, ids);
  const customers = page.map((row) => ({
    ...row,
    addresses: books.get(row.id) ?? [],
    marketing_consents: decisions.get(row.id) ?? [],
  }));
  return { customers, next_cursor };
}

/** Returns a customer without addresses. Throws `not_found` if this shop has no such customer. */
export async function record(shop: Shop, id: string): Promise<CustomerRecord> {
  const [found] = await records(shop, sql`c.id = ${id}`);
  if (!found) throw notFound('customer');
  return found;
}

/** Creates a customer without a password and sends no mail. Throws `email_taken`. */
export async function create(shop: Shop, input: CustomerInput): Promise<CustomerRecord> {
  const id = uuidv7();
  await shop.run(
    sql`insert into customers (site_id, id, email, first_name, last_name, phone, note, metadata, payment_terms_days, credit_limit)
      values (${shop.siteId}, ${id}, ${foldEmail(input.email)}, ${input.first_name ?? null}, ${input.last_name ?? null},
        ${input.phone ?? null}, ${input.note ?? null},
        ${JSON.stringify(input.metadata ?? {})}::jsonb, ${input.payment_terms_days ?? null}, ${limitOf(shop, input)})`,
  );
  if (input.marketing_opt_in) await consents.decide(shop, id, { granted: true, source: 'dashboard' });
  return record(shop, id);
}

/**
 * Changes the given fields. Throws `not_found`, `email_taken`, and `conflict` for an anonymised customer. A new e-mail
 * address of an account takes effect when the link mailed to that address is opened, and the current address is
 * notified.
 */
export async function update(shop: Shop, id: string, patch: CustomerPatch): Promise<CustomerRecord> {
  const before = await shop.one<EmailRow>(
    sql`select email, anonymized_at is not null as anonymized, password_hash is not null as has_account
      from customers where site_id = ${shop.siteId} and id = ${id} for no key update`,
  );
  if (!before) throw notFound('customer');
  if (before.anonymized) throw new ShopError('conflict', 'This customer is anonymised and cannot be changed.');
  await shop.run(
    sql`update customers set metadata = coalesce(${patch.metadata ? JSON.stringify(patch.metadata) : null}::jsonb, metadata),
        ${textChanges(patch, ['first_name', 'last_name', 'phone', 'note'])} ${termsChanges(shop, patch)} updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (patch.marketing_opt_in !== undefined) {
    await consents.decide(shop, id, { granted: patch.marketing_opt_in, source: 'dashboard' });
  }
  if (patch.email !== undefined) {
    const email = foldEmail(patch.email);
    await (before.has_account ? askForEmail(shop, id, before, email) : replaceEmail(shop, id, before, email));
  }
  return record(shop, id);
}

function termsChanges(shop: Shop, patch: Pick<CustomerPatch, 'payment_terms_days' | 'credit_limit'>): Sql {
  const { payment_terms_days: days, credit_limit } = patch;
  return sql`${days === undefined ? empty : sql`payment_terms_days = ${days},`}
        ${credit_limit === undefined ? empty : sql`credit_limit = ${limitOf(shop, patch)},`}`;
}

function limitOf(shop: Shop, { credit_limit }: Pick<CustomerPatch, 'credit_limit'>): string | null {
  return credit_limit ? canonicalAmount(credit_limit, shop.currencyDigits, ['body', 'credit_limit']) : null;
}

interface EmailRow {
  email: string;
  anonymized: boolean;
  has_account: boolean;
}

/**
 * Mails the new e-mail address a link to confirm it, and notifies the current address. Requesting the current address
 * cancels a pending change.
 */
async function askForEmail(shop: Shop, id: string, before: EmailRow, email: string): Promise<void> {
  const isChange = email !== before.email;
  const taken = await shop.one(
    sql`select from customers where site_id = ${shop.siteId} and email = ${email} and id <> ${id}`,
  );
  if (taken) throw new ShopError('email_taken', 'Another customer has this e-mail.');
  const changed = await shop.run(
    sql`update customers set pending_email = ${isChange ? email : null}
      where site_id = ${shop.siteId} and id = ${id} and (${isChange} or pending_email is not null)`,
  );
  if (changed === 0) return;
  await shop.run(
    sql`delete from customer_codes
      where site_id = ${shop.siteId} and customer_id = ${id} and purpose = 'verify_email' and used_at is null`,
  );
  if (!isChange) return;
  await mail.enqueue(shop, 'address_changed_by_staff', { customer_id: id });
  await mail.enqueue(shop, 'address_change_requested', { customer_id: id });
}

async function replaceEmail(shop: Shop, id: string, before: EmailRow, email: string): Promise<void> {
  if (email === before.email) return;
  await shop.run(
    sql`update customers set email = ${email}, email_verified_at = null where site_id = ${shop.siteId} and id = ${id}`,
  );
  await shop.run(sql`delete from customer_codes where site_id = ${shop.siteId} and customer_id = ${id}`);
  await sessions.endAllSessions(shop, id);
}

const TEXTS = {
  first_name: sql`first_name`,
  last_name: sql`last_name`,
  phone: sql`phone`,
  note: sql`note`,
  locale: sql`locale`,
};

type TextField = keyof typeof TEXTS;

/** SQL assignments for the given text fields, each ending with a comma. Null empties a field. */
export function textChanges(patch: Partial<Record<TextField, string | null>>, fields: TextField[]): Sql {
  let changes = sql``;
  for (const field of fields) {
    if (patch[field] !== undefined) changes = sql`${changes}${TEXTS[field]} = ${patch[field]}, `;
  }
  return changes;
}
