import { Logger, runOnce } from 'graphile-worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { workJobs } from '../../test/jobs.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { waitFor } from '../../test/receiver.ts';
import { openShop } from '../../test/shop.ts';
import { faultsInAnswer, ucpClient } from '../../test/ucp.ts';
import { openPlatform } from '../../test/ucp-platform.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { CAPABILITIES } from '../ucp/protocol.ts';
import type { Jobs } from './run.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const capabilities = Object.keys(CAPABILITIES);

let jobs: Jobs;
beforeAll(async () => {
  const { baseUrl } = await openShop();
  jobs = await workJobs({ baseUrl });
});
afterAll(() => jobs.stop());

const HOME = {
  ...{ first_name: 'June', last_name: 'Okafor', street_address: 'Lindenallee 7', address_locality: 'Berlin' },
  ...{ postal_code: '10115', address_country: 'DE' },
};

/** Begins a checkout of two pieces over UCP, which its buyer completes on the page. Returns the order's id. */
async function givenUcpOrder(
  shop: OpenShop,
  { url: profile, sign, token }: Pick<Parameters<typeof ucpClient>[0], 'sign' | 'token'> & { url: string },
) {
  const { id: selected_option_id } = await shop.givenTerms({ default_tax_rate: '0' });
  const { variants } = await shop.givenProduct({ price: '14.00' });
  const client = ucpClient({ issuer: `${shop.baseUrl}/sites/${shop.site_id}`, profile, sign, token });
  const made = await client.call('create_checkout', '', {
    body: {
      line_items: [{ item: { id: variants[0]?.id ?? '' }, quantity: 2 }],
      buyer: { email: 'june@example.com' },
      fulfillment: {
        methods: [{ type: 'shipping', destinations: [HOME], groups: [{ id: 'all', selected_option_id }] }],
      },
    },
  });
  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(made.continue_url ?? '');
  const review = await browser.press(form, 'save', { payment_method: 'bank_transfer', note: 'Ring at Okafor.' });
  await browser.press(review, 'place_order');
  const { order } = await client.call('get_checkout', made.id);
  return { id: order?.id ?? '', checkout_id: made.id, path: { order_id: order?.id ?? '' }, made };
}

async function deliveriesOf({ owner, site_id }: OpenShop) {
  const { rows } = await owner.query<{ type: string; status: string; attempts_count: number }>(
    `select type, status, attempts_count from commerce.webhook_deliveries
      where site_id = $1 and platform_id is not null order by id`,
    [site_id],
  );
  return rows;
}

test("the platform that began a checkout gets a signed event for each change of the order, without the buyer's data", async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  const order = await givenUcpOrder(shop, platform);
  const params = { path: order.path };
  const { dashboard } = shop;

  const [created] = await platform.until(1);
  expect(created?.order).toMatchObject({
    ...{ id: order.id, checkout_id: order.checkout_id, ucp: { version: '2026-08-25' } },
    line_items: [{ status: 'processing', quantity: { original: 2, total: 2, fulfilled: 0 } }],
  });
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await platform.until(2);
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params,
    body: { tracking_number: 'JD0146', carrier: 'DHL', tracking_url: 'https://carrier.example/JD0146' },
  });
  const shipped = (await platform.until(3)).at(-1)?.order;
  expect(shipped).toMatchObject({ line_items: [{ status: 'fulfilled' }] });
  expect(shipped?.fulfillment.events).toMatchObject([
    { type: 'processing' },
    { type: 'shipped', tracking_number: 'JD0146', tracking_url: 'https://carrier.example/JD0146', carrier: 'DHL' },
  ]);
  const { error } = await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '14.00', reason: 'customer', note: 'June complained' },
  });
  expect(error).toBeUndefined();
  const refunded = (await platform.until(4)).at(-1)?.order;
  expect(refunded?.adjustments).toMatchObject([
    { type: 'refund', status: 'completed', totals: [{ type: 'total', amount: -1_400 }] },
  ]);

  for (const { faults, order: body, text, headers } of platform.events) {
    expect(faults).toEqual([]);
    expect(faultsInAnswer('get_order', body)).toEqual([]);
    expect(text).not.toMatch(/june|okafor|lindenallee|berlin|10115|complained/i);
    expect(headers['webhook-id']).toMatch(/^[0-9a-f-]{36}$/);
  }
  expect(new Set(platform.events.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  expect((await deliveriesOf(shop)).map(({ type }) => type)).toEqual([
    ...['order.created', 'order.paid', 'order.fulfilled', 'order.refunded'],
  ]);
  await platform.close();
});

test('the event for a cancelled order contains a cancellation, and lists the items as removed', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  const order = await givenUcpOrder(shop, platform);
  await platform.until(1);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: order.path },
    body: { reason: 'customer' },
  });

  const cancelled = (await platform.until(2)).at(-1)?.order;
  expect(cancelled).toMatchObject({
    line_items: [{ status: 'removed', quantity: { total: 0 } }],
    adjustments: [{ type: 'cancellation' }],
  });
  await platform.close();
});

test('a platform gets no events of orders that it did not begin, and staff do not see the deliveries to platforms', async () => {
  const shop = await openShop();
  const [platform, other] = [await openPlatform({ capabilities }), await openPlatform({ capabilities })];
  const client = ucpClient({ issuer: `${shop.baseUrl}/sites/${shop.site_id}`, profile: other.url });
  await client.call('search_catalog', '', { body: {} });
  await shop.givenOrder();
  await givenUcpOrder(shop, platform);

  await platform.until(1);
  await waitFor(async () => (await deliveriesOf(shop)).every(({ status }) => status === 'succeeded'));
  expect(platform.events).toHaveLength(1);
  expect(other.events).toEqual([]);
  const { data } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries');
  expect(data?.deliveries).toEqual([]);
  await Promise.all([platform.close(), other.close()]);
});

test('a caller that names the profile of another platform without its signature sends it no events', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const unsigned = await givenUcpOrder(shop, { url: platform.url });
  const signed = await givenUcpOrder(shop, platform);
  const { variants } = await shop.givenProduct({ price: '14.00' });
  const issuer = `${shop.baseUrl}/sites/${shop.site_id}`;
  const agent = ucpClient({ issuer, profile: platform.url, token: access_token });
  const made = await agent.call('create_checkout', '', {
    body: { line_items: [{ item: { id: variants[0]?.id ?? '' }, quantity: 1 }] },
  });

  const [event] = await platform.until(1);
  expect(event?.order.id).toBe(signed.id);
  const codes = [unsigned.made, made, signed.made].map(({ messages = [] }) => messages.map(({ code }) => code));
  expect(codes.map((all) => all.includes('signature_missing'))).toEqual([true, true, false]);
  await waitFor(async () => (await deliveriesOf(shop)).every(({ status }) => status === 'succeeded'));
  expect(platform.events).toHaveLength(1);
  await platform.close();
});

test('a platform gets the events of an unsigned checkout that an agent began with a token granted to this platform', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  const { id: shipping_option_id } = await shop.givenTerms({ default_tax_rate: '0' });
  const customer = await shop.givenCustomer();
  const { access_token, token_id } = await givenAgent(shop, customer);
  await shop.owner.query('update commerce.tokens set platform_host = $2 where id = $1', [
    token_id,
    new URL(platform.url).host,
  ]);
  const { variants } = await shop.givenProduct({ price: '14.00' });
  const issuer = `${shop.baseUrl}/sites/${shop.site_id}`;
  const client = ucpClient({ issuer, profile: platform.url, token: access_token });
  const { id } = await client.call('create_checkout', '', {
    body: { line_items: [{ item: { id: variants[0]?.id ?? '' }, quantity: 1 }] },
  });
  const path = { checkout_id: id };
  const { error: refused } = await customer.client.PATCH('/api/storefront/checkout/{checkout_id}', {
    params: { path },
    body: {
      ...{ payment_method: 'bank_transfer', shipping_option_id },
      shipping_address: ADDRESS,
    },
  });
  expect(refused).toBeUndefined();
  const { error } = await customer.client.POST('/api/storefront/checkout/{checkout_id}/complete', {
    params: { path },
    body: {},
  });
  expect(error).toBeUndefined();

  const [event] = await platform.until(1);
  expect(event?.faults).toEqual([]);
  expect(event?.order.checkout_id).toBe(id);
  await platform.close();
});

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin' },
  ...{ postal_code: '10115', country: 'DE' },
};

test('retries an event that the platform rejected, with the same id and a new signature', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities, answers: [500] });
  await givenUcpOrder(shop, platform);
  await platform.until(1);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 1);
  await shop.owner.query(
    `with due as (
        update commerce.webhook_deliveries set next_attempt_at = now() where site_id = $1 and status = 'pending'
        returning id
      )
      update graphile_worker._private_jobs set run_at = now()
      where locked_at is null and payload->>'delivery_id' in (select id::text from due)`,
    [shop.site_id],
  );
  await shop.owner.query(`notify "jobs:insert", '{"count":50}'`);

  const [first, second] = await platform.until(2);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.headers.signature).not.toBe(first?.headers.signature);
  expect(second?.faults).toEqual([]);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.status === 'succeeded');
  await platform.close();
});

test('sends no events to a webhook_url on another host than the profile, and tells the agent which host to use', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities, webhookHost: 'localhost' });
  const { made } = await givenUcpOrder(shop, platform);

  expect(made.messages).toContainEqual({
    ...{ type: 'warning', code: 'webhook_url_refused' },
    content: 'No order events are sent: config.webhook_url: Use a URL on 127.0.0.1, the host of your profile.',
  });
  expect(await deliveriesOf(shop)).toEqual([]);
  expect(platform.events).toEqual([]);
  await platform.close();
});

test('sends no event to a host that resolves to a private address at the time of the delivery (url_refused)', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  await jobs.stop();
  await givenUcpOrder(shop, platform);
  const guarded = await workJobs({ baseUrl: shop.baseUrl, allowPrivate: false });
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 1);
  await guarded.stop();
  const { rows } = await shop.owner.query('select outcome from commerce.webhook_attempts where site_id = $1', [
    shop.site_id,
  ]);
  jobs = await workJobs({ baseUrl: shop.baseUrl });

  expect(rows).toEqual([{ outcome: 'url_refused' }]);
  await platform.close();
});

test('a process of an older release does not complete deliveries to platforms, and a newer process delivers them', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  await jobs.stop();
  const { id } = await givenUcpOrder(shop, platform);

  // An older release does nothing for a delivery that has no webhook. Deliveries of other tests remain in the queue.
  const deliverAsBefore = async (payload: unknown) => {
    const { delivery_id } = payload as { delivery_id: string };
    const text = 'select from commerce.webhook_deliveries where id = $1 and webhook_id is null';
    if ((await shop.owner.query(text, [delivery_id])).rowCount === 0) throw new Error('A delivery of another test.');
  };
  await runOnce({
    connectionString: databaseUrl(),
    logger: new Logger(() => () => undefined),
    taskList: { deliver_webhook: deliverAsBefore },
  });
  jobs = await workJobs({ baseUrl: shop.baseUrl });

  expect((await platform.until(1))[0]?.order.id).toBe(id);
  await platform.close();
});

test('a profile that an older release stored is fetched again to get its webhook_url and keys', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  const entries = Object.fromEntries(capabilities.map((name) => [name, ['2026-08-25']]));
  await shop.owner.query(
    `insert into commerce.agent_profiles (site_id, id, url, host, version, capabilities, expires_at)
      values ($1, gen_random_uuid(), $2, '127.0.0.1', '2026-08-25', $3, now() + interval '1 day')`,
    [shop.site_id, platform.url, JSON.stringify(entries)],
  );

  const { id } = await givenUcpOrder(shop, platform);

  expect((await platform.until(1))[0]?.order.id).toBe(id);
  await platform.close();
});

test.each([
  ['1012 AB', 'https://carrier.example/track/3SABC/NL/1012AB', false],
  ['1012 AB', 'https://carrier.example/track?id=3SABC&zip=1012%20ab', false],
  ['10115', 'https://carrier.example/track?id=JD0146&plz=10115', false],
  ['10115', 'https://carrier.example/track?id=JD1011546', true],
])('the event of a parcel to %s contains the tracking URL %s: %s', async (postal_code, tracking_url, isSent) => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities });
  const { path } = await givenUcpOrder(shop, platform);
  await platform.until(1);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  await shop.owner.query(
    `update commerce.orders set shipping_address = shipping_address || jsonb_build_object('postal_code', $2::text)
      where site_id = $1`,
    [shop.site_id, postal_code],
  );
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path },
    body: { tracking_number: '3SABC', carrier: 'PostNL', tracking_url },
  });

  const [, shipped] = (await platform.until(3)).at(-1)?.order.fulfillment.events ?? [];
  expect(shipped).toMatchObject({ type: 'shipped', tracking_number: '3SABC' });
  expect(shipped?.tracking_url).toBe(isSent ? tracking_url : undefined);
  await platform.close();
});

test('the events of a refund by lines and of a cancellation match the schema of version 2026-04-08', async () => {
  const shop = await openShop();
  const platform = await openPlatform({ capabilities, version: '2026-04-08' });
  const { path } = await givenUcpOrder(shop, platform);
  await platform.until(1);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  await platform.until(2);
  const { data: order } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path } });
  const line_items = [{ line_item_id: order?.line_items[0]?.id ?? '', quantity: 2 }];
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path },
    body: { reason: 'customer', amount: order?.total ?? '', line_items },
  });
  expect(error).toBeUndefined();

  const events = await platform.until(3);
  for (const { order: told } of events) expect(faultsInAnswer('get_order', told)).toEqual([]);
  expect(events.at(-1)?.order.adjustments?.map(({ type }) => type)).toContain('refund');
  await platform.close();
});
