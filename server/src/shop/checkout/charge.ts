import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { ShopError, ValidationError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import { decimal, minorUnits } from '../money.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Outcome, PaymentProvider } from '../payments/provider.ts';
import { providerOf } from '../payments/providers.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { type Completion, requireReady } from './complete.ts';
import { holdStock } from './hold.ts';
import { requireMandate } from './mandate.ts';
import { type Charged, lockToComplete, priceLocked, refuseOver } from './state.ts';

/**
 * Charging a card, which no transaction may wait for:
 * 1. in a transaction: the checkout can be completed, its stock is held, and an attempt is written down
 * 2. outside of any: the provider is called, with the id of the attempt
 * 3. in a transaction: the outcome is written down
 * and then the order is made, or refused. A job calls off an attempt that no order comes of (payments/settle.ts).
 */

/** How long the human has at the provider. */
const SESSION_MS = 31 * 60_000;

/**
 * Charges the card for a checkout that is to be paid by card and is ready. Otherwise nothing happens, and it is for
 * `complete` to say why. Sending the same again charges once. Throws `unavailable` when the provider does not answer.
 */
export async function charge(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { checkoutDeps, checkout_id, completion, customer_id = actor.customer_id }: ChargeInput,
): Promise<Charged | undefined> {
  const { card_token } = completion;
  const card = await providerOf(checkoutDeps, tenant.site_id);
  if (!card || card_token === undefined) return undefined;
  const attempt = await inShop(db, tenant, actor, (shop) =>
    begin(shop, card, { checkoutDeps, checkout_id, completion, customer_id }),
  ).catch(leftToComplete);
  if (!attempt) return undefined;

  const { id, amount } = attempt;
  const money = { amount: minorUnits(amount, tenant.currency_digits), currency: tenant.currency };
  const outcome = await card
    .begin({
      id,
      site_id: tenant.site_id,
      ...money,
      capture: 'automatic',
      means: { kind: 'card_token', token: card_token },
      ...{ return_url: null, cancel_url: null, email: null, locale: null },
      description: `Checkout ${checkout_id}`,
      expires_at: new Date(Date.now() + SESSION_MS),
    })
    .catch(() => {
      throw new ShopError('unavailable', 'The card provider does not answer. Send the call again.');
    });
  await inShop(db, tenant, actor, (shop) => note(shop, id, outcome));
  return { payment_id: id, amount, status: outcome.status, reason: outcome.reason };
}

/** Whether a card may have to be charged: the checkout itself is not looked at. */
export function mayCharge({ card }: CheckoutDeps, { card_token }: Completion): boolean {
  return card !== undefined && card_token !== undefined;
}

export interface ChargeInput {
  checkoutDeps: CheckoutDeps;
  checkout_id: string;
  completion: Completion;
  /** Whose checkout it must be. */
  customer_id?: string | null;
}

/** Refusals are told by `complete`, in whose transaction they are kept. */
function leftToComplete(error: unknown): undefined {
  if (error instanceof ShopError || error instanceof ValidationError) return undefined;
  throw error;
}

interface Attempt {
  id: string;
  amount: string;
}

async function begin(
  shop: Shop,
  card: PaymentProvider,
  { checkoutDeps, checkout_id, completion, customer_id = null }: ChargeInput,
): Promise<Attempt | undefined> {
  const locked = await lockToComplete(shop, checkout_id, customer_id);
  if (locked.row.order_id) return undefined;
  refuseOver(locked.row);
  const priced = priceLocked(shop, checkoutDeps, locked);
  requireReady(shop, checkoutDeps, priced, completion);
  if (priced.payment_method !== 'card') return undefined;
  await requireMandate(shop, priced);
  await holdStock(shop, checkout_id, priced.cart, priced.lines);
  await shop.run(
    sql`update checkouts set reserved_until = now() + interval '15 minutes'
      where site_id = ${shop.siteId} and id = ${checkout_id}`,
  );
  return attemptFor(shop, card, checkout_id, {
    amount: decimal(priced.totals.total, shop.currencyDigits),
    card_hash: createHash('sha256')
      .update(completion.card_token ?? '')
      .digest(),
  });
}

/** The attempt under way with this card for this amount, else a new one; one with another card or amount is called off. */
async function attemptFor(
  shop: Shop,
  card: PaymentProvider,
  checkout_id: string,
  { amount, card_hash }: { amount: string; card_hash: Buffer },
): Promise<Attempt> {
  await shop.run(
    sql`update payments set status = 'abandoned', updated_at = now()
      where site_id = ${shop.siteId} and checkout_id = ${checkout_id}
        and status in ('started', 'pending', 'authorized', 'succeeded')
        and (amount <> ${amount}::numeric or card_hash <> ${card_hash} or provider <> ${card.name})`,
  );
  const open = await shop.one<{ id: string }>(
    sql`update payments set updated_at = now()
      where site_id = ${shop.siteId} and checkout_id = ${checkout_id}
        and status in ('started', 'pending', 'authorized', 'succeeded')
      returning id`,
  );
  if (open) return { id: open.id, amount };
  const id = uuidv7();
  await shop.run(
    sql`insert into payments (site_id, id, checkout_id, provider, status, amount, card_hash)
      values (${shop.siteId}, ${id}, ${checkout_id}, ${card.name}, 'started', ${amount}, ${card_hash})`,
  );
  return { id, amount };
}

/** Writes down what the provider answered, unless the attempt has been called off or went further meanwhile. */
async function note(shop: Shop, id: string, { status, reference, reason }: Outcome): Promise<void> {
  await shop.run(
    sql`update payments set status = ${status}, reference = ${reference}, failure_reason = ${reason}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} and status in ('started', 'pending')`,
  );
}
