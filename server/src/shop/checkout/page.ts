import type { CheckoutStatus, OrderSource } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { type Front, frontObject } from '../merchant/front.ts';
import { hasGoods } from '../orders/nothing-to-ship.ts';
import { current } from '../orders/overdue.ts';
import { isPaidOnReceipt } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';

export interface PagedCheckout {
  id: string;
  cart_id: string;
  customer_id: string | null;
  source: OrderSource;
  /** The agent that created the checkout, if any. */
  agent_token_id: string | null;
  /** The profile of the guest agent that created the checkout. */
  guest_profile_id: string | null;
  /** The browser to which the buyer data is bound, in hexadecimal. */
  bound_browser: string | null;
  status: CheckoutStatus;
  locale: string | null;
  front: Front;
  opted_in: boolean;
  return_url: string | null;
  cancel_url: string | null;
  order_id: string | null;
  /** Whether the shop has its own payment account. */
  has_payment_account: boolean;
  /** The reason why the last payment failed; cleared by the next change. */
  payment_failure: string | null;
  /**
   * Whether the link no longer shows the order: it was placed (or, if it is cancelled, cancelled) more than a day ago,
   * and awaits no bank transfer.
   */
  past: boolean;
}

/**
 * Finds a checkout for the hosted page. The status is `expired` as soon as the checkout has expired, even if the job
 * has not stored it yet.
 */
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
  if (!found) throw new Error(`The link of checkout ${id} has no checkout.`);
  return found;
}

export interface Delivery {
  /** The countries of the active shipping options; undefined if one of the options covers all countries. */
  countries: string[] | undefined;
  /** Whether a shipping option lets shoppers pay when they receive the goods. */
  pays_on_receipt: boolean;
  /** The shop's country, guessed from its language or bank account. */
  home: string | undefined;
}

export async function readDelivery(shop: Shop): Promise<Delivery> {
  const rows = await shop.rows<RowOf<'shipping_options', 'countries' | 'kind' | 'cash_on_delivery_fee'>>(
    sql`select countries, kind, cash_on_delivery_fee from shipping_options where site_id = ${shop.siteId} and active`,
  );
  const pays_on_receipt = rows.some(isPaidOnReceipt);
  const found = await shop.one<RowOf<'site_settings', 'default_locale'> & { iban: string | null }>(
    sql`select default_locale, bank_details ->> 'iban' as iban from site_settings where site_id = ${shop.siteId}`,
  );
  const home = (found && new Intl.Locale(found.default_locale).region) ?? found?.iban?.slice(0, 2);
  if (rows.some(({ countries }) => countries.length === 0)) return { countries: undefined, pays_on_receipt, home };
  return { countries: [...new Set(rows.flatMap(({ countries }) => countries))], pays_on_receipt, home };
}

/** Reads the data of an order that the confirmation page shows and the storefront's Order does not contain. */
export async function readTerms(shop: Shop, order_id: string) {
  const found = await shop.one<RowOf<'orders', 'tax_included' | 'discount_code'> & { has_goods: boolean }>(
    sql`select o.tax_included, o.discount_code, ${hasGoods} as has_goods from orders o
      where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!found) throw new Error(`Order ${order_id} was not found.`);
  return found;
}
