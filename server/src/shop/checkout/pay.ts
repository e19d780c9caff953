/**
 * Pays a checkout through a provider:
 * 1. Store the payment with its state (begin-payment.ts), in a transaction.
 * 2. Call the provider with the id of the payment, outside of transactions.
 * 3. Apply the result (settle.ts), in a transaction. Success creates the order, which `complete` returns.
 * A job finishes payments whose request was interrupted.
 */

import type { Pool } from 'pg';
import { paying } from '../carts/limits.ts';
import { ShopError, ValidationError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Outcome, PaymentKey, PaymentProvider } from '../payments/provider.ts';
import { inTime } from '../payments/provider-deadlines.ts';
import { deadlinesOf, providerNamed, providerOf } from '../payments/providers.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { type Attempt, actionOf, findAttempt } from './attempts.ts';
import { type Begun, beginPayment, type PayInput } from './begin-payment.ts';
import { requireBuyer } from './binding.ts';
import type { Completion } from './complete.ts';
import { takeEvent } from './settle.ts';
import { type CheckoutRow, findCheckout, type Paid } from './state.ts';

/**
 * Pays a ready checkout through its provider, or continues its pending payment. A retry does not charge again. Does
 * nothing if the checkout is not ready, because `complete` then reports why. Throws `unavailable` if the provider does
 * not answer.
 */
export async function pay(db: Pool, tenant: Tenant, actor: Actor, input: PayInput): Promise<Paid | undefined> {
  if (!mayPay(input.checkoutDeps, input.completion)) {
    const open = await findOpen(db, tenant, actor, input).catch((refusal: unknown) => {
      // This error is ignored here, because `complete` throws the same error.
      if (!(refusal instanceof ShopError)) throw refusal;
    });
    if (!open) return undefined;
  }
  const provider = await providerOf(input.checkoutDeps, tenant.site_id);
  // `complete` throws this error only if a payment is pending or the chosen method is `card`.
  if (!provider) return { refusal: unavailable() };
  const waiting = { ...input, until: Date.now() + deadlinesOf(input.checkoutDeps).request };
  const first = await payOnce(db, tenant, actor, provider, waiting);
  // If the pending payment with another card has failed, tries the card of this request, if enough time is left.
  if (first?.isOther && (first.status === 'failed' || first.status === 'cancelled')) {
    if (waiting.until - Date.now() < deadlinesOf(input.checkoutDeps).request * LEAST_SHARE) throw unavailable();
    return payOnce(db, tenant, actor, provider, waiting);
  }
  if (first?.isOther && first.status !== 'succeeded')
    return { refusal: paying({ payment_id: first.payment_id ?? '' }) };
  return first;
}

/**
 * A second payment in the same request begins only if this share of the request's time is left. Otherwise the shopper
 * would not see the result.
 */
const LEAST_SHARE = 0.25;

function mayPay({ card, accounts }: CheckoutDeps, { payment }: Completion): boolean {
  return (card !== undefined || accounts !== undefined) && payment !== undefined;
}

async function payOnce(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  provider: PaymentProvider,
  input: PayInput & { until: number },
): Promise<(Paid & { isOther?: boolean }) | undefined> {
  let begun: Begun | undefined;
  try {
    begun = await inShop(db, tenant, actor, (shop) => beginPayment(shop, provider, actor, input));
  } catch (refusal) {
    // `complete` throws the returned error.
    if (refusal instanceof ShopError) return { refusal };
    if (refusal instanceof ValidationError && !input.completion.payment) return undefined;
    throw refusal;
  }
  if (!begun) return undefined;
  const { attempt, isOther } = begun;
  // A pending payment may belong to a different provider than new payments.
  const charging =
    attempt.provider === provider.name
      ? provider
      : await providerNamed(input.checkoutDeps, tenant.site_id, attempt.provider);
  const outcome = charging && (await ask(charging, tenant, begun, input.until));
  return { ...(await settle(db, tenant, actor, { ...input, attempt, outcome })), isOther };
}

/** Calls the provider. Returns undefined if it does not have the payment and the request contains no payment token. */
async function ask(
  provider: PaymentProvider,
  tenant: Tenant,
  { attempt, toBegin }: Begun,
  until: number,
): Promise<Outcome | undefined> {
  const begins = toBegin && attempt.status === 'started';
  const call = () => (begins ? provider.begin(toBegin) : provider.outcomeOf(keyOf(tenant, attempt)));
  return inTime(until - Date.now(), call).catch(() => {
    throw unavailable();
  });
}

function unavailable(): ShopError {
  return new ShopError('unavailable', 'The payment provider does not answer. Retry the request.');
}

function keyOf({ site_id }: Tenant, { id, reference }: Attempt): PaymentKey {
  return { id, site_id, reference };
}

interface Settling {
  checkoutDeps: CheckoutDeps;
  attempt: Attempt;
  outcome: Outcome | undefined;
}

async function settle(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { checkoutDeps, attempt, outcome }: Settling,
): Promise<Paid> {
  return inShop(db, tenant, actor, async (shop) => {
    if (outcome) {
      const event_id = `${attempt.id}:${outcome.status}`;
      await takeEvent(shop, checkoutDeps, attempt.id, { provider: attempt.provider, event_id, outcome });
    }
    return paidBy(shop, checkoutDeps, attempt.id);
  });
}

async function paidBy(shop: Shop, { secretKey }: CheckoutDeps, payment_id: string): Promise<Paid> {
  const attempt = await findAttempt(shop, payment_id);
  if (!attempt) throw new Error(`Payment ${payment_id} was not found.`);
  const { status, failure_reason: reason, expires_at } = attempt;
  return { payment_id, status, reason, next_action: actionOf(secretKey, attempt), expires_at };
}

interface OpenInput {
  checkoutDeps: CheckoutDeps;
  checkout_id: string;
  customer_id?: string | null;
}

/**
 * Queries the provider about a checkout's pending payment. Does not throw if the provider fails or does not answer in
 * time.
 */
export function askAgain(db: Pool, tenant: Tenant, actor: Actor, input: OpenInput): Promise<Paid | undefined> {
  return withOpen(db, tenant, actor, input, async (provider, key) =>
    inTime(deadlinesOf(input.checkoutDeps).returning, async () => provider?.outcomeOf(key)).catch(() => undefined),
  );
}

/**
 * Cancels a checkout's pending payment. If it has succeeded meanwhile, creates the order instead. Throws
 * `buyer_data_locked`, and `unavailable` if the provider does not answer.
 */
export function cancelPayment(db: Pool, tenant: Tenant, actor: Actor, input: OpenInput): Promise<Paid | undefined> {
  const call: ProviderCall = async (provider, key) => {
    if (!provider) throw unavailable();
    return inTime(deadlinesOf(input.checkoutDeps).request, () => provider.cancel(key)).catch(() => {
      throw unavailable();
    });
  };
  return withOpen(db, tenant, actor, input, call, requireCanceller);
}

/**
 * Throws `buyer_data_locked` if the caller may not cancel the payment. A browser with the checkout link may always
 * cancel it.
 */
function requireCanceller(shop: Shop, row: CheckoutRow): void {
  if (shop.browser === null) requireBuyer(shop, row);
}

type ProviderCall = (provider: PaymentProvider | undefined, key: PaymentKey) => Promise<Outcome | undefined>;

async function withOpen(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { checkoutDeps, checkout_id, customer_id = actor.customer_id }: OpenInput,
  call: ProviderCall,
  check?: (shop: Shop, row: CheckoutRow) => void,
): Promise<Paid | undefined> {
  const attempt = await findOpen(db, tenant, actor, { checkout_id, customer_id }, check);
  if (!attempt) return undefined;
  const provider = await providerNamed(checkoutDeps, tenant.site_id, attempt.provider);
  const outcome = await call(provider, keyOf(tenant, attempt));
  return settle(db, tenant, actor, { checkoutDeps, attempt, outcome });
}

/** Finds the pending payment of a checkout. Throws `not_found` if the caller has no such checkout. */
async function findOpen(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { checkout_id, customer_id = actor.customer_id }: Pick<OpenInput, 'checkout_id' | 'customer_id'>,
  check?: (shop: Shop, row: CheckoutRow) => void,
): Promise<Attempt | undefined> {
  return inShop(db, tenant, actor, async (shop) => {
    const row = await findCheckout(shop, checkout_id, customer_id);
    check?.(shop, row);
    const { payment_id } = row;
    return payment_id ? findAttempt(shop, payment_id) : undefined;
  });
}
