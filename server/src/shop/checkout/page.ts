import type { CheckoutStatus, OrderSource } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { type Front, frontObject } from '../merchant/front.ts';
import { current } from '../orders/overdue.ts';
import type { Shop } from '../shop.ts';

/** What the hosted page needs to know of a checkout before it shows or changes anything. */
export interface PagedCheckout {
  id: string;
  cart_id: string;
  customer_id: string | null;
  source: OrderSource;
  /** The agent that made it, if any. */
  agent_token_id: string | null;
  /** The profile of the agent without a token that made it. */
  guest_profile_id: string | null;
  /** The browser to which the buyer's data belong, in hexadecimal. */
  bound_browser: string | null;
  status: CheckoutStatus;
  /** The language that it is in; null if none was given yet. */
  locale: string | null;
  front: Front;
  /** Its customer gets mails about offers already. */
  opted_in: boolean;
  return_url: string | null;
  cancel_url: string | null;
  order_id: string | null;
  /** Cards are taken by a provider with which the shop has an account, not by the one of the configuration. */
  has_payment_account: boolean;
  /** Why the last payment failed, until something is changed. */
  payment_failure: string | null;
  /** The link no longer shows the order: a day has passed since it was made or cancelled, and no bank transfer is awaited. */
  past: boolean;
}

/** The checkout as it stands; `expired` if its time is over, even if that has not been recorded yet. */
export async function findPagedCheckout(shop: Shop, id: string): Promise<PagedCheckout> {
  const found = await shop.one<PagedCheckout>(
    sql`select k.id, k.cart_id, k.customer_id, k.source, k.agent_token_id, k.guest_profile_id,
        encode(k.bound_browser, 'hex') as bound_browser, k.order_id, k.payment_failure, k.locale,
        k.return_url, k.cancel_url,
        exists (select from payment_accounts a where a.site_id = k.site_id) as has_payment_account, ${frontObject} as front,
        coalesce(c.marketing_opt_in, false) as opted_in,
        case when k.order_id is null and k.status <> 'cancelled' and k.payment_id is null
          and k.expires_at <= now() then 'expired'
          else k.status end as status,
        coalesce(${current.payment_status} <> 'awaiting_payment'
          and coalesce(${current.cancelled_at}, o.created_at) <= now() - interval '24 hours', false) as past
      from checkouts k join site_settings t using (site_id)
      left join customers c on c.site_id = k.site_id and c.id = k.customer_id
      left join orders o on o.site_id = k.site_id and o.id = k.order_id
      where k.site_id = ${shop.siteId} and k.id = ${id}`,
  );
  if (!found) throw new Error(`The link of checkout ${id} leads nowhere.`);
  return found;
}

/** How the shop delivers. */
export interface Delivery {
  /** The countries that some active shipping option is for; undefined when there is one for all countries. */
  countries: string[] | undefined;
  /** Whether something can be picked up, and paid for there. */
  pickup: boolean;
  /** The shop's own country, as far as its language or its bank account tell. */
  home: string | undefined;
}

export async function readDelivery(shop: Shop): Promise<Delivery> {
  const rows = await shop.rows<RowOf<'shipping_options', 'countries'> & { pickup: boolean }>(
    sql`select countries, kind = 'pickup' as pickup from shipping_options where site_id = ${shop.siteId} and active`,
  );
  const pickup = rows.some((row) => row.pickup);
  const found = await shop.one<RowOf<'site_settings', 'default_locale'> & { iban: string | null }>(
    sql`select default_locale, bank_details ->> 'iban' as iban from site_settings where site_id = ${shop.siteId}`,
  );
  const home = (found && new Intl.Locale(found.default_locale).region) ?? found?.iban?.slice(0, 2);
  if (rows.some(({ countries }) => countries.length === 0)) return { countries: undefined, pickup, home };
  return { countries: [...new Set(rows.flatMap(({ countries }) => countries))], pickup, home };
}

/** What the confirmation says of an order besides what the contract shows. */
export async function readTerms(shop: Shop, order_id: string) {
  const found = await shop.one<RowOf<'orders', 'tax_included' | 'discount_code'>>(
    sql`select tax_included, discount_code from orders where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  if (!found) throw new Error(`Order ${order_id} is gone.`);
  return found;
}
