import {
  ConflictError,
  createDashboardClient,
  createStorefrontClient,
  createSyncClient,
  paginate,
  type Schemas,
  unwrap,
  type WebhookEvent,
  webhooks,
} from '@commerce-backend/sdk';
import { createOperatorClient, type OperatorSchemas } from '@commerce-backend/sdk/operator';

// A program of a user who has installed the SDK. sdk.test.ts compiles and runs it in a separate folder.
declare const process: { argv: string[] };

const [baseUrl = '', siteId = '', storefrontToken = '', apiKey = '', syncSecret = ''] = process.argv.slice(2);
const dashboard = createDashboardClient({ baseUrl, apiKey });
const storefront = createStorefrontClient({ baseUrl, siteId, storefrontToken });
const sync = createSyncClient({ baseUrl, siteId, syncSecret });

/** Undefined options compile even under exactOptionalPropertyTypes. */
export function found(q: string | undefined, customerToken: string | undefined, timeoutMs: number | undefined) {
  const shop = createStorefrontClient({ baseUrl, siteId, storefrontToken, customerToken, timeoutMs });
  return unwrap(shop.GET('/api/storefront/products', { params: { query: { q, limit: 5 } } }));
}

const made = await unwrap(
  dashboard.POST('/api/dashboard/products', {
    body: { name: 'Slate mug', price: '14.00', status: 'active', inventory_quantity: 3 },
  }),
);
const names: string[] = [];
for await (const product of paginate(storefront, '/api/storefront/products')) names.push(product.name);

const { id: cart_id } = await unwrap(storefront.POST('/api/storefront/cart'));
const variant_id = made.variants[0]?.id ?? '';
const params = { path: { cart_id } };
const add = (quantity: number) =>
  unwrap(storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body: { variant_id, quantity } }));
const cart: Schemas['Cart'] = await add(2);
const refused = await add(90).catch((error: unknown) => error);

const changed: string[] = [];
for await (const { product_id } of sync.products()) changed.push(product_id);

function numberOf(event: WebhookEvent): string | undefined {
  return event.type === 'order.paid' ? event.data.order_number : undefined;
}
const body = JSON.stringify({ type: 'order.paid', timestamp: '2026-03-02T08:22:00Z', data: { order_number: '1001' } });
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const order_number = numberOf(await webhooks.verify(body, await webhooks.sign(body, secret), secret));

console.log(
  JSON.stringify({
    names,
    total: cart.total,
    code: refused instanceof ConflictError ? refused.code : String(refused),
    changed: changed.includes(made.id),
    order_number,
  }),
);

/** Never called. The compiler must reject this code, which shows that no type is `any`. */
export function mistakes() {
  const operators = createOperatorClient({ baseUrl, operatorKey: apiKey });
  const problems: OperatorSchemas['SiteProblem'][] = ['cannot_sell'];
  // @ts-expect-error: the operators' API has no operations of shops
  void operators.GET('/api/dashboard/products', { params: { query: { q: problems[0] } } });
  // @ts-expect-error: this path does not exist
  void storefront.GET('/api/storefront/no-such-path');
  // @ts-expect-error: a price is a string
  void dashboard.POST('/api/dashboard/products', { body: { name: 'Mug', price: 14 } });
  // @ts-expect-error: a cart does not have this field
  void cart.no_such_field;
}
