import { webhooks } from '@commerce-backend/sdk';
import type { EventType } from '@commerce-backend/spec';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { mailsTo } from '../../test/mail.ts';
import { openReceiver, waitFor } from '../../test/receiver.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';
import type { Attempted } from '../egress/post.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import * as attempts from '../shop/webhooks/attempts.ts';
import type { Jobs } from './run.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

let jobs: Jobs;
beforeAll(async () => {
  jobs = await workJobs();
});
afterAll(() => jobs.stop());

async function givenWebhook({ dashboard }: OpenShop, url: string, events: EventType[]) {
  const { data, error } = await dashboard.POST('/api/dashboard/webhooks', { body: { url, events } });
  if (!data) throw new Error(`The webhook was refused: ${JSON.stringify(error)}`);
  return data;
}

async function deliveriesOf({ dashboard }: OpenShop) {
  const { data } = await dashboard.GET('/api/dashboard/webhook-deliveries');
  return data?.deliveries ?? [];
}

/** Makes the next attempt due now. */
async function hurry({ owner, site_id }: OpenShop) {
  // In one statement, because a job that runs before its delivery is due finds nothing to do and ends.
  await owner.query(
    `with due as (
        update commerce.webhook_deliveries set next_attempt_at = now() where site_id = $1 and status = 'pending'
        returning id
      )
      update graphile_worker._private_jobs set run_at = now()
      where locked_at is null and payload->>'delivery_id' in (select id::text from due)`,
    [site_id],
  );
  await owner.query(`notify "jobs:insert", '{"count":50}'`);
}

test('delivers every change of an order with a signature that an independent Standard Webhooks library accepts', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  const types: EventType[] = ['order.created', 'order.paid', 'order.fulfilled', 'order.delivered'];
  const { secret } = await givenWebhook(shop, receiver.url, types);

  const order = await shop.givenOrder();
  const path = { order_id: order.id };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params: { path }, body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params: { path } });

  const received = await receiver.until(4);
  expect(received.map(({ event }) => event.type).sort()).toEqual([...types].sort());
  for (const { body, headers } of received) {
    expect(await webhooks.verify(body, headers, secret)).toMatchObject({ data: { id: order.id } });
  }
  await waitFor(async () => (await deliveriesOf(shop)).every(({ status }) => status === 'succeeded'));
  await receiver.close();
});

test('sends order.paid for card payments, free orders and payment on pickup', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  await givenWebhook(shop, receiver.url, ['order.paid']);
  const { id: shipping_option_id } = await shop.givenShippingOption({ kind: 'pickup', price: '0.00' });

  const card = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });
  const free = await shop.givenOrder({ content: '0.00', shipping_option_id, payment_method: null });
  const handedOver = await shop.givenOrder({ shipping_option_id, payment_method: 'manual' });
  const params = { path: { order_id: handedOver.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params });

  const payloads = (await receiver.until(3)).map(({ event }) => event.data);
  expect(payloads.map(({ id }) => id).sort()).toEqual([card.id, free.id, handedOver.id].sort());
  expect(payloads.every(({ payment_status }) => payment_status === 'paid')).toBe(true);
  await waitFor(async () => (await deliveriesOf(shop)).every(({ status }) => status === 'succeeded'));
  await receiver.close();
});

test('sends one event per product change, and none for a rejected change', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  await givenWebhook(shop, receiver.url, ['product.created', 'product.updated', 'product.deleted']);

  const { id } = await shop.givenProduct({ name: 'Jug' });
  const params = { path: { product_id: id } };
  // Each body contains the product at the time of the first attempt.
  await receiver.until(1);
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { name: 'Big jug' } });
  await receiver.until(2);
  await shop.dashboard.POST('/api/dashboard/products', {
    body: { name: 'No jug', price: '1.00', compare_at_price: '0.50' },
  });
  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', { params });

  const events = (await receiver.until(3)).map(({ event }) => [event.type, event.data.name ?? event.data.slug]);
  expect(events.sort()).toEqual([
    ['product.created', 'Jug'],
    ['product.deleted', 'jug'],
    ['product.updated', 'Big jug'],
  ]);
  expect(await deliveriesOf(shop)).toHaveLength(3);
  await receiver.close();
});

test('sends a stock event only if the variant sells out, comes back or changes by at least a fifth', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  await givenWebhook(shop, receiver.url, ['inventory.changed']);
  const { variants } = await shop.givenProduct({ inventory_quantity: 100 });
  const variant_id = variants[0]?.id ?? '';
  const set = (delta: number) =>
    shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id } },
      body: { delta, reason: 'correction' as const },
    });

  await set(-19); // The stock changes by less than a fifth.
  await set(-41);
  await set(-36);
  await set(-4);
  await set(2);

  const payloads = (await receiver.until(4)).map(({ event }) => event.data);
  const byQuantity = payloads.sort((a, b) => Number(b.previous_quantity) - Number(a.previous_quantity));
  expect(byQuantity).toMatchObject([
    { previous_quantity: 81, inventory_quantity: 40, available: true, reasons: ['amount'] },
    { previous_quantity: 40, inventory_quantity: 4, available: true, reasons: ['low_stock', 'amount'] },
    { previous_quantity: 4, inventory_quantity: 0, available: false, reasons: ['availability'] },
    { previous_quantity: 0, inventory_quantity: 2, available: true, reasons: ['availability'] },
  ]);
  expect(await deliveriesOf(shop)).toHaveLength(4);
  await receiver.close();
});

test('retries a failed delivery under the same event id until it succeeds', async () => {
  const shop = await openShop();
  const receiver = await openReceiver((_received, count) => (count < 3 ? 500 : 200));
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });

  await receiver.until(1);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 1);
  const [waiting] = await deliveriesOf(shop);
  const wait = Date.parse(waiting?.next_attempt_at ?? '') - Date.now();
  expect(waiting).toMatchObject({ status: 'pending', response_status: 500 });
  expect(wait).toBeLessThan(5_600);
  await hurry(shop);
  await receiver.until(2);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 2);
  await hurry(shop);
  await receiver.until(3);

  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.status === 'succeeded');
  const { data } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries/{delivery_id}', {
    params: { path: { delivery_id: waiting?.id ?? '' } },
  });
  expect(data?.attempts.map(({ outcome, response_status }) => [outcome, response_status])).toEqual([
    ['refused', 500],
    ['refused', 500],
    ['succeeded', 200],
  ]);
  const { data: webhook } = await shop.dashboard.GET('/api/dashboard/webhooks/{webhook_id}', {
    params: { path: { webhook_id: id } },
  });
  expect(webhook).toMatchObject({ failing_since: null, status: 'active' });
  await receiver.close();
});

test('disables the webhook after a 410, fails its pending deliveries and mails subscribed staff', async () => {
  const shop = await openShop();
  const deaf = await openShop();
  const { staff } = await logIn(deaf);
  await staff.PATCH('/api/dashboard/me/notifications', { body: { webhook_disabled: false } });
  const receiver = await openReceiver(() => 410);
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  const { id: unheard } = await givenWebhook(deaf, receiver.url, ['customer.created']);
  for (const { dashboard } of [shop, deaf]) {
    await dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  }

  const params = { path: { webhook_id: id } };
  const current = async () => (await shop.dashboard.GET('/api/dashboard/webhooks/{webhook_id}', { params })).data;
  const there = { path: { webhook_id: unheard } };
  await waitFor(async () => {
    const { data } = await deaf.dashboard.GET('/api/dashboard/webhooks/{webhook_id}', { params: there });
    return data?.status === 'disabled';
  });
  await waitFor(async () => (await current())?.status === 'disabled');
  expect(await current()).toMatchObject({ disabled_reason: 'gone' });
  expect(await deliveriesOf(shop)).toMatchObject([{ status: 'failed', next_attempt_at: null }]);
  const mailsOf = async (one: OpenShop) =>
    (await mailsTo(one, one.credentials.staff.email)).filter(({ subject }) => subject.endsWith('was disabled'));
  expect(await mailsOf(shop)).toHaveLength(1);
  expect(await mailsOf(deaf)).toHaveLength(0);
  await receiver.close();
});

test("retries a delivery after the receiver's Retry-After, capped at an hour, and does not follow redirects", async () => {
  const shop = await openShop();
  const other = await openReceiver();
  const receiver = await openReceiver((_received, count) =>
    count === 1 ? [429, { 'Retry-After': '90000' }] : [302, { Location: other.url }],
  );
  await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await waitFor(async () => (await deliveriesOf(shop))[0]?.response_status === 429);
  const [waiting] = await deliveriesOf(shop);
  const wait = (Date.parse(waiting?.next_attempt_at ?? '') - Date.parse(waiting?.created_at ?? '')) / 1000;
  expect(wait).toBeGreaterThan(3_590);
  expect(wait).toBeLessThan(3_660);

  await hurry(shop);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.response_status === 302);
  expect(other.received).toEqual([]);
  await Promise.all([receiver.close(), other.close()]);
});

test('signs deliveries with both secrets during a rotation, and rejects a second rotation (409)', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  const { id, secret } = await givenWebhook(shop, receiver.url, ['customer.created']);
  const params = { path: { webhook_id: id } };
  const { data: rotated } = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/rotate', { params });
  const { response } = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/rotate', { params });
  expect(response.status).toBe(409);

  await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', { params });
  const [ping] = await receiver.until(1);
  for (const one of [secret, rotated?.secret ?? '']) {
    expect(await webhooks.verify(ping?.body ?? '', ping?.headers ?? {}, one)).toMatchObject({ type: 'webhook.ping' });
  }
  await receiver.close();
});

test('replays a failed event with the same body under its original id', async () => {
  const shop = await openShop();
  const receiver = await openReceiver((_received, count) => (count === 1 ? 410 : 204));
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await waitFor(async () => (await deliveriesOf(shop))[0]?.status === 'failed');
  const since = new Date(Date.now() - 60_000).toISOString();
  const replayFailed = () =>
    shop.dashboard.POST('/api/dashboard/webhook-deliveries/replay-failed', { body: { since } });
  expect((await replayFailed()).data).toEqual({ replayed: 0, remaining: 0 });

  await shop.dashboard.PATCH('/api/dashboard/webhooks/{webhook_id}', {
    params: { path: { webhook_id: id } },
    body: { status: 'active' },
  });
  expect((await replayFailed()).data).toEqual({ replayed: 1, remaining: 0 });
  const [first, second] = await receiver.until(2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  await receiver.close();
});

test('unresponsive receivers of one tenant do not delay deliveries of other tenants', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const deaf = await openReceiver(() => undefined);
  const receiver = await openReceiver();
  for (let i = 0; i < 60; i += 1) await givenWebhook(shop, `${deaf.url}/${i}`, ['customer.created']);
  await givenWebhook(neighbour, receiver.url, ['customer.created']);

  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await deaf.until(20);
  await neighbour.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await receiver.until(1);
  expect(deaf.received).toHaveLength(20);
  await Promise.all([receiver.close(), deaf.close()]);
});

function ping({ dashboard }: OpenShop, webhook_id: string) {
  return dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', { params: { path: { webhook_id } } });
}

test('handles ten concurrent deliveries with 410 without a deadlock', async () => {
  const shop = await openShop();
  const receiver = await openReceiver(() => 410);
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  await Promise.all(Array.from({ length: 10 }, () => ping(shop, id)));

  await waitFor(async () => (await deliveriesOf(shop)).every(({ status }) => status === 'failed'));
  await waitFor(async () => (await jobsOf(shop)).length === 0);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  await receiver.close();
});

/** The ids of the deliveries that still have jobs. */
async function jobsOf({ owner, site_id }: OpenShop): Promise<{ delivery_id: string }[]> {
  const { rows } = await owner.query(
    `select payload->>'delivery_id' as delivery_id from graphile_worker._private_jobs
      where payload->>'site_id' = $1 and payload->>'delivery_id' is not null`,
    [site_id],
  );
  return rows;
}

/** Creates a due delivery without a job, as `attempts.due` finds it. */
async function givenDue({ owner, site_id }: OpenShop, webhook_id: string): Promise<attempts.Due> {
  const { rows } = await owner.query(
    `with event as (
        insert into commerce.events (site_id, id, type, payload) values ($1, gen_random_uuid(), 'webhook.ping', '{}')
        returning id
      )
      insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type)
      select $1, gen_random_uuid(), $2, id, 'webhook.ping' from event returning *`,
    [site_id, webhook_id],
  );
  return rows[0];
}

test.each([
  [410, 'refused'],
  [500, 'refused'],
  [200, 'succeeded'],
] as const)(
  'recording an attempt with status %i waits for a transaction that disables the webhook, without a deadlock',
  async (response_status, outcome) => {
    const shop = await openShop();
    const webhook = await givenWebhook(shop, 'https://hooks.example.net/', ['customer.created']);
    const due = await givenDue(shop, webhook.id);
    // After a second failure, the webhook's row is written only if the webhook is disabled, as after a 410.
    if (response_status === 410) {
      await shop.owner.query('update commerce.webhooks set failing_since = now() where id = $1', [webhook.id]);
    }
    const attempted: Attempted = {
      outcome,
      response_status,
      duration_ms: 1,
      retry_after_seconds: null,
      response_body: '',
    };

    const staff = await shop.owner.connect();
    try {
      const { rows } = await staff.query('select pg_backend_pid() as pid');
      await staff.query('begin');
      await staff.query('update commerce.webhooks set updated_at = now() where id = $1', [webhook.id]);
      const recorded = inShopAsSystem(shop.db, shop.site_id, (inside) => attempts.record(inside, due, attempted));
      await waitFor(async () => {
        const blocked = await shop.owner.query(
          'select from pg_stat_activity where $1::int = any(pg_blocking_pids(pid))',
          [rows[0]?.pid],
        );
        return blocked.rows.length > 0;
      });
      await staff.query(`set local lock_timeout = '300ms'`);
      const dropped = await staff.query(
        `update commerce.webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
        where id = $1 and status = 'pending'`,
        [due.id],
      );
      expect(dropped.rowCount).toBe(1);
      await staff.query('commit');
      await recorded;
    } finally {
      await staff.query('rollback');
      staff.release();
    }
    expect(await deliveriesOf(shop)).toMatchObject([{ status: 'failed', attempts_count: 0 }]);
  },
);

test('continues a delivery only once if a crash or a replay has created two jobs for it', async () => {
  const shop = await openShop();
  const receiver = await openReceiver(() => 500);
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  const delivery_id = (await ping(shop, id)).data?.id ?? '';
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 1);
  const another = (seconds: number) =>
    shop.owner.query(`select commerce.enqueue_delivery($1, $2, now() + $3 * interval '1 second')`, [
      shop.site_id,
      delivery_id,
      seconds,
    ]);

  // A job that runs early ends, because it finds that another job will run.
  await another(0);
  await waitFor(async () => (await jobsOf(shop)).length === 1);
  // Of two concurrent jobs, only one continues.
  await another(60);
  await hurry(shop);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 2);
  await waitFor(async () => (await jobsOf(shop)).length === 1);
  expect(await deliveriesOf(shop)).toMatchObject([{ status: 'pending', attempts_count: 2 }]);
  // Disabling the webhook makes the delivery fail, and the replay adds another job. The earlier job then runs too
  // early, or not at all.
  const params = { path: { webhook_id: id } };
  for (const status of ['disabled', 'active'] as const) {
    await shop.dashboard.PATCH('/api/dashboard/webhooks/{webhook_id}', { params, body: { status } });
  }
  await shop.dashboard.POST('/api/dashboard/webhook-deliveries/{delivery_id}/replay', {
    params: { path: { delivery_id } },
  });
  await waitFor(async () => Number((await deliveriesOf(shop))[0]?.attempts_count) >= 3);
  await shop.owner.query(
    `update graphile_worker._private_jobs set run_at = now() where payload->>'delivery_id' = $1 and locked_at is null
      and run_at > (select next_attempt_at from commerce.webhook_deliveries where id = $1::uuid)`,
    [delivery_id],
  );
  await shop.owner.query(`notify "jobs:insert", '{"count":50}'`);
  await waitFor(async () => (await jobsOf(shop)).length === 1);
  await receiver.close();
});

test('records only one of two concurrent attempts of a delivery', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  const due = await givenDue(shop, id);
  const refused: Attempted = {
    outcome: 'refused',
    response_status: 500,
    duration_ms: 1,
    retry_after_seconds: null,
    response_body: '',
  };
  const record = () => inShopAsSystem(shop.db, shop.site_id, (inside) => attempts.record(inside, due, refused));

  await Promise.all([record(), record()]);

  expect(await jobsOf(shop)).toEqual([{ delivery_id: due.id }]);
  expect(await deliveriesOf(shop)).toMatchObject([{ status: 'pending', attempts_count: 1 }]);
  await hurry(shop);
  await receiver.until(1);
  await waitFor(async () => (await jobsOf(shop)).length === 0);
  await receiver.close();
});

test('marks a delivery as failed if it was created while its webhook was disabled', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.owner.query(
    `update commerce.webhooks set status = 'disabled', disabled_reason = 'staff', disabled_at = now() where id = $1`,
    [id],
  );
  const due = await givenDue(shop, id);
  await shop.owner.query('select commerce.enqueue_delivery($1, $2, now())', [shop.site_id, due.id]);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.status === 'failed');
  expect(receiver.received).toEqual([]);
  await receiver.close();
});
