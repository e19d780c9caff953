import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient, createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { StreamingStandby } from '../../server/test/streaming-standby.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { asOwner, ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';

/** Lets a standby lag, hang and end, and promotes it, while prices and titles change and shoppers read. */
export const C18: Proof = {
  id: 'C18',
  promise: 'A lagging, lost or promoted standby never shows an older catalogue than the primary.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, progress }: Trial, directory: string): Promise<Figures> {
  const violations = new Violations();
  const { url, superuserUrl, stop } = await startEmbedded({ dataDir: directory });
  let server: ServerProcess | undefined;
  let standby: StreamingStandby | undefined;
  try {
    await prepareSchema(url);
    standby = await StreamingStandby.start(directory, superuserUrl);
    server = new ServerProcess(await freePort(), {
      ...{ DATABASE_URL: url, DATABASE_REPLICA_URLS: standby.urlFor(url), DATA_DIR: directory },
      ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' },
    });
    await server.readyAtLast();
    const shop = await openShop(server.baseUrl, superuserUrl, pick(size, 10, 200));
    await standby.caughtUp();

    const arena = { server, standby, shop, violations, shoppers: new Shoppers(shop, pick(size, 2, 6), violations) };
    const rounds = pick(size, 1, 20);
    for (let round = 1; round <= rounds; round += 1) {
      for (const play of [healthy, lagging, hanging, lost]) await play(arena);
      progress(`${round} of ${rounds}; ${arena.shoppers.reads} reads`);
    }
    await promoted(arena, superuserUrl);
    const used = await standbyReads(server);
    const note = `${used.read} of them on the standby, ${used.behind} times it was behind, ${used.failed} times it failed`;
    return { tried: arena.shoppers.reads, unit: 'reads', violations: violations.list, note };
  } finally {
    await server?.end('SIGTERM');
    await standby?.kill();
    await stop();
  }
}

interface Arena {
  server: ServerProcess;
  standby: StreamingStandby;
  shop: Shop;
  shoppers: Shoppers;
  violations: Violations;
}

/** The standby follows closely while the catalogue changes. */
async function healthy({ server, standby, shop, shoppers, violations }: Arena): Promise<void> {
  const before = await standbyReads(server);
  await shoppers.during(async () => {
    for (let change = 0; change < 20; change += 1) {
      await shop.change();
      await sleep(20);
    }
    await standby.caughtUp();
  });
  // After a failure in the previous round, the server uses the standby again only after a pause of 5 s.
  const until = Date.now() + 20_000;
  while ((await standbyReads(server)).read === before.read && Date.now() < until) {
    await shoppers.during(() => sleep(200));
  }
  if ((await standbyReads(server)).read === before.read) violations.add('healthy: no read used the standby');
}

async function lagging({ standby, shop, shoppers }: Arena): Promise<void> {
  await standby.query('select pg_wal_replay_pause()');
  await shop.change();
  await shoppers.during(async () => {
    for (let change = 0; change < 5; change += 1) {
      await shop.change();
      await sleep(50);
    }
  });
  await standby.query('select pg_wal_replay_resume()');
  await shoppers.during(() => standby.caughtUp());
}

async function hanging({ standby, shop, shoppers }: Arena): Promise<void> {
  standby.signal('SIGSTOP');
  await shop.change();
  await shoppers.during(() => sleep(3_000));
  standby.signal('SIGCONT');
  await standby.caughtUp();
}

async function lost({ standby, shop, shoppers }: Arena): Promise<void> {
  await shoppers.during(async () => {
    await standby.kill();
    await shop.change();
    await sleep(500);
    await standby.run();
  });
  await standby.caughtUp();
}

/** The standby becomes a separate primary, whose catalogue has the same version but other contents. */
async function promoted(arena: Arena, superuserUrl: string): Promise<void> {
  const { server, standby, shop, shoppers, violations } = arena;
  await healthy(arena);
  await shoppers.during(() => standby.promote());
  const { read } = await standbyReads(server);
  await standby.query(`update commerce.products set price = 0.01 where site_id = '${shop.siteId}'`);
  await standby.query(`update commerce.collections set title = 'Title 0' where site_id = '${shop.siteId}'`);
  await shop.change();
  await shoppers.during(() => sleep(1_000));
  const { rows } = await asOwner(
    superuserUrl,
    `select stripe, version from commerce.catalog_versions where site_id = '${shop.siteId}'`,
  );
  await standby.query(`delete from commerce.catalog_versions where site_id = '${shop.siteId}'`);
  await standby.query({
    text: `insert into commerce.catalog_versions (site_id, stripe, version)
      select $1, stripe, version from json_to_recordset($2) as v (stripe smallint, version bigint)`,
    values: [shop.siteId, JSON.stringify(rows)],
  });
  // The server tries a failed standby again only after a pause of 5 s.
  const before = await standbyReads(server);
  const until = Date.now() + 60_000;
  let now = before;
  while (now.read + now.behind < before.read + before.behind + 20 && Date.now() < until) {
    await shoppers.during(() => sleep(200));
    now = await standbyReads(server);
  }
  if (now.read + now.behind === before.read + before.behind) violations.add('promoted: the standby was not tried');
  if (now.read > read) violations.add(`promoted: ${now.read - read} reads used the promoted standby`);
}

/** Returns how often a server has tried to read on a standby, by result. */
async function standbyReads(server: ServerProcess): Promise<{ read: number; behind: number; failed: number }> {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const count = (result: string) =>
    Number(new RegExp(`^standby_reads_total\\{result="${result}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { read: count('read'), behind: count('behind'), failed: count('failed') };
}

type Storefront = ReturnType<typeof createStorefrontClient>;
type Shop = Awaited<ReturnType<typeof openShop>>;

/** Opens a shop with products and a collection. One of the products and the collection change later. */
async function openShop(baseUrl: string, databaseUrl: string, products: number) {
  const { site_id, api_key, storefront_token } = await openTenant(databaseUrl);
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key });
  const give = (name: string) => {
    const body = { name, price: '1.00', status: 'active' as const, inventory_quantity: 10 };
    return unwrap(dashboard.POST('/api/dashboard/products', { body }));
  };
  for (let made = 1; made < products; made += 1) await give(`Product ${made}`);
  const product = await give('The product that changes');
  const body = { title: 'Title 1', handle: 'mugs', type: 'manual' as const, published: true };
  const collection = await unwrap(dashboard.POST('/api/dashboard/collections', { body }));
  let newest = 1;
  return {
    storefront: createStorefrontClient({ baseUrl, siteId: site_id, storefrontToken: storefront_token }),
    siteId: site_id,
    slug: product.slug,
    /** The number of the last change that was acknowledged. */
    newest: () => newest,
    /** Changes the price of the product and the title of the collection to the next number. */
    async change(): Promise<void> {
      const next = newest + 1;
      const product_id = product.id;
      const collection_id = collection.id;
      await unwrap(
        dashboard.PATCH('/api/dashboard/products/{product_id}', {
          params: { path: { product_id } },
          body: { price: `${next}.00` },
        }),
      );
      await unwrap(
        dashboard.PATCH('/api/dashboard/collections/{collection_id}', {
          params: { path: { collection_id } },
          body: { title: `Title ${next}` },
        }),
      );
      newest = next;
    },
  };
}

/**
 * Shoppers who read the catalogue. No response may be older than the last change that was acknowledged before the
 * request.
 */
class Shoppers {
  reads = 0;
  readonly #shop: Shop;
  readonly #count: number;
  readonly #violations: Violations;

  constructor(shop: Shop, count: number, violations: Violations) {
    this.#shop = shop;
    this.#count = count;
    this.#violations = violations;
  }

  /** Reads until `work` is done, and once more afterwards. */
  async during(work: () => Promise<unknown>): Promise<void> {
    let done = false;
    const readers = Array.from({ length: this.#count }, async () => {
      let last: boolean;
      do {
        last = done;
        await this.#read();
      } while (!last);
    });
    await work().finally(() => {
      done = true;
    });
    await Promise.all(readers);
  }

  async #read(): Promise<void> {
    const { newest, slug, storefront } = this.#shop;
    const least = newest();
    this.reads += 1;
    const number = this.reads;
    const begun = Date.now();
    try {
      const shown = await readNumber(storefront, slug, number);
      if (shown < least) this.#violations.add(`read ${number} shows change ${shown} after change ${least}`);
    } catch (error) {
      this.#violations.add(`read ${number} failed after ${Date.now() - begun} ms: ${(error as Error).message}`);
    }
  }
}

/** Makes one of three kinds of reads. Returns the number of the change that the response shows. */
async function readNumber(storefront: Storefront, slug: string, number: number): Promise<number> {
  if (number % 3 === 0) {
    const params = { path: { id_or_slug: slug } };
    return Number((await unwrap(storefront.GET('/api/storefront/products/{id_or_slug}', { params }))).price);
  }
  if (number % 3 === 1) {
    const params = { query: { limit: 1, price_max: `${10_000 + number}.00` } };
    return Number((await unwrap(storefront.GET('/api/storefront/products', { params }))).products[0]?.price);
  }
  const params = { query: { limit: 1 + (number % 100) } };
  const { collections } = await unwrap(storefront.GET('/api/storefront/collections', { params }));
  return Number(collections[0]?.title.replace('Title ', ''));
}
