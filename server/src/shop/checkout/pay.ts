import type { Pool } from 'pg';
import { paying } from '../carts/limits.ts';
import { ShopError, ValidationError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { inTime } from '../payments/patience.ts';
import type { Outcome, PaymentKey, PaymentProvider } from '../payments/provider.ts';
import { patienceOf, providerNamed, providerOf } from '../payments/providers.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { type Attempt, actionOf, findAttempt } from './attempts.ts';
import { type Begun, beginPayment, type PayInput } from './begin-payment.ts';
import { requireBuyer } from './binding.ts';
import type { Completion } from './complete.ts';
import { takeEvent } from './settle.ts';
import { type CheckoutRow, findCheckout, type Paid } from './state.ts';

/**
 * Paying a checkout through a provider, which no transaction may wait for:
 * 1. in a transaction: the payment is recorded with what it is for (begin-payment.ts)
 * 2. outside of any: the provider is called, with the id of the payment
 * 3. in a transaction: the outcome takes effect; success makes the order (settle.ts)
 * and then `complete` returns the order, or says what is lacking. A request that is lost in between is followed up by a job.
 */

/**
 * Pays a checkout that is ready and to be paid by card, or continues the payment that is open for it. Otherwise nothing
 * happens, and `complete` says why. Sending the same request again pays once. Throws `unavailable` when the provider does not
 * answer.
 */
export async function pay(db: Pool, tenant: Tenant, actor: Actor, input: PayInput): Promise<Paid | undefined> {
  if (!mayPay(input.checkoutDeps, input.completion)) {
    const open = await findOpen(db, tenant, actor, input).catch((refusal: unknown) => {
      // `complete` throws it again, in whose transaction it is stored.
      if (!(refusal instanceof ShopError)) throw refusal;
    });
    if (!open) return undefined;
  }
  const provider = await providerOf(input.checkoutDeps, tenant.site_id);
  // Matters only where a payment is open that was begun while there was a provider.
  if (!provider) return { refusal: unavailable() };
  const waiting = { ...input, until: Date.now() + patienceOf(input.checkoutDeps).request };
  const first = await payOnce(db, tenant, actor, provider, waiting);
  // Another card, after one that has just been declined, while there is time to learn its outcome.
  if (first?.isOther && (first.status === 'failed' || first.status === 'cancelled')) {
    if (waiting.until - Date.now() < patienceOf(input.checkoutDeps).request * LEAST_SHARE) throw unavailable();
    return payOnce(db, tenant, actor, provider, waiting);
  }
  if (first?.isOther && first.status !== 'succeeded')
    return { refusal: paying({ payment_id: first.payment_id ?? '' }) };
  return first;
}

/**
 * With a smaller share of the request's time left for the provider, no payment is begun: the shopper would not learn its
 * outcome.
 */
const LEAST_SHARE = 0.25;

/** Whether a new payment may begin at a provider: only a request that says how it is paid begins one. */
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
    // `complete` throws it again, in whose transaction it is stored.
    if (refusal instanceof ShopError) return { refusal };
    if (refusal instanceof ValidationError && !input.completion.payment) return undefined;
    throw refusal;
  }
  if (!begun) return undefined;
  const { attempt, isOther } = begun;
  // A payment that was open already may be at another provider than new ones.
  const charging =
    attempt.provider === provider.name
      ? provider
      : await providerNamed(input.checkoutDeps, tenant.site_id, attempt.provider);
  const outcome = charging && (await ask(charging, tenant, begun, input.until));
  return { ...(await settle(db, tenant, actor, { ...input, attempt, outcome })), isOther };
}

/** What the provider says; undefined when it does not know the payment, and the request does not say how it is paid. */
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
  return new ShopError('unavailable', 'The payment provider does not answer. Send the call again.');
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
  if (!attempt) throw new Error(`Payment ${payment_id} is gone.`);
  const { status, failure_reason: reason, expires_at } = attempt;
  return { payment_id, status, reason, next_action: actionOf(secretKey, attempt), expires_at };
}

interface OpenInput {
  checkoutDeps: CheckoutDeps;
  checkout_id: string;
  customer_id?: string | null;
}

/** Asks the provider how the payment of a checkout stands, if one is open. Nothing is thrown when it does not answer soon. */
export function askAgain(db: Pool, tenant: Tenant, actor: Actor, input: OpenInput): Promise<Paid | undefined> {
  return withOpen(db, tenant, actor, input, async (provider, key) =>
    inTime(patienceOf(input.checkoutDeps).returning, async () => provider?.outcomeOf(key)).catch(() => undefined),
  );
}

/**
 * Ends the payment that is open for a checkout, if there is one. A payment that has succeeded by then makes the order. Throws
 * `buyer_data_locked` for callers who may not cancel a bound checkout, and `unavailable` when the provider does not answer.
 */
export function cancelPayment(db: Pool, tenant: Tenant, actor: Actor, input: OpenInput): Promise<Paid | undefined> {
  const call: ProviderCall = async (provider, key) => {
    if (!provider) throw unavailable();
    return inTime(patienceOf(input.checkoutDeps).request, () => provider.cancel(key)).catch(() => {
      throw unavailable();
    });
  };
  return withOpen(db, tenant, actor, input, call, requireCanceller);
}

/** Another browser with the link may go on with the checkout, and so end its payment. */
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

/** The open payment of a checkout, if there is one. Throws `not_found` when the caller has no such checkout. */
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
