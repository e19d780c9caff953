import { settlePayments } from '../../server/src/shop/checkout/settle-all.ts';
import type { PaymentProvider } from '../../server/src/shop/payments/provider.ts';
import { createTestProvider } from '../../server/src/shop/payments/test-provider.ts';
import type { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import { sendEvent } from '../../server/test/stripe/webhooks.ts';
import type { Chance } from '../testing/random.ts';
import type { OpenShop, Premises } from '../testing/test-server.ts';
import * as books from './provider-records.ts';
import * as stripeBooks from './stripe-payments.ts';
import { openStripeShop, RETURN_URL } from './stripe-shops.ts';

/** The way in which a payment is started. */
type Means = { card_token: string } | { confirmation_token: string } | { return_url: string };

/** A shop that accepts cards. Its functions act as the provider, the shopper and the clock of a payment. */
export interface CardShop {
  name: string;
  shop: OpenShop;
  /** A payment that waits for the shopper. */
  waiting(): Means;
  /** A card that is charged without further steps. */
  working(): Means;
  decide(checkout_id: string, approved: boolean): Promise<unknown>;
  /** The provider captures the money although it reported the payment as ended, and sends an event about it. */
  succeedLate(checkout_id: string): Promise<void>;
  letTimePass(): Promise<void>;
  /** Does the work of the payment job, which runs each minute. */
  settle(): Promise<void>;
  /** Does the work of the payment job while the provider is unreachable. */
  settleWhileDown(): Promise<void>;
  /** Sends all past events of the provider again. */
  resendEvents(): Promise<void>;
  faultIn(checkout_id: string): Promise<string | undefined>;
}

/** A shop with the test provider, whose cards are words such as `tok_3ds`. */
export async function openTestShop({ db, owner, openShop }: Premises): Promise<CardShop> {
  const shop = await openShop();
  const of: books.Books = { db, owner, tenant: shop.tenant };
  const fail = async () => {
    throw new Error('The provider cannot be reached.');
  };
  const down: PaymentProvider = {
    ...createTestProvider({ db, baseUrl: 'http://localhost' }),
    ...{ outcomeOf: fail, cancel: fail },
  };
  return {
    name: 'the test provider',
    shop,
    waiting: () => ({ card_token: 'tok_3ds' }),
    working: () => ({ card_token: 'tok_success' }),
    decide: (checkout_id, approved) => books.decide(of, checkout_id, approved),
    succeedLate: (checkout_id) => books.succeedLate(of, checkout_id),
    letTimePass: () => books.letTimePass(of),
    settle: () => books.settle(of),
    settleWhileDown: () => books.settle(of, down),
    resendEvents: async () => undefined,
    faultIn: (checkout_id) => books.faultIn(of, checkout_id),
  };
}

/**
 * Opens a shop with Stripe's official client and the stand-in for Stripe. Shoppers pay on Stripe's page, or with a card
 * that the storefront confirms. Webhooks arrive immediately or late.
 */
export async function openStripeCardShop(
  premises: Premises,
  standIn: StripeStandIn,
  chance: Chance,
  capture: 'automatic' | 'manual',
): Promise<CardShop> {
  const { shop, endpoint, deps } = await openStripeShop(premises, standIn, capture);
  const of: stripeBooks.StripeBooks = { owner: premises.owner, standIn, site_id: shop.site_id };
  const settle = () => settlePayments(premises.db, shop.tenant, deps).then(undefined, () => undefined);
  let begun = 0;
  return {
    name: capture === 'automatic' ? 'Stripe' : 'Stripe, captured later',
    shop,
    waiting() {
      begun = standIn.ledger.events.length;
      standIn.endpoints = chance.next() < 0.5 ? [endpoint] : [];
      return chance.next() < 0.5
        ? { return_url: RETURN_URL }
        : { confirmation_token: standIn.confirmationToken('three_d_secure') };
    },
    working: () => ({ confirmation_token: standIn.confirmationToken() }),
    decide: (checkout_id, approved) => stripeBooks.actAtStripe(of, checkout_id, approved),
    succeedLate: (checkout_id) => stripeBooks.succeedLate(of, checkout_id),
    letTimePass: () => stripeBooks.letTimePass(of),
    settle: () => settle().then(() => undefined),
    async settleWhileDown() {
      await standIn.down();
      await settle();
      await standIn.up();
    },
    async resendEvents() {
      await standIn.sent();
      const past = standIn.ledger.events.slice(begun).filter(({ owner }) => owner === endpoint.account);
      for (const event of chance.some(past, past.length)) await sendEvent(event, endpoint);
    },
    faultIn: (checkout_id) => stripeBooks.faultIn(of, checkout_id),
  };
}
