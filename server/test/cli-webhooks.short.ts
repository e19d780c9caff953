/**
 * Tests the CLI's webhook commands with the real server and its jobs. The npm package standardwebhooks verifies the
 * signatures.
 */

import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { loggedIn } from '../../cli/src/testing.ts';
import { workJobs } from './jobs.ts';
import { openReceiver, waitFor } from './receiver.ts';
import { openShop } from './shop.ts';

async function merchant() {
  const shop = await openShop();
  return { ...shop, ...(await loggedIn(shop.baseUrl, shop.credentials.api_key)) };
}

async function working(): Promise<void> {
  const jobs = await workJobs();
  onTestFinished(() => jobs.stop());
}

async function receiver(...answer: Parameters<typeof openReceiver>) {
  const opened = await openReceiver(...answer);
  onTestFinished(() => opened.close());
  return opened;
}

test("`commerce listen` forwards the shop's events with a signature, and exits on Ctrl-C without an error", async () => {
  const { begin, commerce, givenProduct, dashboard } = await merchant();
  const local = await receiver();
  const listening = begin(['listen', '--forward-to', local.url]);
  await waitFor(() => listening.out().includes('whsec_'));
  const secret = /whsec_\S+/.exec(listening.out())?.[0] ?? '';

  await givenProduct({ name: 'Stoneware mug' });
  const triggered = await commerce(['trigger', 'order.paid', '--json']);
  const { event_id, payload, listeners_count } = JSON.parse(triggered.out);
  expect(listeners_count).toBe(1);
  await local.until(2);
  await waitFor(() => listening.out().includes(event_id));
  expect(local.received.map(({ event }) => event.type)).toEqual(['product.created', 'order.paid']);
  for (const { body, headers } of local.received) {
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  }
  expect(local.received[1]?.event).toEqual(payload);
  expect(payload.test).toBe(true);
  expect(local.received[1]?.headers['webhook-id']).toBe(event_id);

  listening.interrupt();
  expect(await listening.ended).toMatchObject({ code: 0, err: 'Stopped.\n' });
  const { data } = await dashboard.POST('/api/dashboard/events/trigger', { body: { type: 'order.paid' } });
  expect(data?.listeners_count).toBe(0);
});

test('`commerce listen` with an event filter forwards no other events', async () => {
  const { begin, commerce, givenProduct } = await merchant();
  const listening = begin(['listen', '--event', 'order.created', '--json']);
  await waitFor(() => listening.out().includes('whsec_'));
  await givenProduct();
  await commerce(['trigger', 'order.created']);
  await waitFor(() => listening.out().includes('order.created'));
  listening.interrupt();
  const { out } = await listening.ended;
  expect(out.trim().split('\n')).toHaveLength(2);
});

test('the CLI creates, tests and rotates a webhook, and lists and replays its deliveries', async () => {
  await working();
  const { commerce } = await merchant();
  const taken = await receiver();
  const resultOf = async (...args: string[]) => {
    const { code, out, err } = await commerce([...args, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };
  const { id, secret } = await resultOf('webhooks', 'create', taken.url, '--event', 'order.paid');

  await resultOf('webhooks', 'test', id);
  await taken.until(1);
  expect(taken.received[0]?.event).toMatchObject({ type: 'webhook.ping', data: { webhook_id: id } });
  const { secret: next } = await resultOf('webhooks', 'rotate', id);
  expect((await commerce(['webhooks', 'rotate', id])).err).toContain('(409 rotation_in_progress)');
  await resultOf('trigger', 'order.paid');
  const [, paid] = await taken.until(2);
  for (const key of [secret, next]) {
    new Webhook(key).verify(paid?.body ?? '', paid?.headers as Record<string, string>);
  }

  const succeeded = ['deliveries', 'list', '--webhook', id, '--status', 'succeeded'];
  await waitFor(async () => (await resultOf(...succeeded)).deliveries.length === 2);
  const [delivery] = (await resultOf(...succeeded)).deliveries;
  expect((await commerce(['deliveries', 'show', delivery.id])).out).toMatch(/succeeded +204/);
  await resultOf('deliveries', 'replay', delivery.id);
  const [, , again] = await taken.until(3);
  expect(again?.headers['webhook-id']).toBe(paid?.headers['webhook-id']);
});

test('the CLI replays the events since a given time that a disabled webhook missed', async () => {
  await working();
  const { commerce } = await merchant();
  const dead = await receiver((_received, count) => (count === 1 ? 410 : 204));
  const { id } = JSON.parse((await commerce(['webhooks', 'create', dead.url, '--json'])).out);
  await commerce(['trigger', 'order.paid']);
  await waitFor(async () => (await commerce(['webhooks', 'list'])).out.includes('disabled (gone)'));
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const none = await commerce(['deliveries', 'replay', '--failed-since', since]);
  expect(none.out).toBe('No delivery to an enabled webhook has failed since then.\n');
  expect((await commerce(['webhooks', 'test', id])).err).toContain('commerce webhooks enable ID');

  expect((await commerce(['webhooks', 'enable', id])).out).toContain('active');
  const replayed = await commerce(['deliveries', 'replay', '--failed-since', since, '--webhook', id]);
  expect(replayed.out).toBe('On their way again: 1.\n');
  const [first, second] = await dead.until(2);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect((await commerce(['webhooks', 'delete', id, '--yes'])).code).toBe(0);
  expect((await commerce(['deliveries', 'list'])).out).toBe('No deliveries.\n');
});
