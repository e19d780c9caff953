import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import { closedServer, fakeServer, loggedIn, refusal, type Seen } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own examples.
const examples: any = contract.components.examples;
const LISTENER = examples.EventListenerWithSecret.value;
const [EVENT] = examples.ListenerEvents.value.events;
const LISTENERS = '/api/dashboard/events/listeners';
const ONE = `${LISTENERS}/${LISTENER.id}`;
const gone = { body: { id: LISTENER.id, deleted: true } };
const until = (condition: () => void) => vi.waitFor(condition, { timeout: 15_000, interval: 10 });

type Page = ReturnType<typeof refusal>;
const pageOf = (...events: unknown[]): Page => ({ body: { events, next_cursor: `c${events.length}` } });

/** Starts a fake shop whose listener returns these pages of events in order, and then no events. */
async function shop(...pages: Page[]) {
  return fakeServer({
    [`POST ${LISTENERS}`]: { status: 201, body: LISTENER },
    [`GET ${ONE}`]: () => pages.shift() ?? pageOf(),
    [`DELETE ${ONE}`]: gone,
  });
}

const calls = (seen: Seen[]) => seen.map(({ method }) => method);

test("`listen` forwards events with a webhook signature, and shows each event with the receiver's response", async () => {
  const other = { ...EVENT, event_id: '0192f3a3-4444-7000-8000-000000000002' };
  const receiver = await fakeServer({
    'POST /hooks': ({ headers }) => ({ status: headers['webhook-id'] === EVENT.event_id ? 204 : 500 }),
  });
  const server = await shop(pageOf(EVENT), pageOf(other));
  const { begin } = await loggedIn(server.url);
  const { out, interrupt, ended } = begin([
    'listen',
    '--forward-to',
    `${receiver.url}/hooks`,
    '--event',
    'order.created',
  ]);
  await until(() => expect(receiver.seen).toHaveLength(2));
  await until(() => expect(out()).toContain(other.event_id));
  interrupt();
  const outcome = await ended;

  expect(outcome).toMatchObject({ code: 0, err: 'Stopped.\n' });
  expect(outcome.out).toContain(`Secret  ${LISTENER.secret}\n`);
  expect(outcome.out).toMatch(/order.created +204 .*000001\n/);
  expect(outcome.out).toMatch(/order.created +500 .*000002\n/);
  expect(server.seen[0]?.body).toEqual({ events: ['order.created'] });
  expect(server.seen[1]?.query.get('wait_seconds')).toBe('20');
  expect(server.seen[2]?.query.get('cursor')).toBe('c1');
  expect(calls(server.seen).at(-1)).toBe('DELETE');
  for (const { headers, body } of receiver.seen) {
    const signed = headers as Record<string, string>;
    expect(new Webhook(LISTENER.secret).verify(JSON.stringify(body), signed)).toEqual(EVENT.payload);
    expect(headers['content-type']).toBe('application/json');
  }
});

test('`listen` reports an unreachable receiver, and forwards the next event', async () => {
  const nowhere = await closedServer();
  const redirecting = await fakeServer({ 'POST /': { status: 302, headers: { Location: nowhere.url } } });
  for (const [url, expected] of [
    [nowhere.url, 'ECONNREFUSED'],
    [redirecting.url, '302'],
  ] as const) {
    const server = await shop(pageOf(EVENT), pageOf(EVENT));
    const { begin } = await loggedIn(server.url);
    const { out, interrupt, ended } = begin(['listen', '--forward-to', url]);
    await until(() => expect(out().split(expected)).toHaveLength(3));
    interrupt();
    expect((await ended).code).toBe(0);
  }
});

test('`listen` reconnects after server errors, and continues after the last event', async () => {
  const busy = refusal(503, 'unavailable', 'Restarting.', { retryable: true });
  const server = await shop(pageOf(EVENT), busy, busy, pageOf(EVENT, EVENT));
  const { begin } = await loggedIn(server.url);
  const { out, err, interrupt, ended } = begin(['listen', '--json']);
  await until(() => expect(out().split(EVENT.event_id)).toHaveLength(4));
  interrupt();
  await ended;
  expect(
    err()
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line).note),
  ).toEqual(['Restarting. Listening resumes as soon as the server answers.', 'The server answers again.']);
  const fetches = server.seen.filter(({ method }) => method === 'GET').slice(1, 4);
  expect(fetches.map(({ query }) => [query.get('cursor'), query.get('wait_seconds')])).toEqual([
    ['c1', '20'],
    ['c1', '0'],
    ['c1', '0'],
  ]);
});

test('`listen` creates a new listener if its listener has expired, and warns about lost events', async () => {
  const server = await shop(refusal(404, 'not_found', 'No such listener.'), pageOf(EVENT));
  const { begin } = await loggedIn(server.url);
  const { out, interrupt, ended } = begin(['listen', '--json']);
  await until(() => expect(out()).toContain(EVENT.event_id));
  interrupt();
  const { err } = await ended;
  expect(err).toContain('events from that time are lost');
  expect(
    out()
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line).secret),
  ).toEqual([LISTENER.secret, LISTENER.secret]);
  expect(calls(server.seen).slice(0, 4)).toEqual(['POST', 'GET', 'POST', 'GET']);
});

test('`listen` reports a revoked login (exit code 3), an unreachable server (4) and an invalid URL (2)', async () => {
  const revoked = await shop(refusal(401, 'invalid_token', 'Revoked.'));
  expect((await (await loggedIn(revoked.url)).commerce(['listen'])).code).toBe(3);
  const { url } = await closedServer();
  expect((await (await loggedIn(url)).commerce(['listen'])).code).toBe(4);
  for (const address of ['localhost:4000', 'ftp://localhost', 'nonsense', 'http://a:b@localhost']) {
    const { code, err } = await (await loggedIn(url)).commerce(['listen', '--forward-to', address]);
    expect({ address, code }).toEqual({ address, code: 2 });
    expect(err).toContain('Write it as http://localhost:4000/hooks');
  }
});
