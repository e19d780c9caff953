import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/src/db/free-port.ts';
import type { MemoryInUse } from '../testing/memory-gauge.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { RawClient, rawRequest } from '../testing/raw-http.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { stock } from './expensive-reads.ts';

/**
 * A client with the public token of a shop sends requests that were never sent before: searches with and without
 * results, new and unknown carts, and new idempotency keys. Each IP address stays below its limits.
 */
export const I8: Proof = {
  id: 'I8',
  promise: 'The memory of the server grows by no more than its cache reports, however many different requests it gets.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

const CONNECTIONS = 8;
/**
 * The number of calls from one IP address. One in ten creates a cart, so the address stays below the limit of 60
 * changes of carts a minute.
 */
const CALLS_PER_ADDRESS = 200;
/** The share by which memory use may exceed its start value plus the growth that the cache reports. */
const TOLERANCE = 0.1;
/** The maximum number of times that a request is sent while it gets no response or 503. */
const MOST_SENT = 20;
const MEGABYTE = 1_048_576;

async function attack({ size, databaseUrl }: Trial, directory: string): Promise<Figures> {
  const shop = await openTenant(databaseUrl);
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, TRUST_PROXY: '1', LOG_LEVEL: 'warn', ROLE: 'api' };
  const server = new ServerProcess(await freePort(), env, './memory-gauge.ts');
  const violations = new Violations();
  const calls = pick(size, 600, 100_000);
  try {
    await server.readyAtLast();
    await stock(server.baseUrl, shop.api_key, 100);
    const asker = new Asker(server.port, shop, violations);
    await asker.ask(pick(size, 300, 20_000));
    await mustKeepNoEmptySearch(server, shop, violations);
    const [before, countedBefore] = [await memoryOf(server), await countedBy(server)];
    await asker.ask(calls);
    const counted = (await countedBy(server)) - countedBefore;
    const after = await memoryOf(server);
    const beyond = (kind: keyof MemoryInUse) => (after[kind] - before[kind] - counted) / (before[kind] + counted);
    // The short form checks only `arrayBuffers`, because the heap of a new process still grows when the short form
    // ends.
    for (const kind of pick(size, ['arrayBuffers'] as const, ['rss', 'arrayBuffers'] as const)) {
      if (beyond(kind) > TOLERANCE) {
        violations.add(
          `${kind} grew from ${megabytes(before[kind])} to ${megabytes(after[kind])} MB, of which the cache counts ${megabytes(counted)}`,
        );
      }
    }
    if (counted === 0) violations.add('Nothing was kept, so that nothing was shown.');
    const note = `the cache counts ${megabytes(counted)} MB more; RSS ${megabytes(before.rss)} → ${megabytes(after.rss)} MB, arrayBuffers ${megabytes(before.arrayBuffers)} → ${megabytes(after.arrayBuffers)} MB`;
    return { tried: asker.asked, unit: 'calls for something new', violations: violations.list, note };
  } finally {
    await server.end('SIGKILL');
  }
}

async function mustKeepNoEmptySearch(server: ServerProcess, shop: Shop, violations: Violations): Promise<void> {
  const before = await countedBy(server);
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  for (let n = 0; n < 20; n += 1) {
    await fetch(`${server.baseUrl}/api/storefront/products?q=neverthere${n}`, { headers });
  }
  if ((await countedBy(server)) !== before) violations.add('Searches that find nothing are kept.');
}

interface Shop {
  site_id: string;
  storefront_token: string;
}

/** Sends requests with the public token, never the same one twice. */
class Asker {
  asked = 0;
  readonly #shop: Shop;
  readonly #violations: Violations;
  readonly #clients: RawClient[];

  constructor(port: number, shop: Shop, violations: Violations) {
    this.#shop = shop;
    this.#violations = violations;
    this.#clients = Array.from({ length: CONNECTIONS }, () => new RawClient(port));
  }

  async ask(calls: number): Promise<void> {
    const until = this.asked + calls;
    const lane = async (client: RawClient) => {
      while (this.asked < until) {
        this.asked += 1;
        const { text, expected } = this.#requestFor(this.asked);
        const status = await patientStatus(client, text);
        if (status !== expected) this.#violations.add(`${text.split(' HTTP')[0]}: expected ${expected}, got ${status}`);
      }
    };
    await Promise.all(this.#clients.map(lane));
  }

  #requestFor(n: number): { text: string; expected: number } {
    const address = Math.floor(n / CALLS_PER_ADDRESS);
    const headers = {
      'X-Site-ID': this.#shop.site_id,
      'X-Service-Token': this.#shop.storefront_token,
      'X-Forwarded-For': `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`,
    };
    const get = (target: string, expected = 200) => ({ text: rawRequest('GET', target, headers), expected });
    if (n % 10 === 0) return get(`/api/storefront/cart/${randomUUID()}`, 404);
    if (n % 10 === 1) {
      const keyed = { ...headers, 'Idempotency-Key': randomUUID(), 'Content-Length': '0' };
      return { text: rawRequest('POST', '/api/storefront/cart', keyed), expected: 201 };
    }
    if (n % 10 < 5) return get(`/api/storefront/products?q=nothing${n}like${n}this`);
    return get(`/api/storefront/products?q=mug&limit=2&price_max=${1_000 + n}`);
  }
}

/**
 * Sends a request again after 503, because the server rejects searches when the machine is busy. Also sends it again
 * after a missing response, because the server closes a connection after a number of requests.
 */
async function patientStatus(client: RawClient, text: string): Promise<number> {
  for (let sent = 1; ; sent += 1) {
    const status = (await client.send(text))?.status ?? 0;
    if ((status !== 0 && status !== 503) || sent === MOST_SENT) return status;
    await sleep(sent * 50);
  }
}

/** Returns the server's memory use after a garbage collection. */
function memoryOf(server: ServerProcess): Promise<MemoryInUse> {
  return new Promise((resolve) => server.order<MemoryInUse>({}, resolve));
}

async function countedBy({ baseUrl }: ServerProcess): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^catalogue_cache_bytes (\S+)/m.exec(text)?.[1]);
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
