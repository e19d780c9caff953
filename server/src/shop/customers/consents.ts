/**
 * Consent to marketing mails. Each grant or withdrawal is stored with time, source and wording;
 * `customers.marketing_opt_in` is the current state.
 */

import type { MarketingConsent } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { together } from '../../db/connect.ts';
import { selectList } from '../../db/fields.ts';
import { foldEmail } from '../emails.ts';
import type { Shop } from '../shop.ts';

interface Decision {
  granted: boolean;
  source: MarketingConsent['source'];
  wording?: string | null | undefined;
  /** Default: now. */
  at?: string;
}

/**
 * Records and applies a customer's decision about marketing mails. Does not record a withdrawal without a previous
 * grant, or a repeated grant without a new wording.
 */
export async function decide(
  shop: Shop,
  customer_id: string,
  { granted, source, wording = null, at }: Decision,
): Promise<void> {
  const words = granted ? wording : null;
  // Lock the customer first, so that the latest decision read below includes concurrent ones.
  await together(
    shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`),
    shop.run(
      sql`with customer as (
          select id, email, marketing_opt_in from customers where site_id = ${shop.siteId} and id = ${customer_id}
        ), newest as (
          select granted, wording from marketing_consents where site_id = ${shop.siteId} and customer_id = ${customer_id}
          order by recorded_at desc, id desc limit 1
        ), changed as (
          update customers c set marketing_opt_in = ${granted}, updated_at = now() from customer
          where c.site_id = ${shop.siteId} and c.id = customer.id and customer.marketing_opt_in <> ${granted}
        )
        insert into marketing_consents (site_id, id, customer_id, email, granted, source, wording, recorded_at)
        select ${shop.siteId}, ${uuidv7()}, customer.id, email, ${granted}, ${source}, ${words},
          coalesce(${at ?? null}::timestamptz, clock_timestamp())
        from customer left join newest on true
        where case when ${granted}
          then not marketing_opt_in or newest.granted is not true
            or newest.wording is distinct from coalesce(${words}, newest.wording)
          else marketing_opt_in or newest.granted is true end`,
    ),
  );
}

interface Imported {
  customer_id: string;
  email: string;
  wording: string | null;
  at: string | null;
}

/**
 * Records imported marketing consents of new or locked customers who have not decided here. The caller applies them.
 */
export async function recordImported(shop: Shop, imported: Imported[]): Promise<void> {
  if (imported.length === 0) return;
  const rows = imported.map((one) => ({ ...one, id: uuidv7() }));
  await shop.run(
    sql`insert into marketing_consents (site_id, id, customer_id, email, granted, source, wording, recorded_at)
      select ${shop.siteId}, n.id, n.customer_id, n.email, true, 'import', n.wording, coalesce(n.at, clock_timestamp())
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id uuid, customer_id uuid, email text, wording text,
        at timestamptz)`,
  );
}

interface Ordered {
  order_id: string;
  customer_id: string | null;
  email: string;
  wording: string | null;
}

/**
 * Records the marketing consent given with an order. A job applies it to the customer: carts and checkouts are locked
 * here, and customers must be locked before them.
 */
export async function recordAtCheckout(shop: Shop, { order_id, customer_id, email, wording }: Ordered): Promise<void> {
  const job = customer_id && JSON.stringify({ site_id: shop.siteId, customer_id });
  await shop.run(
    sql`insert into marketing_consents (site_id, id, customer_id, email, granted, source, wording, order_id)
      values (${shop.siteId}, ${uuidv7()}, ${customer_id}, ${foldEmail(email)}, true, 'checkout', ${wording}, ${order_id})`,
  );
  if (job) await shop.run(sql`select enqueue('apply_consent', ${job}::json, now())`);
}

/** Applies the customer's latest decision about marketing mails. */
export async function applyNewest(shop: Shop, customer_id: string): Promise<void> {
  await shop.run(
    sql`update customers c set marketing_opt_in = newest.granted, updated_at = now()
      from (
        select granted from marketing_consents where site_id = ${shop.siteId} and customer_id = ${customer_id}
        order by recorded_at desc, id desc limit 1
      ) as newest
      where c.site_id = ${shop.siteId} and c.id = ${customer_id} and c.anonymized_at is null
        and c.marketing_opt_in <> newest.granted`,
  );
}

/**
 * Assigns a guest's marketing consents to the account that verified the e-mail address, without applying them: another
 * person may have typed that address.
 */
export async function attachOfGuest(shop: Shop, customer_id: string, email: string): Promise<void> {
  await shop.run(
    sql`update marketing_consents set customer_id = ${customer_id}
      where site_id = ${shop.siteId} and email = ${email} and customer_id is null`,
  );
}

const columns: Sql = selectList<MarketingConsent>({
  id: sql`id`,
  email: sql`email`,
  granted: sql`granted`,
  source: sql`source`,
  wording: sql`wording`,
  order_id: sql`order_id`,
  recorded_at: sql`recorded_at`,
});

const SHOWN_AT_MOST = 100;

/** Lists a customer's decisions about marketing mails, newest first, at most 100. */
export function listOfCustomer(shop: Shop, customer_id: string): Promise<MarketingConsent[]> {
  return shop.rows<MarketingConsent>(
    sql`select ${columns} from marketing_consents where site_id = ${shop.siteId} and customer_id = ${customer_id}
      order by recorded_at desc, id desc limit ${SHOWN_AT_MOST}`,
  );
}

/** Returns the marketing decisions of several customers by customer id, newest first, at most 100 of each customer. */
export async function listOfAll(shop: Shop, customer_ids: string[]): Promise<Map<string, MarketingConsent[]>> {
  const rows = await shop.rows<{ customer_id: string } & MarketingConsent>(
    sql`select wanted.customer_id, newest.* from unnest(${customer_ids}::uuid[]) as wanted (customer_id)
      cross join lateral (
        select ${columns} from marketing_consents m
        where m.site_id = ${shop.siteId} and m.customer_id = wanted.customer_id
        order by recorded_at desc, id desc limit ${SHOWN_AT_MOST}
      ) as newest`,
  );
  const byCustomer = Map.groupBy(rows, ({ customer_id }) => customer_id);
  return new Map([...byCustomer].map(([id, own]) => [id, own.map(({ customer_id: _, ...consent }) => consent)]));
}

/** Deletes a customer's marketing decisions, and those of guests with the same e-mail address. */
export async function forget(shop: Shop, customer_id: string): Promise<void> {
  await shop.run(
    sql`delete from marketing_consents where site_id = ${shop.siteId} and (customer_id = ${customer_id}
      or email = (select email from customers where site_id = ${shop.siteId} and id = ${customer_id}))`,
  );
}
