import { createDashboardClient, createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import { addressOf, CUSTOMER_PASSWORD, openAccount } from '../testing/customers.ts';
import { takeTransfers } from '../testing/sales.ts';
import type { World } from '../testing/tenant.ts';
import { type Finding, findingsIn } from './prism.ts';

/**
 * A customer buys and a merchant ships, through the SDK and Prism. Prism's findings are violations. Returns the number of
 * calls.
 */
export async function buyThroughSdk(world: World, baseUrl: string): Promise<number> {
  let calls = 0;
  const watched: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    calls += 1;
    for (const finding of findingsIn(response.headers.get('sl-violations'))) report(world, response, finding);
    return response;
  };
  const [tenant] = world.tenants;
  const { site_id, secrets, ids, canary } = tenant;
  await takeTransfers(world, tenant);
  const guest = createStorefrontClient({
    ...{ baseUrl, fetch: watched, siteId: site_id, storefrontToken: secrets.StorefrontToken },
  });
  const { email } = await openAccount(world, tenant);
  const body = { email, password: CUSTOMER_PASSWORD };
  const { access_token } = await unwrap(guest.POST('/api/storefront/customer/login', { body }));
  const order_id = await buy(guest.withCustomer(access_token), canary, ids.discount_code[0] ?? '');
  await deliver(createDashboardClient({ baseUrl, fetch: watched, apiKey: secrets.ApiKey }), order_id);
  return calls;
}

type Storefront = ReturnType<typeof createStorefrontClient>;
type Dashboard = ReturnType<typeof createDashboardClient>;

async function buy(shopper: Storefront, canary: string, code: string): Promise<string> {
  await unwrap(shopper.GET('/api/storefront/shop'));
  await unwrap(shopper.GET('/api/storefront/products', { params: { query: { q: canary, in_stock: true } } }));
  const slug = { params: { path: { id_or_slug: `${canary}-staple` } } };
  const { variants } = await unwrap(shopper.GET('/api/storefront/products/{id_or_slug}', slug));
  const { id: cart_id } = await unwrap(shopper.POST('/api/storefront/cart'));
  const cart = { params: { path: { cart_id } } };
  const line = { variant_id: variants[0]?.id ?? '', quantity: 3 };
  await unwrap(shopper.POST('/api/storefront/cart/{cart_id}/items', { ...cart, body: line }));
  await unwrap(shopper.POST('/api/storefront/cart/{cart_id}/discounts', { ...cart, body: { code } }));
  const { id: checkout_id } = await unwrap(shopper.POST('/api/storefront/checkout', { body: { cart_id } }));
  const checkout = { params: { path: { checkout_id } } };
  const to = { params: { ...cart.params, query: { country: 'DE' } } };
  const offered = await unwrap(shopper.GET('/api/storefront/cart/{cart_id}/shipping-options', to));
  const { review_token } = await unwrap(
    shopper.PATCH('/api/storefront/checkout/{checkout_id}', {
      ...checkout,
      body: {
        phone: null,
        shipping_address: addressOf({ canary }),
        shipping_option_id: offered.shipping_options[0]?.id,
        payment_method: 'bank_transfer',
      },
    }),
  );
  const { order } = await unwrap(
    shopper.POST('/api/storefront/checkout/{checkout_id}/complete', {
      ...checkout,
      body: { expected: review_token ?? '' },
    }),
  );
  const order_id = order.id ?? '';
  await unwrap(shopper.GET('/api/storefront/customer/me/orders'));
  await unwrap(shopper.GET('/api/storefront/customer/me/orders/{order_id}', { params: { path: { order_id } } }));
  return order_id;
}

async function deliver(merchant: Dashboard, order_id: string): Promise<void> {
  const at = { params: { path: { order_id } } };
  await unwrap(merchant.GET('/api/dashboard/orders', { params: { query: { payment_status: 'awaiting_payment' } } }));
  await unwrap(merchant.POST('/api/dashboard/orders/{order_id}/mark-paid', at));
  await unwrap(merchant.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at, body: { carrier: 'DHL' } }));
  await unwrap(merchant.POST('/api/dashboard/orders/{order_id}/mark-delivered', at));
  const refund = { amount: '1.00', reason: 'damaged' as const };
  await unwrap(merchant.POST('/api/dashboard/orders/{order_id}/refunds', { ...at, body: refund }));
  await unwrap(merchant.GET('/api/dashboard/orders/{order_id}/timeline', at));
  await unwrap(merchant.GET('/api/dashboard/orders/{order_id}', at));
}

function report(world: World, { url, status }: Response, { location, message }: Finding): void {
  world.violations.add(
    `SDK: ${status} ${new URL(url).pathname}: response does not match the contract at ${location.join('/')}: ${message}`,
  );
}
