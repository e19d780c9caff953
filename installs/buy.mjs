import { readFileSync } from 'node:fs';
import { createDashboardClient, createStorefrontClient, unwrap } from '@commerce-backend/sdk';

// A program of a user who has installed the server and the SDK. server.test.ts runs it in a separate folder. It orders
// a product, pays by bank transfer and marks the order as paid.
const [baseUrl, shopFile] = process.argv.slice(2);
const {
  site_id: siteId,
  storefront_token: storefrontToken,
  api_key: apiKey,
} = JSON.parse(readFileSync(shopFile, 'utf8'));
const shop = createStorefrontClient({ baseUrl, siteId, storefrontToken });
const dashboard = createDashboardClient({ baseUrl, apiKey });

const { products } = await unwrap(shop.GET('/api/storefront/products'));
const { id: cart_id } = await unwrap(shop.POST('/api/storefront/cart'));
const line = { variant_id: products[0].variants[0].id, quantity: 2 };
await unwrap(shop.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id } }, body: line }));

const { id: checkout_id, checkout_url } = await unwrap(shop.POST('/api/storefront/checkout', { body: { cart_id } }));
// Requested from the server directly, because the public URL may be https behind a proxy.
const page = await fetch(new URL(new URL(checkout_url).pathname, baseUrl));
const params = { path: { checkout_id } };
const address = {
  first_name: 'June',
  last_name: 'Okafor',
  address1: 'Elm Row 4',
  city: 'Berlin',
  postal_code: '10117',
  country: 'DE',
};
const [delivery] = await unwrap(
  shop.GET('/api/storefront/cart/{cart_id}/shipping-options', {
    params: { path: { cart_id }, query: { country: 'DE' } },
  }),
).then(({ shipping_options }) => shipping_options);
await unwrap(
  shop.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: {
      email: 'june@mail.example',
      shipping_address: address,
      shipping_option_id: delivery.id,
      payment_method: 'bank_transfer',
    },
  }),
);
const { order } = await unwrap(shop.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }));
const paid = await unwrap(
  dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id: order.id } } }),
);
console.log(JSON.stringify({ page: page.status, total: order.total, payment_status: paid.payment_status }));
