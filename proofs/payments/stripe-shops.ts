import { openAccounts } from '../../server/src/shop/payments/accounts/providers.ts';
import { SECRET_KEY } from '../../server/test/server.ts';
import { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import type { Endpoint } from '../../server/test/stripe/webhooks.ts';
import { checkOut, onlyVariantOf, putInCarts, putOnSale, takeTransfers } from '../testing/products-and-checkouts.ts';
import type { Trial } from '../testing/proof.ts';
import { type OpenShop, onPremises, type Premises } from '../testing/test-server.ts';

/** A shop with its own account at the stand-in for Stripe. */
export interface StripeShop {
  shop: OpenShop;
  variant_id: string;
  endpoint: Endpoint;
  deps: { card: undefined; accounts: ReturnType<typeof openAccounts>; secretKey: string };
}

/** Runs work with a new server and a stand-in for Stripe. */
export async function onStripePremises<T>(
  trial: Trial,
  work: (premises: Premises, standIn: StripeStandIn) => Promise<T>,
): Promise<T> {
  const standIn = await new StripeStandIn().listen();
  try {
    return await onPremises(trial, (premises) => work(premises, standIn), { stripeApiUrl: standIn.url });
  } finally {
    await standIn.down();
  }
}

export const RETURN_URL = 'https://shop.example/thanks';

export async function openStripeShop(
  premises: Premises,
  standIn: StripeStandIn,
  capture: 'automatic' | 'manual' = 'automatic',
): Promise<StripeShop> {
  const shop = await premises.openShop();
  const { site_id } = shop;
  await takeTransfers(shop);
  await shop.must('dashboard.updateSettings', { body: { allowed_origins: [new URL(RETURN_URL).origin] } });
  const name = `of${site_id.replaceAll('-', '')}`;
  const secret = `whsec_${name}`;
  const keys = { secret_key: `sk_test_${name}`, webhook_secret: secret, capture };
  await shop.must('dashboard.updatePaymentAccount', { body: keys });
  const accounts = openAccounts(premises.db, { secretKey: SECRET_KEY, stripeApiUrl: standIn.url });
  return {
    shop,
    variant_id: onlyVariantOf(await putOnSale(shop, { track_inventory: false })),
    endpoint: { url: `${premises.baseUrl}/webhooks/stripe/${site_id}`, secret, account: `acct_${name}` },
    deps: { card: undefined, accounts, secretKey: SECRET_KEY },
  };
}

/** Creates checkouts of one unit each, for 10.00, with payment by card. */
export async function cardCheckouts({ shop, variant_id }: StripeShop, count: number): Promise<string[]> {
  const carts = await putInCarts(
    shop,
    Array.from({ length: count }, () => [{ variant_id, quantity: 1 }]),
  );
  const ids: string[] = [];
  for (const cart_id of carts) {
    const { id: checkout_id } = await checkOut(shop, cart_id);
    await shop.must('storefront.updateCheckout', { path: { checkout_id }, body: { payment_method: 'card' } });
    ids.push(checkout_id);
  }
  return ids;
}

/** Places an order of 10.00 that is paid or authorized by card. */
export async function cardOrder(of: StripeShop, standIn: StripeStandIn): Promise<string> {
  const [checkout_id = ''] = await cardCheckouts(of, 1);
  const body = { payment: { confirmation_token: standIn.confirmationToken() } };
  const { order } = await of.shop.must('storefront.completeCheckout', { path: { checkout_id }, body });
  return order.id;
}

/** Starts a payment on Stripe's page. Returns the page's URL. */
export async function pageOf({ shop }: StripeShop, checkout_id: string): Promise<string> {
  const body = { payment: { return_url: RETURN_URL } };
  const { refusal } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body });
  const action = refusal?.next_action as { url?: string } | undefined;
  if (!action?.url) throw new Error(`There is no page: ${JSON.stringify(refusal)}`);
  return action.url;
}
