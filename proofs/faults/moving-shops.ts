import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { directoryStore } from '../../server/src/files/directory.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { runCommand, withDirectory } from '../testing/server-process.ts';
import { stock } from './expensive-reads.ts';
import { Shoppers } from './shoppers.ts';

/**
 * Shops move with their secrets to another server, one after another, while buyers order in them. A buyer repeats each
 * call with its Idempotency-Key, at the old server until the shop has moved, then at the new one, until the response is
 * definite.
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
/** The number of responses that buyers get before and after the move. */
const ANSWERS_AROUND = 50;
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
  return { ...server, url, command };
}

async function moveAll({ size, seed, progress }: Trial, directory: string, urls: [string, string]): Promise<Figures> {
  const violations = new Violations();
  const from = await openInstallation(urls[0], join(directory, 'from'));
  const to = await openInstallation(urls[1], join(directory, 'to'));
  const seconds: number[] = [];
  let orders = 0;
  try {
    for (let i = 0; i < pick(size, 1, 20); i += 1) {
      let current = from;
      const shoppers = await Shoppers.open({
        get databaseUrl() {
          return current.url;
        },
        servers: () => [current.baseUrl],
        shoppers: 3,
        seed: seed + i,
      });
      const { site_id, api_key } = shoppers.credentials;
      await stock(from.baseUrl, api_key, pick(size, 100, 1_000));
      const key = randomUUID();
      const product = await createProduct(from, api_key, key);
      const done = new AbortController();
      const watching = watch(shoppers.credentials, [from, to], done.signal);
      // Ignores the error here, because it is thrown where the result is awaited.
      watching.catch(() => undefined);
      shoppers.begin();
      try {
        const [, recipient = ''] = /(rcv_\S+)/.exec(await to.command('site', 'receive')) ?? [];
        await shoppers.moreAnswers(ANSWERS_AROUND);
        const file = join(directory, `${i}.site`);
        await from.command('site', 'export', site_id, file, '--final', '--keep-secrets', recipient);
        await to.command('site', 'import', file, '--force');
        current = to;
        await shoppers.moreAnswers(ANSWERS_AROUND);
      } finally {
        done.abort();
        await shoppers.rest();
      }
      await shoppers.judge(violations);
      const again = await createProduct(to, api_key, key);
      if (again !== product) violations.add(`The call that created ${product} ran again: ${again}`);
      seconds.push(await watching);
      orders += shoppers.orders;
      progress(`shop ${i + 1}: ${seconds.at(-1)?.toFixed(1)} s without service, ${shoppers.orders} orders`);
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

/** Creates a product with this Idempotency-Key, and returns the response. */
async function createProduct({ baseUrl }: Installation, api_key: string, key: string): Promise<string> {
  const headers = { 'X-API-Key': api_key, 'Idempotency-Key': key, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: 'Bowl', price: '1.00' });
  return (await fetch(`${baseUrl}/api/dashboard/products`, { method: 'POST', headers, body })).text();
}

/**
 * Reads from both servers repeatedly. Returns the longest time in seconds during which neither server responded with
 * 200.
 */
async function watch(
  { site_id, storefront_token }: Shoppers['credentials'],
  servers: Installation[],
  signal: AbortSignal,
): Promise<number> {
  const headers = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
  let [last, longest] = [performance.now(), 0];
  while (!signal.aborted) {
    for (const { baseUrl } of servers) {
      const { status } = await fetch(`${baseUrl}/api/storefront/products?limit=1`, { headers });
      if (status !== 200) continue;
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    await sleep(20);
  }
  return longest / 1_000;
}
