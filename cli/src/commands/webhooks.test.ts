import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn, refusal } from '../testing.ts';
import { EVENT_TYPES, EVENT_TYPES_HELP } from './event-types.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own examples.
const examples: any = contract.components.examples;
const [WEBHOOK] = examples.Webhooks.value;
const WITH_SECRET = examples.WebhookWithSecret.value;
const DELIVERY = examples.WebhookDelivery.value;
const DETAILS = examples.WebhookDeliveryDetails.value;
const PING = examples.PingDelivery.value;
const WEBHOOKS = '/api/dashboard/webhooks';
const DELIVERIES = '/api/dashboard/webhook-deliveries';

test('the CLI knows every event type of the contract, and its help describes events', () => {
  expect(EVENT_TYPES).toEqual(contract.components.schemas.EventType.enum);
  expect(EVENT_TYPES_HELP).toContain('inventory.changed      stock changed significantly');
});

test('lists webhooks with their state', async () => {
  const failing = { ...WEBHOOK, failing_since: '2026-03-02T08:22:00.000Z', last_success_at: null };
  const gone = {
    ...WEBHOOK,
    events: EVENT_TYPES,
    status: 'disabled',
    disabled_reason: 'gone',
    url: 'https://old.example/\u001b[2J',
  };
  const server = await fakeServer({ [`GET ${WEBHOOKS}`]: { body: [WEBHOOK, failing, gone] } });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['webhooks', 'list']);
  expect(out).toMatch(/https:\/\/search.example\/hooks\/commerce +product.created .* active +2026/);
  expect(out).toMatch(/failing since 2026-03-02 .* never/);
  expect(out).toMatch(/ all +disabled \(gone\)/);
  expect(out).not.toContain('\u001b');
  expect(JSON.parse((await commerce(['webhooks', 'list', '--json'])).out)).toHaveLength(3);
});

test('creates a webhook for the given event types or for all, and shows its secret', async () => {
  const server = await fakeServer({ [`POST ${WEBHOOKS}`]: { status: 201, body: WITH_SECRET } });
  const { commerce } = await loggedIn(server.url);
  const url = 'https://search.example/hooks';
  const two = ['--event', 'product.updated', '--event', 'product.deleted'];
  const { code, out } = await commerce(['webhooks', 'create', url, ...two, '--description', 'Search']);
  expect(code).toBe(0);
  expect(out).toContain(WITH_SECRET.secret);
  expect(out).toContain('not shown again');
  const events = ['product.updated', 'product.deleted'];
  expect(server.seen[0]?.body).toEqual({ url, events, description: 'Search' });
  await commerce(['webhooks', 'create', url]);
  expect(server.seen[1]?.body).toEqual({ url, events: ['*'] });
  const wrong = await commerce(['webhooks', 'create', url, '--event', 'order.lost']);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('Allowed choices are product.created, ');
  expect(server.seen).toHaveLength(2);
});

test('enables, disables, tests, rotates and deletes a webhook by its id', async () => {
  const path = `${WEBHOOKS}/${WEBHOOK.id}`;
  const until = { previous_secret_expires_at: '2026-03-03T08:15:00.000Z' };
  const server = await fakeServer({
    [`PATCH ${path}`]: ({ body }) => ({ body: { ...WEBHOOK, status: body.status, disabled_reason: 'staff' } }),
    [`POST ${path}/test`]: { body: PING },
    [`POST ${path}/rotate`]: { body: { ...WITH_SECRET, ...until } },
    [`DELETE ${path}`]: { body: { id: WEBHOOK.id, deleted: true } },
  });
  const { commerce } = await loggedIn(server.url);
  expect((await commerce(['webhooks', 'disable', WEBHOOK.id])).out).toContain('disabled (staff)');
  expect((await commerce(['webhooks', 'enable', WEBHOOK.id])).out).toContain('active');
  expect(server.seen.map(({ body }) => body)).toEqual([{ status: 'disabled' }, { status: 'active' }]);
  const tested = await commerce(['webhooks', 'test', WEBHOOK.id]);
  expect(tested.out).toBe('webhook.ping: succeeded with 200, after 184 ms, and the answer “ok”.\n');
  const rotated = await commerce(['webhooks', 'rotate', WEBHOOK.id]);
  expect(rotated.out).toContain(WITH_SECRET.secret);
  expect(rotated.out).toContain('Also signed with the previous one  until 2026-03-03');
  expect((await commerce(['webhooks', 'delete', WEBHOOK.id, '--yes'])).out).toBe(`Deleted: ${WEBHOOK.id}.\n`);
  expect((await commerce(['webhooks', 'delete', 'mine'])).code).toBe(2);
});

test('the errors for a disabled webhook and a second rotation suggest a remedy', async () => {
  const path = `${WEBHOOKS}/${WEBHOOK.id}`;
  const server = await fakeServer({
    [`POST ${path}/test`]: refusal(409, 'webhook_disabled', 'This webhook is disabled.'),
    [`POST ${path}/rotate`]: refusal(409, 'rotation_in_progress', 'Already rotated.', {
      previous_secret_expires_at: '2026-03-03T08:15:00.000Z',
    }),
  });
  const { commerce } = await loggedIn(server.url);
  const disabled = await commerce(['webhooks', 'test', WEBHOOK.id]);
  expect(disabled.code).toBe(1);
  expect(disabled.err).toContain('What to do: Fix the receiver, then: commerce webhooks enable ID');
  expect((await commerce(['webhooks', 'rotate', WEBHOOK.id])).err).toContain('Wait until 2026-03-03T08:15:00.000Z.');
});

test('lists deliveries with filters, and shows a delivery with its attempts', async () => {
  const server = await fakeServer({
    [`GET ${DELIVERIES}`]: { body: { deliveries: [DELIVERY], next_cursor: 'c2' } },
    [`GET ${DELIVERIES}/${DELIVERY.id}`]: { body: DETAILS },
  });
  const { commerce } = await loggedIn(server.url);
  const asked = ['--webhook', WEBHOOK.id, '--status', 'pending', '--type', 'product.updated', '--limit', '1'];
  const { out } = await commerce(['deliveries', 'list', ...asked]);
  expect(out).toMatch(/product.updated {2}pending +1 +503/);
  expect(out).toContain('\n\nNext: --cursor c2\n');
  const query = `status=pending&type=product.updated&limit=1&webhook_id=${WEBHOOK.id}`;
  expect([...(server.seen[0]?.query ?? [])].sort()).toEqual([...new URLSearchParams(query)].sort());
  const one = await commerce(['deliveries', 'show', DELIVERY.id]);
  expect(one.out).toMatch(/refused +503 +184 ms/);
  expect(one.out).toContain('    "slug": "stoneware-mug",\n');
});

test('replays all failed deliveries in batches, and shows the progress', async () => {
  let remaining = 2_500;
  const server = await fakeServer({
    [`POST ${DELIVERIES}/replay-failed`]: () => {
      const replayed = Math.min(1_000, remaining);
      remaining -= replayed;
      return { body: { replayed, remaining } };
    },
  });
  const { commerce } = await loggedIn(server.url);
  const { out, err } = await commerce(['deliveries', 'replay', '--failed-since', '2026-03-02']);
  expect(out).toBe('On their way again: 2500.\n');
  expect(err).toContain('2000 on their way again, 500 remain.\n');
  expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
});

test('replays one delivery, or all deliveries that have failed since a given time', async () => {
  const server = await fakeServer({
    [`POST ${DELIVERIES}/${DELIVERY.id}/replay`]: { body: DELIVERY },
    [`POST ${DELIVERIES}/replay-failed`]: { body: examples.Replayed.value },
  });
  const { commerce } = await loggedIn(server.url);
  expect((await commerce(['deliveries', 'replay', DELIVERY.id])).out).toContain(`event ${DELIVERY.event_id}.`);
  const since = '2026-03-02T08:00:00Z';
  const { out } = await commerce(['deliveries', 'replay', '--failed-since', since, '--webhook', WEBHOOK.id]);
  expect(out).toBe('On their way again: 3.\n');
  expect(server.seen.at(-1)?.body).toEqual({ since: '2026-03-02T08:00:00.000Z', webhook_id: WEBHOOK.id });
  const wrong = [[], [DELIVERY.id, '--failed-since', since], [DELIVERY.id, '--webhook', WEBHOOK.id]];
  for (const args of wrong) expect((await commerce(['deliveries', 'replay', ...args])).code).toBe(2);
  expect(server.seen).toHaveLength(2);
});

test('`trigger` sends every event type of the contract', async () => {
  const trigger = () => ({ status: 201, body: examples.TriggeredEvent.value });
  const server = await fakeServer({ 'POST /api/dashboard/events/trigger': trigger });
  const { commerce } = await loggedIn(server.url);
  const types = Object.keys(contract.webhooks);
  for (const type of types) expect((await commerce(['trigger', type])).code, type).toBe(0);
  expect(server.seen.map(({ body }) => body.type)).toEqual(types);
});

test('`trigger` shows the number of receivers, or how to listen if there are none', async () => {
  const triggered = examples.TriggeredEvent.value;
  let counts = { webhooks_count: 2, listeners_count: 1 };
  const trigger = () => ({ status: 201, body: { ...triggered, ...counts } });
  const server = await fakeServer({ 'POST /api/dashboard/events/trigger': trigger });
  const { commerce } = await loggedIn(server.url);
  const message = `order.paid goes to 2 webhooks and 1 listener, as event ${triggered.event_id}.\n`;
  expect((await commerce(['trigger', 'order.paid'])).out).toBe(message);
  expect(server.seen[0]?.body).toEqual({ type: 'order.paid' });
  counts = { webhooks_count: 0, listeners_count: 0 };
  expect((await commerce(['trigger', 'order.paid'])).out).toContain('commerce listen --forward-to');
  expect((await commerce(['trigger', 'order.lost'])).code).toBe(2);
});
