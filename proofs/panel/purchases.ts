import { createAgentClient, createClient, unwrap } from '@commerce-backend/sdk';
import type { Visit } from './visit.ts';

interface Purchase {
  note?: string;
  first_name?: string;
}

/** A guest of the demo shop orders three units by bank transfer. */
export function buy(visit: Visit, purchase: Purchase = {}) {
  return order(visit, { ...purchase, kind: 'delivery', payment_method: 'bank_transfer' });
}

/** A guest orders three units, and will collect and pay for them in the shop. */
export function pickUp(visit: Visit) {
  return order(visit, { kind: 'pickup', payment_method: 'manual' });
}

/** A guest orders three units by card; the payment is only authorized. */
export function reserve(visit: Visit) {
  return order(visit, { kind: 'delivery', payment_method: 'card', card_token: 'tok_authorized' });
}

interface Terms extends Purchase {
  kind: 'delivery' | 'pickup';
  payment_method: 'bank_transfer' | 'manual' | 'card';
  card_token?: string;
}

async function order(
  { storefront, dashboard }: Visit,
  { note, first_name = 'Ada', kind: wanted, payment_method, card_token }: Terms,
) {
  const query = { in_stock: true, limit: 20, sort: 'price_asc' as const };
  const { products } = await unwrap(storefront.GET('/api/storefront/products', { params: { query } }));
  const variant = products.flatMap(({ variants }) => variants).find((each) => each.inventory_quantity > 8);
  const { id: cart_id } = await unwrap(storefront.POST('/api/storefront/cart'));
  const params = { path: { cart_id } };
  const line = { variant_id: variant?.id ?? '', quantity: 3 };
  await unwrap(storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body: line }));
  const { id: checkout_id } = await unwrap(storefront.POST('/api/storefront/checkout', { body: { cart_id } }));
  const { shipping_options } = await unwrap(dashboard.GET('/api/dashboard/shipping-options'));
  const path = { checkout_id };
  const shipping_address = { first_name, last_name: 'Lovelace', address1: 'Lindenallee 7', city: 'Berlin' };
  await unwrap(
    storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
      params: { path },
      body: {
        email: 'ada@mail.example',
        shipping_address: { ...shipping_address, postal_code: '10115', country: 'DE' },
        shipping_option_id: shipping_options.find(({ kind }) => kind === wanted)?.id ?? null,
        payment_method,
        ...(note && { note }),
      },
    }),
  );
  const body = card_token ? { payment: { card_token } } : {};
  const complete = storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params: { path }, body });
  return (await unwrap(complete)).order;
}

/** Creates an agent of one of the demo shop's customers, which searches once. */
export async function sendAgent({ demo, storefront }: Visit, agent_name: string) {
  const { base_url: baseUrl, site_id, customers } = demo;
  const anyone = createClient({ baseUrl });
  const wish = {
    ...{ agent_name, scopes: ['catalog:read' as const], categories: ['Mugs'] },
    ...{ budget_cents: 5_000, budget_period: 'month' as const, max_per_order_cents: 2_000 },
  };
  const asked = await unwrap(anyone.POST('/api/agent/consent/request', { params: { query: { site_id } }, body: wish }));
  const { email = '', password = '' } = customers[0] ?? {};
  const login = await unwrap(storefront.POST('/api/storefront/customer/login', { body: { email, password } }));
  await unwrap(
    storefront.withCustomer(login.access_token).POST('/api/storefront/customer/me/agent-consent/{user_code}/approve', {
      params: { path: { user_code: asked.user_code } },
      body: {},
    }),
  );
  const { device_code } = asked;
  const { access_token } = await unwrap(anyone.POST('/api/agent/consent/poll', { body: { device_code } }));
  const agent = createAgentClient({ baseUrl, agentToken: access_token });
  await unwrap(agent.GET('/api/agent/catalog/search', { params: { query: { q: 'mug' } } }));
}
