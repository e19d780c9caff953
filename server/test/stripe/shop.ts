import { createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import { finishMoves } from '../../src/shop/checkout/moving.ts';
import { settlePayments } from '../../src/shop/checkout/settle-all.ts';
import { findTenant } from '../../src/shop/in-shop.ts';
import { openAccounts } from '../../src/shop/payments/accounts/providers.ts';
import type { ProviderDeadlines } from '../../src/shop/payments/provider-deadlines.ts';
import { SECRET_KEY, startServer, stopServer } from '../server.ts';
import { openShop } from '../shop.ts';
import { databaseUrl } from '../worker-database.ts';
import type { Card } from './ledger.ts';
import type { StripeEvent } from './objects.ts';
import { StripeStandIn } from './stand-in.ts';
import { type Endpoint, sendEvent } from './webhooks.ts';

const WEBHOOK_SECRET = 'whsec_of_the_shop';
export const RETURN_URL = 'https://shop.example/thanks';
let count = 0;

/** Starts a server that uses the Stripe stand-in. The caller closes it. */
export async function openStripe({ deadlines }: { deadlines?: ProviderDeadlines } = {}) {
  const standIn = await new StripeStandIn().listen();
  const server = await startServer(databaseUrl(), {
    stripeApiUrl: standIn.url,
    ...(deadlines && { providerDeadlines: deadlines }),
  });
  return {
    standIn,
    server,
    /** Opens a shop with its own account at the stand-in. */
    givenShop: (given: { currency?: string; capture?: 'automatic' | 'manual' } = {}) =>
      givenShop(standIn, server, { ...given, deadlines }),
    async close() {
      await stopServer(server);
      await standIn.down();
    },
  };
}

async function givenShop(
  standIn: StripeStandIn,
  server: Awaited<ReturnType<typeof startServer>>,
  given: { currency?: string; capture?: 'automatic' | 'manual'; deadlines: ProviderDeadlines | undefined },
) {
  const { currency = 'EUR', capture = 'automatic', deadlines } = given;
  count += 1;
  const account = `shop${process.pid}x${count}`;
  const opened = await openShop({ currency });
  const { site_id, credentials } = opened;
  const { baseUrl, db } = server;
  const dashboard = createDashboardClient({ baseUrl, apiKey: credentials.api_key, maxAttempts: 1 });
  const storefrontToken = credentials.storefront_token;
  const storefront = createStorefrontClient({ baseUrl, siteId: site_id, storefrontToken, maxAttempts: 1 });
  await dashboard.PATCH('/api/dashboard/settings', { body: { allowed_origins: ['https://shop.example'] } });
  const body = { secret_key: `sk_test_${account}`, webhook_secret: WEBHOOK_SECRET, capture };
  const set = await dashboard.PATCH('/api/dashboard/payment-account', { body });
  if (!set.data) throw new Error(`The account was refused: ${JSON.stringify(set.error)}`);
  const endpoint: Endpoint = {
    url: `${baseUrl}/webhooks/stripe/${site_id}`,
    secret: WEBHOOK_SECRET,
    account: `acct_${account}`,
  };
  const tenant = await findTenant(db, site_id);
  if (!tenant) throw new Error('The shop is gone.');
  const accounts = openAccounts(db, {
    ...{ secretKey: SECRET_KEY, stripeApiUrl: standIn.url, stripePlatformKey: undefined },
    ...(deadlines && { providerDeadlines: deadlines }),
  });
  const deps = { card: undefined, accounts, secretKey: SECRET_KEY };

  /** Completes a checkout with this payment. Returns the response. */
  async function complete(checkout_id: string, payment: { confirmation_token?: string; return_url?: string }) {
    const params = { path: { checkout_id } };
    // Without a payment in the request, the checkout's pending payment continues.
    const body = Object.keys(payment).length === 0 ? {} : { payment };
    return storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body });
  }

  /** Creates a checkout that is ready to be paid, by default for 10.00 plus 4.90 for delivery. */
  const givenCheckout = (content?: Parameters<typeof opened.givenCheckout>[0]) =>
    opened.givenCheckout({ client: storefront, payment_method: 'card', ...content });

  const ofAccount = <T extends { account: string }>(objects: Map<string, T>): T[] =>
    [...objects.values()].filter((one) => one.account === `acct_${account}`);

  return {
    ...opened,
    baseUrl,
    dashboard,
    storefront,
    endpoint,
    account: `acct_${account}`,
    complete,
    givenCheckout,
    /** Places an order that is paid by a valid card. */
    async givenPaidOrder(content?: Parameters<typeof opened.givenCheckout>[0]) {
      const { id } = await givenCheckout(content);
      const { data, error } = await complete(id, { confirmation_token: standIn.confirmationToken() });
      if (!data) throw new Error(`The payment was refused: ${JSON.stringify(error)}`);
      return data.order;
    },
    /** Begins a payment on Stripe's page, and returns the checkout's id and the page's URL. */
    async givenPage(content?: Parameters<typeof opened.givenCheckout>[0]) {
      const { id } = await givenCheckout(content);
      const { error } = await complete(id, { return_url: RETURN_URL });
      const { next_action } = (error ?? {}) as { next_action?: { url: string } };
      if (!next_action) throw new Error(`There is no page: ${JSON.stringify(error)}`);
      return { checkout_id: id, url: next_action.url };
    },
    givenToken: (card?: Card) => standIn.confirmationToken(card),
    /** Returns the order of a checkout, if there is one. */
    async orderOf(checkout_id: string) {
      const { data } = await dashboard.GET('/api/dashboard/orders', { params: { query: { limit: 100 } } });
      const found = await server.owner.query<{ order_id: string | null }>(
        'select order_id from commerce.checkouts where site_id = $1 and id = $2',
        [site_id, checkout_id],
      );
      return data?.orders.find(({ id }) => id === found.rows[0]?.order_id);
    },
    async details(order_id: string) {
      const { data, error } = await dashboard.GET('/api/dashboard/orders/{order_id}', {
        params: { path: { order_id } },
      });
      if (!data) throw new Error(`There is no order: ${JSON.stringify(error)}`);
      return data;
    },
    /** Runs the payment jobs now. */
    finishMoves: () => finishMoves(db, tenant, deps),
    settlePayments: () => settlePayments(db, tenant, deps),
    /** The amount in cents in the shop's account that was not refunded. */
    keptAmount(): number {
      const taken = ofAccount(standIn.ledger.intents).reduce((sum, { amount_received }) => sum + amount_received, 0);
      const returned = ofAccount(standIn.ledger.refunds)
        .filter(({ status }) => status !== 'failed')
        .reduce((sum, { amount }) => sum + amount, 0);
      return taken - returned;
    },
    /** The events of this shop's account, oldest first. */
    events: (): StripeEvent[] => standIn.ledger.events.filter(({ owner }) => owner === `acct_${account}`),
    send: (event: StripeEvent) => sendEvent(event, endpoint),
  };
}

export type StripeShop = Awaited<ReturnType<typeof givenShop>>;
