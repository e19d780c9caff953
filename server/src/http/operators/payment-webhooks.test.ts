import { createHmac } from 'node:crypto';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openStripe } from '../../../test/stripe/shop.ts';
import { post, sendEvent, signed } from '../../../test/stripe/webhooks.ts';
import { databaseUrl } from '../../../test/worker-database.ts';

const stripe = await openStripe();
const { standIn, server } = stripe;
afterAll(() => stripe.close());

const MINUTE = 60_000;

test('creates one order if payment events arrive repeatedly and in the wrong order', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'decline');
  await standIn.press(url, 'pay');
  const events = [...shop.events().toReversed(), ...shop.events()];
  const answers = await Promise.all(events.flatMap((event) => [shop.send(event), shop.send(event)]));
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(await shop.orderOf(checkout_id)).toMatchObject({ payment_status: 'paid', total: '14.90' });
  const { rows } = await server.owner.query('select id from commerce.orders where site_id = $1', [shop.site_id]);
  expect(rows).toHaveLength(1);
});

test('accepts a payment webhook before or after the shopper returns, and creates one order', async () => {
  const shop = await stripe.givenShop();
  const [early, late] = [await shop.givenPage(), await shop.givenPage()];
  await standIn.press(early.url, 'pay');
  for (const event of shop.events()) await shop.send(event);
  const known = await shop.orderOf(early.checkout_id);
  expect(known).toBeDefined();
  expect((await shop.complete(early.checkout_id, {})).data?.order.id).toBe(known?.id);

  await standIn.press(late.url, 'pay');
  const { data } = await shop.complete(late.checkout_id, {});
  expect(data?.order.payment_status).toBe('paid');
  for (const event of shop.events()) expect(await shop.send(event)).toBe(200);
  expect((await shop.orderOf(late.checkout_id))?.id).toBe(data?.order.id);
});

test('a payment event that times out gets 503 and changes nothing, and is applied when it is sent again', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  const [event] = shop.events().slice(-1);
  if (!event) throw new Error('There is no event.');
  const deadlines = { request: 0.5, upload: 0.5 };
  const hurried = await startServer(databaseUrl(), { stripeApiUrl: standIn.url, deadlines });
  onTestFinished(() => stopServer(hurried));
  const lock = await server.owner.connect();
  await lock.query('begin; lock table commerce.orders in exclusive mode');
  const { body, signature } = signed(event, shop.endpoint);
  const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
  const late = await fetch(shop.endpoint.url.replace(server.baseUrl, hurried.baseUrl), {
    method: 'POST',
    headers,
    body,
  });
  await lock.query('rollback');
  lock.release();
  expect([late.status, await late.json()]).toMatchObject([503, { error: 'timeout', retryable: true }]);
  await expect.poll(() => hurried.db.totalCount - hurried.db.idleCount).toBe(0);
  expect(await shop.orderOf(checkout_id)).toBeUndefined();
  await expect.poll(() => shop.send(event), { timeout: 20_000 }).toBe(200);
  expect(await shop.orderOf(checkout_id)).toMatchObject({ payment_status: 'paid' });
});

test('forged, old, changed and unsigned payment events get 400 and change nothing', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  const [event] = shop.events().slice(-1);
  if (!event) throw new Error('There is no event.');
  const { endpoint } = shop;
  expect(await sendEvent(event, { ...endpoint, secret: 'whsec_of_somebody_else' })).toBe(400);
  expect(await sendEvent(event, endpoint, Date.now() - 10 * MINUTE)).toBe(400);
  const { body, signature } = signed(event, endpoint);
  expect(await post(endpoint.url, `${body} `, signature)).toBe(400);
  expect(await post(endpoint.url, body)).toBe(400);
  expect(await shop.orderOf(checkout_id)).toBeUndefined();
  expect(await post(endpoint.url, body, signature)).toBe(200);
  expect(await shop.orderOf(checkout_id)).toBeDefined();
});

test('payment events of another shop, of an unknown type or for an unknown payment get 200 and change nothing', async () => {
  const [shop, neighbour] = [await stripe.givenShop(), await stripe.givenShop()];
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  for (const event of shop.events()) expect(await sendEvent(event, neighbour.endpoint)).toBe(200);
  const [event] = shop.events().slice(-1);
  if (!event) throw new Error('There is no event.');
  expect(await shop.send({ ...event, id: 'evt_unknown', type: 'customer.created', data: { object: {} } })).toBe(200);
  const metadata = { payment_id: '0192f3a1-7c4e-7b1a-9a52-3f6d2c1b0a99', site_id: shop.site_id };
  const strange = { ...event, id: 'evt_strange', data: { object: { ...event.data.object, metadata } } };
  expect(await shop.send(strange)).toBe(200);
  expect(await shop.orderOf(checkout_id)).toBeUndefined();
});

test('signed payment events that are malformed or name an unknown payment get 200 and change nothing', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id } = await shop.givenPage();
  const ours = { payment_id: '0192f3a1-7c4e-7b1a-9a52-3f6d2c1b0a99', site_id: shop.site_id };
  const objects = [
    ...[
      null,
      'x',
      [],
      {},
      { object: 'payment_intent' },
      { object: 'refund', id: 're_gone', metadata: ours },
      { object: 'refund', id: {} },
    ],
    ...['payment_intent', 'checkout.session'].flatMap((object) => [
      { object, id: object === 'payment_intent' ? 'pi_gone' : 'cs_gone', metadata: ours },
      { object, id: { a: 1 }, metadata: ours },
      { object, id: '../refunds', metadata: [] },
    ]),
  ];
  const bodies = [
    ...objects.map((object, i) => ({ id: `evt_${i}`, object: 'event', type: 'x', data: { object } })),
    ...[
      { id: 'evt_x' },
      { id: 'evt_x', data: null },
      { id: { a: 1 }, data: { object: objects.at(-1) } },
      null,
      1,
      'x',
      [],
    ],
  ].map((event) => JSON.stringify(event));

  for (const body of bodies) {
    const time = Math.floor(Date.now() / 1_000);
    const mac = createHmac('sha256', shop.endpoint.secret).update(`${time}.${body}`).digest('hex');
    expect([body, await post(shop.endpoint.url, body, `t=${time},v1=${mac}`)]).toEqual([body, 200]);
  }
  expect(await shop.orderOf(checkout_id)).toBeUndefined();
});

test('rejects an event of another Stripe account (409 conflict), so that Stripe retries it and shows the reason to the merchant', async () => {
  const shop = await stripe.givenShop();
  const page = await shop.givenPage();
  const order = await shop.givenPaidOrder();
  const { rows } = await server.owner.query<{ id: string; order_id: string | null }>(
    'select id, order_id from commerce.payments where site_id = $1',
    [shop.site_id],
  );
  const ids = rows.map(({ id }) => ({ payment_id: id, site_id: shop.site_id }));
  expect([ids.length, order.payment_status]).toEqual([2, 'paid']);
  // Objects that belong to the previous Stripe account of the shop.
  const objects = [
    ...ids.flatMap((metadata) => [
      { object: 'payment_intent', id: 'pi_elsewhere', metadata },
      { object: 'checkout.session', id: 'cs_elsewhere', metadata },
      { object: 'refund', id: 're_elsewhere', metadata },
    ]),
    // A refund created in Stripe's dashboard contains no id of the server.
    { object: 'refund', id: 're_elsewhere', payment_intent: 'pi_elsewhere', metadata: {} },
  ];
  for (const object of objects) {
    const body = JSON.stringify({ id: `evt_${object.id}`, object: 'event', type: 'x', data: { object } });
    const time = Math.floor(Date.now() / 1_000);
    const mac = createHmac('sha256', shop.endpoint.secret).update(`${time}.${body}`).digest('hex');
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': `t=${time},v1=${mac}` };
    const answer = await fetch(shop.endpoint.url, { method: 'POST', headers, body });
    const message = expect.stringContaining(`The Stripe account has no ${object.object} ${object.id}.`);
    expect([answer.status, await answer.json()]).toEqual([
      409,
      expect.objectContaining({ error: 'conflict', message }),
    ]);
  }
  expect(await shop.orderOf(page.checkout_id)).toBeUndefined();
});

test('payment webhooks answer 404 for an unknown site, a site without an account or a GET, and 413 for a large body', async () => {
  const shop = await stripe.givenShop();
  const { dashboard } = shop;
  expect(await post(`${shop.baseUrl}/webhooks/stripe/0192f3a1-7c4e-7b1a-9a52-3f6d2c1b0a99`, '{}')).toBe(404);
  expect(await post(`${shop.baseUrl}/webhooks/stripe/x`, '{}')).toBe(404);
  expect(await post(shop.endpoint.url, 'x'.repeat(300_000), 't=1,v1=00')).toBe(413);
  expect((await fetch(shop.endpoint.url)).status).toBe(404);
  await dashboard.DELETE('/api/dashboard/payment-account', {});
  expect(await post(shop.endpoint.url, '{}')).toBe(404);
});

test('a payment event gets a 5xx status while Stripe is unreachable, and is applied when Stripe sends it again', async () => {
  const shop = await stripe.givenShop();
  const { checkout_id, url } = await shop.givenPage();
  await standIn.press(url, 'pay');
  const [event] = shop.events().slice(-1);
  if (!event) throw new Error('There is no event.');
  await standIn.down();
  expect(await shop.send(event)).toBeGreaterThanOrEqual(500);
  await standIn.up();
  expect(await shop.send(event)).toBe(200);
  expect(await shop.orderOf(checkout_id)).toBeDefined();
});
