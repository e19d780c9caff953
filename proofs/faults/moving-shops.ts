import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient } from '@commerce-backend/sdk';
import { inTransaction } from '../../server/src/db/transaction.ts';
import { directoryStore } from '../../server/src/files/directory.ts';
import { createSite, mintPassword } from '../../server/src/shop/merchant/sites.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { KEY_SCOPES } from '../../server/test/key-scopes.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { runCommand, withDirectory } from '../testing/server-process.ts';

/**
 * Shops move with their secrets to another server, one after another, while buyers order in them. A buyer repeats each call with
 * its Idempotency-Key, at the old and the new server in turn, until one of the servers gives a definite response.
 */
export const L7: Proof = {
  id: 'L7',
  promise:
    'A shop that moves to another server while it sells loses and duplicates no order, and is available again within ten seconds.',
  run: (trial) =>
    withDirectory((directory) =>
      withOwnDatabase(trial.databaseUrl, (from) =>
        withOwnDatabase(trial.databaseUrl, (to) => moveAll(trial, directory, [from, to])),
      ),
    ),
};

const COMMAND_WITHIN_MS = 120_000;
const BUYERS = 3;
/** The time in milliseconds for which buyers order before and after the move. */
const AROUND_MS = 1_000;
const MOST_SECONDS = 10;

type Installation = Awaited<ReturnType<typeof openInstallation>>;

async function openInstallation(url: string, dataDir: string) {
  const secretKey = randomBytes(32).toString('base64');
  const server = await startServer(url, { secretKey, files: directoryStore(dataDir) }, url);
  const env = {
    ...{ DATABASE_URL: url, DATA_DIR: dataDir, SECRET_KEY: secretKey, BASE_URL: server.baseUrl },
    ...{ DEMO_SHOP: 'off', LOG_LEVEL: 'warn' },
  };
  const command = async (...args: string[]) => {
    const { code, output } = await runCommand(args, env, COMMAND_WITHIN_MS);
    if (code !== 0) throw new Error(`commerce-server ${args.join(' ')} ended with ${code}: ${output}`);
    return output;
  };
  return { ...server, command };
}

async function moveAll({ size, progress }: Trial, directory: string, urls: [string, string]): Promise<Figures> {
  const violations = new Violations();
  const from = await openInstallation(urls[0], join(directory, 'from'));
  const to = await openInstallation(urls[1], join(directory, 'to'));
  const seconds: number[] = [];
  let orders = 0;
  try {
    for (let i = 0; i < pick(size, 1, 20); i += 1) {
      const shop = await openShop(from, i, pick(size, 10, 1_000));
      const moved = await moveWhileSelling(shop, { from, to }, join(directory, `${i}.site`), violations);
      seconds.push(moved.seconds);
      orders += moved.orders;
      progress(`shop ${i + 1}: ${moved.seconds.toFixed(1)} s without service, ${moved.orders} orders`);
    }
    for (const { owner } of [from, to]) {
      for (const { rule, rows } of await brokenInvariants(owner)) {
        violations.add(`invariant broken: ${rule} ${JSON.stringify(rows)}`);
      }
    }
  } finally {
    await stopServer(from);
    await stopServer(to);
  }
  const longest = Math.max(...seconds);
  if (longest > MOST_SECONDS) violations.add(`A shop was without service for ${longest.toFixed(1)} s.`);
  return {
    tried: orders,
    unit: 'orders around moves',
    violations: violations.list,
    note: `${seconds.length} shops, without service for ${Math.min(...seconds).toFixed(1)} to ${longest.toFixed(1)} s`,
  };
}

interface Shop {
  site_id: string;
  headers: Record<string, string>;
  variant_id: string;
  shipping_option_id: string;
}

async function openShop({ db, baseUrl }: Installation, i: number, products: number): Promise<Shop> {
  const staff = { email: `staff-${i}@example.com`, name: 'Staff' };
  const password = await mintPassword();
  const { credentials } = await inTransaction(db, (connection) =>
    createSite(connection, { name: `Shop ${i}`, currency: 'EUR', staff, password, key_scopes: KEY_SCOPES }),
  );
  const { site_id, api_key, storefront_token } = credentials;
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key, maxAttempts: 1 });
  const bank_details = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' };
  await dashboard.PATCH('/api/dashboard/settings', { body: { bank_details } });
  const option = await dashboard.POST('/api/dashboard/shipping-options', { body: { name: 'Parcel', price: '4.90' } });
  let variant_id = '';
  for (let n = 0; n < products; n += 1) {
    const goods = { name: `Mug ${n}`, price: '14.00', status: 'active' as const, inventory_quantity: 100_000 };
    const { data } = await dashboard.POST('/api/dashboard/products', { body: goods });
    variant_id = data?.variants[0]?.id ?? '';
  }
  const headers = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token, 'Content-Type': 'application/json' };
  return { site_id, headers, variant_id, shipping_option_id: option.data?.id ?? '' };
}

interface Servers {
  from: Installation;
  to: Installation;
}

async function moveWhileSelling(shop: Shop, servers: Servers, file: string, violations: Violations) {
  const { from, to } = servers;
  const done = new AbortController();
  const watching = watch(shop, servers, done.signal);
  const buying = Promise.all(Array.from({ length: BUYERS }, () => buyUntil(done.signal, shop, servers)));
  // Ignores these errors here, because they are thrown where the results are awaited.
  for (const work of [watching, buying]) work.catch(() => undefined);
  try {
    const [, key = ''] = /(rcv_\S+)/.exec(await to.command('site', 'receive')) ?? [];
    await sleep(AROUND_MS);
    await from.command('site', 'export', shop.site_id, file, '--final', '--keep-secrets', key);
    await to.command('site', 'import', file, '--force');
    await sleep(AROUND_MS);
  } finally {
    done.abort();
  }
  const acknowledged = (await buying).flat();
  const seconds = await watching;
  const idsIn = async ({ owner }: Installation) => {
    const { rows } = await owner.query<{ id: string }>('select id from commerce.orders where site_id = $1', [
      shop.site_id,
    ]);
    return rows.map(({ id }) => id);
  };
  const [left, arrived] = [await idsIn(from), await idsIn(to)];
  if (left.length === 0 || arrived.length === left.length) violations.add('The shop did not sell on both servers.');
  for (const { id } of acknowledged) if (!arrived.includes(id)) violations.add(`Order ${id} was lost.`);
  for (const id of left) if (!arrived.includes(id)) violations.add(`Order ${id} stayed on the old server.`);
  if (arrived.length !== acknowledged.length) {
    violations.add(`${acknowledged.length} orders were acknowledged, but ${arrived.length} exist.`);
  }
  for (const { cart_id, key } of acknowledged) {
    const init = { method: 'POST', headers: { ...shop.headers, 'Idempotency-Key': key }, body: '{}' };
    const text = await (await fetch(`${to.baseUrl}/api/storefront/cart`, init)).text();
    if (!text.includes(cart_id)) violations.add(`The call that created cart ${cart_id} ran again: ${text}`);
  }
  return { seconds, orders: acknowledged.length };
}

/**
 * Reads from both servers repeatedly. Returns the longest time in seconds during which neither server responded with
 * 200.
 */
async function watch(shop: Shop, { from, to }: Servers, signal: AbortSignal): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  while (!signal.aborted) {
    for (const { baseUrl } of [from, to]) {
      const { status } = await fetch(`${baseUrl}/api/storefront/products?limit=1`, { headers: shop.headers });
      if (status !== 200) continue;
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    await sleep(20);
  }
  return longest / 1_000;
}

/** An acknowledged order, and the call that created its cart. */
interface Bought {
  id: string;
  cart_id: string;
  key: string;
}

/** Places orders without pause until the signal. Returns the acknowledged orders. */
async function buyUntil(signal: AbortSignal, shop: Shop, servers: Servers): Promise<Bought[]> {
  const bought: Bought[] = [];
  const call = async <T>(method: string, path: string, body: object, key: string = randomUUID()): Promise<T> => {
    const { status, text } = await sendUntilAnswered(shop, servers, { method, path, body, key });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status} ${text}`);
    return JSON.parse(text) as T;
  };
  const { variant_id, shipping_option_id } = shop;
  while (!signal.aborted) {
    const key = randomUUID();
    const cart = await call<{ id: string }>('POST', '/api/storefront/cart', {}, key);
    await call('POST', `/api/storefront/cart/${cart.id}/items`, { variant_id, quantity: 1 });
    const checkout = await call<{ id: string }>('POST', '/api/storefront/checkout', { cart_id: cart.id });
    await call('PATCH', `/api/storefront/checkout/${checkout.id}`, { ...BUYER, shipping_option_id });
    const path = `/api/storefront/checkout/${checkout.id}/complete`;
    const { order } = await call<{ order: { id: string } }>('POST', path, {});
    bought.push({ id: order.id, cart_id: cart.id, key });
  }
  return bought;
}

const BUYER = {
  ...{ email: 'june@example.com', payment_method: 'bank_transfer' },
  shipping_address: {
    ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' },
    ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
  },
};

interface Sent {
  method: string;
  path: string;
  body: object;
  key: string;
}

/**
 * Sends a call to the two servers in turn. After the move the old server responds with 503, and before the move the new
 * server responds with 401.
 */
async function sendUntilAnswered({ headers }: Shop, { from, to }: Servers, { method, path, body, key }: Sent) {
  const init = { method, headers: { ...headers, 'Idempotency-Key': key }, body: JSON.stringify(body) };
  const until = Date.now() + 60_000;
  for (let turn = 0; ; turn += 1) {
    const answer = await fetch((turn % 2 === 0 ? from : to).baseUrl + path, init);
    const text = await answer.text();
    const isDefinite = answer.status !== 503 && answer.status !== 401;
    if (isDefinite || Date.now() > until) return { status: answer.status, text };
    await sleep(20);
  }
}
