import { createHash } from 'node:crypto';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { paying } from '../carts/limits.ts';
import * as redemptions from '../carts/redemptions.ts';
import { holdActor } from '../customers/erasure.ts';
import { bodyMistake, ValidationError } from '../errors.ts';
import { checkoutUrl } from '../links.ts';
import { decimal, minorUnits } from '../money.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { PaymentMeans, PaymentProvider, PaymentToBegin } from '../payments/provider.ts';
import { RETURN_URL_REMEDY, type ReturnRules, safeReturnUrl } from '../return-urls.ts';
import type { Actor, Shop } from '../shop.ts';
import * as agentCheckouts from './agent-limits.ts';
import { type Attempt, findAttempt } from './attempts.ts';
import { bind, customerOf } from './binding.ts';
import { type Completion, type GivenPayment, requireReady } from './complete.ts';
import { freeze } from './frozen.ts';
import { holdStock } from './hold.ts';
import { lockToComplete, type Priced, priceLocked, refuseOver } from './state.ts';

/** The maximum time that the shopper may take on the provider's page. */
const SESSION_MINUTES = 31;

export interface PayInput {
  checkoutDeps: CheckoutDeps;
  checkout_id: string;
  completion: Completion;
  /** The checkout must belong to this customer. */
  customer_id?: string | null;
}

/** A stored payment, and the request to send to the provider. */
export interface Begun {
  attempt: Attempt;
  /**
   * The request to send if the provider does not have the payment yet; undefined if the caller does not send the token
   * of this payment.
   */
  toBegin: PaymentToBegin | undefined;
  /** Whether the request contains a different card than the pending payment. */
  isOther: boolean;
}

/**
 * Stores a payment before the provider is called, together with its basis: total, lines, discount code, stock and agent
 * budget. Cart and checkout cannot change until the payment ends (`payment_id` of both). Returns the pending payment if
 * there is one, and undefined if there is nothing to charge. Throws the errors of `complete`.
 */
export async function beginPayment(
  shop: Shop,
  provider: PaymentProvider,
  actor: Actor,
  { checkoutDeps, checkout_id, completion, customer_id = actor.customer_id }: PayInput,
): Promise<Begun | undefined> {
  await holdActor(shop);
  const locked = await lockToComplete(shop, checkout_id, customer_id);
  const { row } = locked;
  if (row.order_id) return undefined;
  refuseOver(row);
  if (row.payment_id) return goOn(shop, checkoutDeps, row.payment_id, completion.payment);

  const priced = priceLocked(shop, checkoutDeps, locked);
  requireReady(shop, checkoutDeps, priced, completion);
  const { payment } = completion;
  if (priced.payment_method !== 'card' || !payment) return undefined;
  refuseForeignReturn({ ...priced.terms, site_id: shop.siteId }, checkoutDeps, payment.return_url);
  const held_cents = await agentCheckouts.hold(shop, priced);
  const buyer = { customer_id: customerOf(shop, row), email: row.email };
  await redemptions.reserveForPayment(shop, { ...priced.cart, lines: priced.lines }, buyer);
  await holdStock(shop, checkout_id, priced.cart, priced.lines);
  const id = uuidv7();
  await insertPayment(shop, id, provider, { priced, actor, payment, held_cents });
  await bind(shop, row);
  const attempt = await findAttempt(shop, id);
  if (!attempt) throw new Error(`Payment ${id} was not written.`);
  return { attempt, toBegin: toBeginOf(shop, checkoutDeps, attempt, meansOf(payment)), isOther: false };
}

async function goOn(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  payment_id: string,
  payment: GivenPayment | undefined,
): Promise<Begun> {
  const attempt = await findAttempt(shop, payment_id);
  if (!attempt) throw paying({ payment_id });
  const isNamed = payment?.card_token !== undefined || payment?.confirmation_token !== undefined;
  const isSame = payment !== undefined && hashOf(payment).equals(attempt.card_hash);
  const means: PaymentMeans | undefined =
    attempt.kind === 'page' ? { kind: 'page' } : isSame ? meansOf(payment) : undefined;
  return {
    attempt,
    toBegin: means && toBeginOf(shop, checkoutDeps, attempt, means),
    isOther: isNamed && !isSame,
  };
}

/** Throws a ValidationError for a return URL that the shop does not allow. */
function refuseForeignReturn(rules: ReturnRules, deps: CheckoutDeps, return_url: string | undefined): void {
  if (return_url === undefined || safeReturnUrl(return_url, rules, deps)) return;
  throw new ValidationError([bodyMistake(['payment', 'return_url'], 'url_not_allowed', RETURN_URL_REMEDY)]);
}

interface NewPayment {
  priced: Priced;
  actor: Actor;
  payment: GivenPayment;
  held_cents: number;
}

/** Inserts the payment, and extends the cart's lifetime beyond the expiry of the payment. */
async function insertPayment(
  shop: Shop,
  id: string,
  { name }: PaymentProvider,
  { priced, actor, payment, held_cents }: NewPayment,
): Promise<void> {
  const { row, totals } = priced;
  const frozen = JSON.stringify(freeze(priced, actor));
  await shop.run(
    sql`with begun as (
        insert into payments (site_id, id, checkout_id, provider, kind, status, amount, currency, card_hash, frozen, held_cents,
          return_url, expires_at)
        values (${shop.siteId}, ${id}, ${row.id}, ${name}, ${meansOf(payment).kind}, 'started',
          ${decimal(totals.total, shop.currencyDigits)}, ${shop.currency}, ${hashOf(payment)}, ${frozen}::jsonb,
          ${held_cents}, ${payment.return_url === undefined ? null : new URL(payment.return_url).href}, now() + ${SESSION_MINUTES} * interval '1 minute')
        returning id, expires_at
      ), cart as (
        update carts c set payment_id = begun.id, expires_at = greatest(c.expires_at, now() + interval '24 hours')
        from begun where c.site_id = ${shop.siteId} and c.id = ${row.cart_id}
      )
      update checkouts k set payment_id = begun.id, payment_failure = null, reserved_until = greatest(k.reserved_until, begun.expires_at),
        updated_at = now(),
        customer_id = ${customerOf(shop, row)}
      from begun where k.site_id = ${shop.siteId} and k.id = ${row.id}`,
  );
}

function meansOf({ card_token, confirmation_token }: GivenPayment): PaymentMeans {
  if (card_token !== undefined) return { kind: 'card_token', token: card_token };
  if (confirmation_token !== undefined) return { kind: 'confirmation_token', token: confirmation_token };
  return { kind: 'page' };
}

function hashOf(payment: GivenPayment): Buffer {
  const means = meansOf(payment);
  return createHash('sha256')
    .update(means.kind === 'page' ? 'page' : means.token)
    .digest();
}

/**
 * Builds the request to the provider. The provider returns the shopper to this server, which validates the storefront's
 * return URL again and redirects.
 */
function toBeginOf(shop: Shop, deps: CheckoutDeps, attempt: Attempt, means: PaymentMeans): PaymentToBegin {
  const { id, checkout_id, amount, return_url, expires_at } = attempt;
  const back = `${checkoutUrl(shop, deps, checkout_id)}/return${return_url === null ? '' : `?payment=${id}`}`;
  return {
    id,
    site_id: shop.siteId,
    amount: minorUnits(amount, shop.currencyDigits),
    currency: shop.currency,
    capture: attempt.frozen?.priced.terms.payment_capture ?? 'automatic',
    means,
    return_url: back,
    cancel_url: back,
    email: null,
    locale: null,
    description: `Checkout ${checkout_id}`,
    expires_at: new Date(expires_at ?? Date.now()),
  };
}
