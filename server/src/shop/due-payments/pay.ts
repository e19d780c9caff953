/**
 * Pays the amount due of an order on the provider's page. Such a payment begins on a hosted page. Steps:
 *
 * 1. Store the payment (begin.ts), in a transaction.
 * 2. Call the provider with the id of the payment, outside of transactions.
 * 3. Apply the result (settle.ts), in a transaction.
 *
 * A job finishes payments whose request was interrupted, or whose customer did not return.
 */

import type { Pool } from 'pg';
import { ShopError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Outcome, PaymentProvider } from '../payments/provider.ts';
import { inTime } from '../payments/provider-deadlines.ts';
import { deadlinesOf, providerNamed, providerOf } from '../payments/providers.ts';
import type { Actor, Tenant } from '../shop.ts';
import { type BegunDue, beginDue } from './begin.ts';
import { actionOf, type DuePayment, find, findOpen } from './rows.ts';
import { takeDueEvent } from './settle.ts';

export interface DueInput {
  checkoutDeps: CheckoutDeps;
  order_id: string;
  /** The order must belong to this customer. */
  customer_id?: string;
}

export interface DuePage {
  /** The provider's page. */
  url: string;
  amount: string;
  currency: string;
}

/**
 * Returns the provider's page where the amount due can be paid; undefined if nothing is due any more, or if the payment
 * is being processed or has succeeded. If the amount due has changed since the open payment began, or that payment has
 * expired, cancels it at the provider first. Throws `not_found`, `unavailable`, and `payment_failed` if the provider
 * rejects the payment.
 */
export async function payDue(db: Pool, tenant: Tenant, actor: Actor, input: DueInput): Promise<DuePage | undefined> {
  const until = Date.now() + deadlinesOf(input.checkoutDeps).request;
  const first = await payOnce(db, tenant, actor, input, until);
  if (first !== 'ended') return first;
  const second = await payOnce(db, tenant, actor, input, until);
  if (second !== 'ended') return second;
  throw new ShopError('payment_failed', 'The payment provider rejects the payment.', { reason: 'payment_failed' });
}

async function payOnce(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  input: DueInput,
  until: number,
): Promise<DuePage | 'ended' | undefined> {
  const { checkoutDeps } = input;
  const chosen = await providerOf(checkoutDeps, tenant.site_id);
  if (!chosen) throw unavailable();
  const begun = await inShop(db, tenant, actor, (shop) => beginDue(shop, chosen.name, checkoutDeps, input));
  if (!begun) return undefined;
  const { payment } = begun;
  const provider =
    payment.provider === chosen.name ? chosen : await providerNamed(checkoutDeps, tenant.site_id, payment.provider);
  if (!provider) throw unavailable();
  const isOver = begun.isOutdated || Date.parse(payment.expires_at ?? '') <= Date.now();
  const outcome = await inTime(until - Date.now(), () => ask(provider, tenant, begun, isOver)).catch(() => {
    throw unavailable();
  });
  const after = await settle(db, tenant, actor, checkoutDeps, payment, outcome);
  const isEnded = after.status === 'failed' || after.status === 'cancelled';
  if (isEnded || (isOver && after.status === 'succeeded')) return 'ended';
  const url = actionOf(checkoutDeps.secretKey, after)?.url;
  return url ? { url, amount: after.amount, currency: after.currency ?? tenant.currency } : undefined;
}

function ask(
  provider: PaymentProvider,
  { site_id }: Tenant,
  { payment, toBegin }: BegunDue,
  isOver: boolean,
): Promise<Outcome | undefined> {
  const key = { id: payment.id, site_id, reference: payment.reference };
  // The bank is processing a pending payment, which cannot be cancelled any more.
  if (isOver && payment.status !== 'pending') return provider.cancel(key);
  return payment.status === 'started' ? provider.begin(toBegin) : provider.outcomeOf(key);
}

async function settle(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  checkoutDeps: CheckoutDeps,
  { id, provider }: DuePayment,
  outcome: Outcome | undefined,
): Promise<DuePayment> {
  return inShop(db, tenant, actor, async (shop) => {
    if (outcome) {
      const event_id = `${id}:${outcome.status}`;
      await takeDueEvent(shop.asSystem(), checkoutDeps, id, { provider, event_id, outcome });
    }
    const payment = await find(shop, id);
    if (!payment) throw new Error(`Payment ${id} was not found.`);
    return payment;
  });
}

/**
 * Queries the provider about the open payment of an order, and applies the result. Does not throw if the provider fails
 * or does not answer in time.
 */
export async function askDue(db: Pool, tenant: Tenant, actor: Actor, input: DueInput): Promise<void> {
  const { checkoutDeps, order_id } = input;
  const payment = await inShop(db, tenant, actor, (shop) => findOpen(shop, order_id));
  const provider = payment && (await providerNamed(checkoutDeps, tenant.site_id, payment.provider));
  if (!payment || !provider) return;
  const key = { id: payment.id, site_id: tenant.site_id, reference: payment.reference };
  const outcome = await inTime(deadlinesOf(checkoutDeps).returning, () => provider.outcomeOf(key)).catch(
    () => undefined,
  );
  await settle(db, tenant, actor, checkoutDeps, payment, outcome);
}

function unavailable(): ShopError {
  return new ShopError('unavailable', 'The payment provider does not answer. Retry the request.');
}
