import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { readLimit, setSiteLimits } from '../../shop/site-limits.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Two rate-limited server processes behind a proxy that passes on the client's IP address. */
async function startTwo() {
  const settings = { rateLimits: true, trustProxy: 1 };
  return [await startServer(databaseUrl(), settings), await startServer(databaseUrl(), settings)] as const;
}

let visitors = 0;

function call(baseUrl: string, shop: Shop, path: string, body: unknown, ip?: string) {
  visitors += 1;
  return fetch(`${baseUrl}/api/storefront${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'Content-Type': 'application/json',
      'X-Site-ID': shop.site_id,
      'X-Service-Token': shop.credentials.storefront_token,
      'Idempotency-Key': randomUUID(),
      'X-Forwarded-For': ip ?? `10.1.${visitors >> 8}.${visitors & 255}`,
    },
  });
}

function tally(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('sends at most three mails an hour to an e-mail address, across callers and servers (429)', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const [one, two] = await startTwo();
  const email = `${randomUUID()}@example.com`;

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      call((i % 2 ? one : two).baseUrl, shop, '/customer/reset-request', {
        email: i % 3 ? email : email.toUpperCase(),
      }),
    ),
  );
  const elsewhere = await call(one.baseUrl, neighbour, '/customer/reset-request', { email });

  expect(tally(answers)).toEqual({ 202: 3, 429: 7 });
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThan(3_500);
  expect(refused?.headers.get('RateLimit-Policy')).toBe('"reset_request";q=3;w=3600');
  expect(elsewhere.status).toBe(202);
  await Promise.all([stopServer(one), stopServer(two)]);
});

test('the login rate limit counts each IPv6 network separately, and all of its IP addresses together (429)', async () => {
  const shop = await openShop();
  const [server, other] = await startTwo();
  const login = (ip: string) =>
    call(server.baseUrl, shop, '/customer/login', { email: `${randomUUID()}@example.com`, password: 'no such' }, ip);

  const sixteen = (from: number) =>
    Promise.all(Array.from({ length: 16 }, (_, i) => login(`2001:db8:0:7::${(from + i).toString(16)}`)));
  // Sends the requests in two batches, because too many concurrent requests would be rejected with 503.
  const answers = [...(await sixteen(1)), ...(await sixteen(17))];
  const neighbour = await login('2001:db8:0:8::1');

  expect(tally(answers)).toEqual({ 401: 30, 429: 2 });
  expect(neighbour.status).toBe(401);
  await Promise.all([stopServer(server), stopServer(other)]);
});

test('the login rate limit of an IP network counts logins to all accounts on all servers (429)', async () => {
  const shop = await openShop();
  const [one, two] = await startTwo();

  const guesses = () =>
    Promise.all(
      Array.from({ length: 18 }, (_, i) => {
        const body = { email: `${randomUUID()}@example.com`, password: 'a guess' };
        return call((i % 2 ? one : two).baseUrl, shop, '/customer/login', body, '10.2.0.1');
      }),
    );
  // Sends the guesses in two batches, because too many concurrent requests would be rejected with 503.
  const answers = [...(await guesses()), ...(await guesses())];
  const other = await call(one.baseUrl, shop, '/customer/login', { email: 'a@example.com', password: 'x' }, '10.2.0.2');

  expect(tally(answers)).toEqual({ 401: 30, 429: 6 });
  expect(other.status).toBe(401);
  await Promise.all([stopServer(one), stopServer(two)]);
});

test('the login rate limit ignores the case of the site id (429)', async () => {
  const shop = await openShop();
  const [one, two] = await startTwo();
  const spellings = [shop.site_id, shop.site_id.toUpperCase()];

  await setSiteLimits(shop.db, shop.site_id, new Map([readLimit('customer_login=2')]));
  const answers = [];
  for (let i = 0; i < 4; i += 1) {
    const spelled = { ...shop, site_id: spellings[i % 2] ?? '' };
    const wrong = { email: `${randomUUID()}@example.com`, password: 'a guess' };
    answers.push(await call(one.baseUrl, spelled, '/customer/login', wrong, '10.2.0.3'));
  }

  expect(tally(answers)).toEqual({ 401: 2, 429: 2 });
  await Promise.all([stopServer(one), stopServer(two)]);
});

test('allows ten discount codes a minute per cart, then answers 429', async () => {
  const shop = await openShop();
  const [one, two] = await startTwo();
  const cart = await shop.givenCart();

  const answers = await Promise.all(
    Array.from({ length: 14 }, (_, i) =>
      call((i % 2 ? one : two).baseUrl, shop, `/cart/${cart.id}/discounts`, { code: `GUESS${i}` }),
    ),
  );

  expect(tally(answers)).toEqual({ 400: 10, 429: 4 });
  await Promise.all([stopServer(one), stopServer(two)]);
});

test('allows ten new checkouts per minute for a cart, however its id is capitalised, then answers 429', async () => {
  const shop = await openShop();
  const [one, two] = await startTwo();
  const { id } = await shop.givenCart();
  // Chooses upper or lower case for each letter by the bits of the number.
  const spelled = (number: number) => {
    let letter = 0;
    return id.replaceAll(/[a-f]/g, (one) => ((number >> letter++) & 1 ? one.toUpperCase() : one));
  };
  const spellings = [...new Set(Array.from({ length: 64 }, (_, i) => spelled(i)))].slice(0, 11);

  // Sends the requests one after another, because requests for one cart wait for each other.
  const answers = [];
  for (const cart_id of spellings) answers.push(await call(one.baseUrl, shop, '/checkout', { cart_id }));

  expect(spellings).toHaveLength(11);
  expect(tally(answers)).toEqual({ 201: 10, 429: 1 });
  await Promise.all([stopServer(one), stopServer(two)]);
});

test('applies a site’s own limits from the next request on, in every process, and only to that site', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const [one, two] = await startTwo();
  const wanted = ['discount_apply=2', 'storefront_read=3'].map(readLimit);
  const cart = await shop.givenCart();
  const read = (baseUrl: string, { site_id, credentials }: Shop) =>
    fetch(`${baseUrl}/api/storefront/shop`, {
      headers: { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token },
    });

  expect(await setSiteLimits(shop.db, shop.site_id, new Map(wanted))).toEqual({
    discount_apply: 2,
    storefront_read: 3,
  });
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      call((i % 2 ? one : two).baseUrl, shop, `/cart/${cart.id}/discounts`, { code: `GUESS${i}` }),
    ),
  );
  const reads = await Promise.all(Array.from({ length: 5 }, () => read(one.baseUrl, shop)));
  const others = await Promise.all(Array.from({ length: 5 }, () => read(one.baseUrl, neighbour)));

  expect(tally(answers)).toEqual({ 400: 2, 429: 3 });
  expect(tally(reads)).toEqual({ 200: 3, 429: 2 });
  expect(reads[0]?.headers.get('RateLimit-Policy')).toBe('"storefront_read";q=3;w=60');
  expect(tally(others)).toEqual({ 200: 5 });
  expect(await setSiteLimits(shop.db, shop.site_id, new Map([readLimit('storefront_read=default')]))).toEqual({
    discount_apply: 2,
  });
  expect((await read(one.baseUrl, shop)).status).toBe(200);
  await Promise.all([stopServer(one), stopServer(two)]);
});

test.each([
  ['storefront_reads=5', 'Unknown limit'],
  ['storefront_read=0', 'from 1 to 60000'],
  ['customer_login=301', 'from 1 to 300'],
  ['storefront_read=1.5', 'a whole number'],
  ['login=5', 'cannot differ by site'],
])('rejects the rate limit %s with an explanation', (text, words) => {
  expect(() => readLimit(text)).toThrow(words);
});
