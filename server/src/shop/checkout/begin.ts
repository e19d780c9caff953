/** Creates checkouts. Prices are calculated first, so that one insert is enough. */

import type { Address, Attribution } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { newId } from '../../db/new-id.ts';
import { isPhone } from '../address-rules.ts';
import type { CartState } from '../carts/rows.ts';
import { checkoutToken } from '../links.ts';
import { later } from '../moments.ts';
import { decimal } from '../money.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Shop } from '../shop.ts';
import { hashToken } from '../tokens.ts';
import { type CheckoutRow, expiresAt, expiryOf, type Priced, RESERVED_MINUTES, reservedUntil } from './state.ts';
import { pricesOf, statusOf } from './view.ts';

export interface Wishes {
  locale?: string | null | undefined;
  attribution?: Attribution | undefined;
  return_url?: string | null | undefined;
  cancel_url?: string | null | undefined;
}

interface Profile {
  email: string | null;
  phone: string | null;
  locale: string | null;
  shipping_address: Address | null;
}

const NOBODY: Profile = { email: null, phone: null, locale: null, shipping_address: null };

/**
 * Builds a checkout with the customer's e-mail address, phone number and default address. The checkout of an agent's
 * cart needs a person's confirmation, even if a person created the checkout.
 */
export async function draftOf(
  shop: Shop,
  cart: CartState,
  { locale, return_url, cancel_url }: Wishes,
): Promise<CheckoutRow> {
  const customer_id = cart.customer_id ?? shop.customerId;
  const byAgent = cart.agent_token_id !== null || cart.guest_profile_id !== null;
  const known = customer_id === null ? NOBODY : await profileOf(shop, customer_id);
  const { email, phone, shipping_address } = known;
  return {
    ...{ id: newId(), cart_id: cart.id, customer_id, agent_token_id: cart.agent_token_id },
    ...{ guest_profile_id: cart.guest_profile_id, bound_browser: null },
    status: byAgent ? 'requires_escalation' : 'open',
    source: byAgent ? 'agent' : 'storefront',
    // The phone number in a profile is not validated. An invalid one must not block the checkout.
    phone: isCallable(phone, shipping_address) ? phone : null,
    shipping_address:
      shipping_address && !isCallable(shipping_address.phone, shipping_address)
        ? { ...shipping_address, phone: null }
        : shipping_address,
    ...{ email, billing_address: null, shipping_option_id: null, payment_method: null, note: null },
    ...{
      marketing_opt_in: false,
      marketing_wording: null,
      digital_consent_wording: null,
      return_url: return_url ?? null,
      cancel_url: cancel_url ?? null,
    },
    locale: locale ?? cart.locale ?? known.locale,
    ...{ shown_total: '0', shown_prices: {}, told_prices: null, payment_id: null, payment: null },
    ...{ expired: false, order_id: null, order_number: null, reserved_until: null },
    // Set by the insert.
    ...{ expires_at: '', created_at: '', updated_at: '' },
  };
}

function isCallable(phone: string | null | undefined, address: Address | null): boolean {
  return !phone || isPhone(phone, address?.country);
}

async function profileOf(shop: Shop, customer_id: string): Promise<Profile> {
  const found = await shop.one<Profile>(
    sql`select c.email, c.phone, c.locale, (
          select a.address from customer_addresses a
          where a.site_id = c.site_id and a.customer_id = c.id and a.is_default order by a.id limit 1) as shipping_address
      from customers c where c.site_id = ${shop.siteId} and c.id = ${customer_id} and c.anonymized_at is null`,
  );
  return found ?? NOBODY;
}

/** Returns the row of a new checkout as the insert will store it. */
export async function begunAs(shop: Shop, { row, missing }: Priced): Promise<CheckoutRow> {
  const now = await shop.moment();
  return {
    ...row,
    status: row.status === 'open' ? statusOf(missing) : row.status,
    reserved_until: shop.actorType === 'guest_agent' ? null : later(now, RESERVED_MINUTES, 'minutes'),
    expires_at: expiryOf(row.source, now),
    created_at: now,
    updated_at: now,
  };
}

/** Inserts a new checkout with the displayed prices. */
export async function begin(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  priced: Priced,
  { attribution }: Wishes,
): Promise<void> {
  const { row, missing, totals } = priced;
  const digits = shop.currencyDigits;
  const begun = await shop.run(
    sql`with begun as (
        insert into checkouts as k (site_id, id, cart_id, customer_id, email, phone, shipping_address, status, source,
          agent_token_id, guest_profile_id, locale, return_url, cancel_url, attribution, shown_total, shown_prices, reserved_until, expires_at)
        select ${shop.siteId}, ${row.id}, of.id, ${row.customer_id}, ${row.email}, ${row.phone},
          ${row.shipping_address && JSON.stringify(row.shipping_address)}::jsonb, ${row.status === 'open' ? statusOf(missing) : row.status}, ${row.source},
          ${row.agent_token_id}, ${row.guest_profile_id}, ${row.locale}, ${row.return_url}, ${row.cancel_url},
          coalesce(${attribution ? JSON.stringify(attribution) : null}::jsonb, of.attribution),
          ${decimal(totals.total, digits)}, ${JSON.stringify(pricesOf(priced, digits))}::jsonb,
          ${shop.actorType === 'guest_agent' ? sql`null::timestamptz` : reservedUntil},
          ${expiresAt(sql`${row.source}`)}
        from carts of where of.site_id = ${shop.siteId} and of.id = ${row.cart_id}
        returning id
      )
      insert into checkout_links (site_id, checkout_id, token_hash)
      select ${shop.siteId}, id, ${hashToken(checkoutToken(shop, checkoutDeps, row.id))} from begun`,
  );
  if (begun !== 1) throw new Error(`Checkout ${row.id} was not inserted.`);
}
