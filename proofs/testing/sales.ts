/**
 * Objects that shoppers and staff create from a tenant's products: carts, checkouts, orders, and their prerequisites.
 */

import { randomUUID } from 'node:crypto';
import { addressOf, asGuest } from './customers.ts';
import { putInCarts } from './products-and-checkouts.ts';
import { callAs, type Ids, type Tenant, type World } from './tenant.ts';

export async function makeDiscount(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { id, code } = (await callAs(world, tenant, 'dashboard.createDiscount', {
    code: `${tenant.canary}-${randomUUID().slice(0, 8)}`,
    kind: 'percentage',
    value: '10',
    description: `${tenant.canary} discount`,
  })) as { id: string; code: string };
  return { discount: [id], discount_code: [code] };
}

/**
 * Deletes the shipping options that are not in the tenant's ids, except the newest 20, because a shop may have at most
 * 100.
 */
export async function makeRoomToShip({ owner }: World, { site_id, ids }: Tenant): Promise<void> {
  await owner.query(
    `delete from commerce.shipping_options where site_id = $1 and id in (
       select id from commerce.shipping_options where site_id = $1 and not id = any($2) order by id desc offset 20)`,
    [site_id, ids.shipping_option],
  );
}

export async function makeShippingOption(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { canary } = tenant;
  await makeRoomToShip(world, tenant);
  const body = { name: `${canary} parcel`, description: `${canary} shipped`, price: '4.90' };
  const { id } = (await callAs(world, tenant, 'dashboard.createShippingOption', body)) as { id: string };
  return { shipping_option: [id] };
}

interface Cart {
  id: string;
  items: { id: string }[];
}

/** Creates a guest's cart with two units. */
export function makeCart(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  return makeCartOf(world, asGuest(tenant));
}

/** Creates a cart with two units for the customer whose token the tenant has, or for a guest. */
export async function makeCartOf(world: World, shopper: Tenant): Promise<Partial<Ids>> {
  const { id } = (await callAs(world, shopper, 'storefront.createCart')) as Cart;
  const variant_id = await stapleOf(world, shopper);
  const body = { variant_id, quantity: 2 };
  const cart = (await callAs(world, shopper, 'storefront.addCartItem', body, { cart_id: id })) as Cart;
  return { cart: [id], cart_line: cart.items.map((line) => line.id) };
}

const staples = new WeakMap<Tenant['ids'], Promise<string>>();

/** Returns a variant whose stock never runs out. Created once for each tenant. */
export function stapleOf(world: World, tenant: Tenant): Promise<string> {
  const known = staples.get(tenant.ids) ?? makeStaple(world, tenant);
  staples.set(tenant.ids, known);
  return known;
}

async function makeStaple(world: World, tenant: Tenant): Promise<string> {
  const { canary } = tenant;
  const product = (await callAs(world, tenant, 'dashboard.createProduct', {
    name: `${canary} staple`,
    slug: `${canary}-staple`,
    status: 'active',
    price: '20.00',
    sku: `${canary}-staple`,
    inventory_quantity: 1_000_000,
  })) as { variants: { id: string }[] };
  return product.variants[0]?.id ?? '';
}

/**
 * Enters bank details, so that the tenant accepts bank transfers whatever settings a proof has changed. Each checkout
 * needs this, so it writes to the database only if they differ.
 */
export async function takeTransfers({ owner }: World, { site_id, canary }: Tenant): Promise<void> {
  const details = { account_holder: canary, iban: 'DE89370400440532013000', bank_name: canary, instructions: canary };
  await owner.query(
    `update commerce.site_settings set bank_details = $2::jsonb
     where site_id = $1 and bank_details is distinct from $2::jsonb`,
    [site_id, JSON.stringify(details)],
  );
}

/** Creates a guest's checkout that is ready to be completed. */
export async function makeCheckout(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  return { checkout: [await fillIn(world, asGuest(tenant), await filledCart(world, tenant))] };
}

/** Inserts a guest's cart with two units, for a checkout. */
async function filledCart(world: World, tenant: Tenant): Promise<string> {
  const line = { variant_id: await stapleOf(world, tenant), quantity: 2 };
  const [cart_id = ''] = await putInCarts({ premises: world, site_id: tenant.site_id }, [[line]]);
  return cart_id;
}

/** Creates a checkout for a cart, and fills in everything that is required. */
export async function fillIn(world: World, tenant: Tenant, cart_id: string | undefined): Promise<string> {
  const { canary } = tenant;
  await takeTransfers(world, tenant);
  const begun = (await callAs(world, tenant, 'storefront.createCheckout', { cart_id })) as { id: string };
  await callAs(
    world,
    tenant,
    'storefront.updateCheckout',
    {
      email: `${canary}@example.com`,
      phone: '+49 30 1234567',
      shipping_address: addressOf(tenant),
      shipping_option_id: tenant.ids.shipping_option[0],
      payment_method: 'bank_transfer',
      note: `${canary} note`,
    },
    { checkout_id: begun.id },
  );
  return begun.id;
}

/**
 * Places an order that awaits a bank transfer, with the tenant's first discount code. If the tenant has a customer
 * token, the order belongs to that customer.
 */
export async function makeOrder(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const cart_id = await filledCart(world, tenant);
  await callAs(world, tenant, 'storefront.applyDiscount', { code: tenant.ids.discount_code[0] }, { cart_id });
  const checkout_id = await fillIn(world, tenant, cart_id);
  const { order } = (await callAs(world, tenant, 'storefront.completeCheckout', {}, { checkout_id })) as {
    order: { id: string; line_items: { id: string }[] };
  };
  return { order: [order.id], order_line: order.line_items.map(({ id }) => id) };
}

/** Creates an order and ships it in one parcel. */
export async function makeShippedOrder(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { order: [order_id = ''] = [], order_line = [] } = await makeOrder(world, tenant);
  await callAs(world, tenant, 'dashboard.markOrderPaid', undefined, { order_id });
  const { fulfillment } = (await callAs(world, tenant, 'dashboard.createFulfillment', {}, { order_id })) as {
    fulfillment: { id: string };
  };
  return { shipped_order: [order_id], shipped_line: order_line, fulfillment: [fulfillment.id] };
}

/** The tenant's customer requests a return of a shipped order. */
export async function makeReturn(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { canary } = tenant;
  const { shipped_order: [order_id] = [], shipped_line: [line_item_id] = [] } = await makeShippedOrder(world, tenant);
  const lines = [{ line_item_id, quantity: 1, reason: 'other', note: `${canary} note` }];
  const body = { order_id, lines, customer_note: `${canary} note` };
  const made = (await callAs(world, tenant, 'storefront.requestReturn', body)) as {
    id: string;
    lines: { id: string }[];
  };
  return { return: [made.id], return_line: made.lines.map(({ id }) => id) };
}

/** Staff prepare an order, ready to be completed by bank transfer. */
export async function makeDraftOrder(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { canary } = tenant;
  await takeTransfers(world, tenant);
  const made = (await callAs(world, tenant, 'dashboard.createDraftOrder', {
    email: 'jo@shop.example',
    lines: [{ variant_id: tenant.ids.variant[0], quantity: 1 }],
    shipping_address: addressOf(tenant),
    shipping_option_id: tenant.ids.shipping_option[0],
    note: `${canary} note`,
  })) as { id: string };
  return { draft_order: [made.id] };
}

/**
 * Creates a guest's withdrawal from a paid order that has not shipped. Inserts it directly into the database, because
 * withdrawals are stated on a page, not over the API.
 */
export async function makeWithdrawal(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { canary, site_id } = tenant;
  const { order: [order_id = ''] = [], order_line: [line_id = ''] = [] } = await makeOrder(world, tenant);
  await callAs(world, tenant, 'dashboard.markOrderPaid', undefined, { order_id });
  const { rows } = await world.owner.query<{ id: string }>(
    `with stated as (
        insert into commerce.withdrawal_statements (site_id, id, name, email, recipient, contract, items, locale, client_hash, acknowledge_at)
        values ($1, commerce.uuid_v7(), $4, 'jo@shop.example', 'jo@shop.example', '1', $4, 'en', '', now()) returning id
      ), made as (
        insert into commerce.withdrawals (site_id, id, status, order_id) select $1, id, 'to_confirm', $2 from stated
      ), held as (
        insert into commerce.withdrawal_lines (site_id, withdrawal_id, line_id, quantity) select $1, id, $3, 1 from stated
      ), withheld as (
        update commerce.order_lines set withheld = 1 where site_id = $1 and id = $3
      )
      select id from stated`,
    [site_id, order_id, line_id, `${canary} Jo`],
  );
  return { withdrawal: rows.map(({ id }) => id), withdrawn_line: [line_id] };
}

/** Removes the order from a withdrawal, so that the withdrawal can be linked again. Returns the number of the order. */
export async function unmatchWithdrawal(world: World, { site_id }: Tenant, id: string): Promise<string> {
  const { rows } = await world.owner.query<{ order_number: string }>(
    `with released as (
        update commerce.order_lines set withheld = 0
        where site_id = $1 and id in (select line_id from commerce.withdrawal_lines where site_id = $1 and withdrawal_id = $2)
      ), forgotten as (
        delete from commerce.withdrawal_lines where site_id = $1 and withdrawal_id = $2
      )
      update commerce.withdrawals w set status = 'unmatched', order_id = null, return_id = null, closed_at = null
      from commerce.withdrawals b join commerce.orders o on o.site_id = b.site_id and o.id = b.order_id
      where w.site_id = $1 and w.id = $2 and b.site_id = w.site_id and b.id = w.id
      returning o.order_number`,
    [site_id, id],
  );
  return rows[0]?.order_number ?? '';
}

/**
 * Creates an invoice with personal data of the buyer. Inserts it directly into the database, because the job for
 * invoices does not run here.
 */
export async function makeDocument(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { canary, site_id } = tenant;
  const { order: [order_id = ''] = [] } = await makeOrder(world, tenant);
  const content = {
    kind: 'invoice',
    issued_on: '2026-03-05',
    invoice: null,
    ...{ supply_date: null, due_on: null },
    order: { number: '1', date: '2026-03-05' },
    seller: { ...SELLER, address2: null, tax_number: null, small_business_note: null },
    buyer: { first_name: `${canary} Jo`, email: 'jo@shop.example' },
    country: 'DE',
    currency: 'EUR',
    prices_include_tax: true,
    payment_method: 'bank_transfer',
    lines: [],
    taxes: [{ rate: '0.19', category: 'S', net: '10.00', tax: '1.90' }],
    ...{ net: '10.00', tax: '1.90', total: '11.90', paid: '0.00' },
  };
  const { rows } = await world.owner.query<{ id: string }>(
    `insert into commerce.documents (site_id, id, order_id, kind, number, locale, content, sha256)
      select $1, made.id, $2, 'invoice', made.id::text, 'en', $3::jsonb || jsonb_build_object('number', made.id::text), repeat('0', 64)
      from (select commerce.uuid_v7() as id) as made returning id`,
    [site_id, order_id, JSON.stringify(content)],
  );
  return { document: rows.map(({ id }) => id) };
}

/** The data of a seller who can issue invoices. */
const SELLER = {
  legal_name: 'Alder & Finch GmbH',
  address1: 'Werkstraße 12',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
  vat_id: 'DE123456789',
};

/** Enters the seller's data, so that the tenant can issue invoices manually. */
export async function completeSeller(world: World, { site_id }: Tenant): Promise<void> {
  await world.owner.query('update commerce.site_settings set invoicing = $2 where site_id = $1', [
    site_id,
    JSON.stringify({ ...SELLER, issue: 'by_hand' }),
  ]);
}

/** Approves a requested return and, if requested, records that its units were received. */
export async function carryReturnOn(
  world: World,
  tenant: Tenant,
  return_id: string,
  until: 'approved' | 'received',
): Promise<void> {
  await callAs(world, tenant, 'dashboard.approveReturn', {}, { return_id });
  if (until === 'approved') return;
  const { lines } = (await callAs(world, tenant, 'dashboard.getReturn', undefined, { return_id })) as {
    lines: { id: string }[];
  };
  const arrived = lines.map(({ id }) => ({ id, quantity: 1, condition: 'resellable' }));
  await callAs(world, tenant, 'dashboard.receiveReturn', { lines: arrived }, { return_id });
}

/** A widget places an order with the correct price. */
export async function makeSyncOrder(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const body = await syncOrderOf(world, tenant);
  const { id } = (await callAs(world, tenant, 'sync.createOrder', body)) as { id: string };
  return { sync_order: [id] };
}

/** Creates a widget's order, and marks it as paid in a bank statement run. */
export async function makeStatementRun(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const body = await syncOrderOf(world, tenant);
  const { order } = (await callAs(world, tenant, 'sync.createOrder', body)) as { order: { order_number: string } };
  const statement_run_id = randomUUID();
  const orders = [{ order_number: order.order_number }];
  await callAs(world, tenant, 'dashboard.markOrdersPaid', { orders, statement_run_id });
  return { statement_run: [statement_run_id] };
}

export async function syncOrderOf(world: World, tenant: Tenant): Promise<Record<string, unknown>> {
  const { canary } = tenant;
  const variant_id = await stapleOf(world, tenant);
  await takeTransfers(world, tenant);
  return {
    reference: `${canary}-${randomUUID()}`,
    payment: 'bank_transfer',
    currency: 'EUR',
    line_items: [{ name: canary, variant_id, quantity: 2, price: '20.00', total: '40.00' }],
    email: `${canary}@example.com`,
    phone: canary,
    shipping_address: { last_name: canary, city: canary, country: 'DE' },
    shipping_option_id: tenant.ids.shipping_option[0],
    note: `${canary} note`,
  };
}

/** Makes an order look authorized by card for its total, although it awaits a transfer. */
export async function authorize({ owner }: World, { site_id }: Tenant, order_id: string): Promise<void> {
  await owner.query(
    `with authorized as (
       update commerce.orders set payment_status = 'authorized', status = 'confirmed', payment_method = 'card'
       where site_id = $1 and id = $2 returning checkout_id, total, currency
     )
     insert into commerce.payments (site_id, id, checkout_id, order_id, provider, status, amount, currency, card_hash)
     select $1, gen_random_uuid(), checkout_id, $2, 'test_card', 'authorized', total, currency, '' from authorized`,
    [site_id, order_id],
  );
}

/** Moves an order's payment deadline into the past. */
export async function letExpire(world: World, tenant: Tenant, order_id: string): Promise<void> {
  await world.owner.query('update commerce.orders set payment_due_at = now() where site_id = $1 and id = $2', [
    tenant.site_id,
    order_id,
  ]);
}

/** Brings an order into a state. First marks its bank transfer as received. */
export async function carryOn(
  world: World,
  tenant: Tenant,
  order_id: string,
  until: 'paid' | 'shipped' | 'refunded',
): Promise<void> {
  const { canary } = tenant;
  const call = (name: string, body?: unknown) => callAs(world, tenant, `dashboard.${name}`, body, { order_id });
  await call('markOrderPaid');
  if (until === 'paid') return;
  await call('createFulfillment', {
    carrier: canary,
    tracking_number: canary,
    tracking_url: `https://${canary}.example`,
  });
  if (until === 'shipped') return;
  await call('markOrderDelivered');
  await call('updateOrder', { staff_note: canary, metadata: { known_as: canary } });
  await call('createRefund', { amount: '1.00', reason: 'damaged', note: canary });
}
