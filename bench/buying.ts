import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import { setBankDetails } from './bank-details.ts';
import { type Database, openDatabase } from './database.ts';
import { applyDiscount, buy, type Flow, fillCart, type Goods, playFlow, shopperAt } from './flows.ts';
import { type Load, type Rate, takeTurns } from './load.ts';
import {
  createSite,
  migrate,
  type OwnedSite,
  type Running,
  type Site,
  sentBy,
  startApi,
  startFile,
  stop,
} from './processes.ts';
import { productOf } from './products.ts';
import { ratio, report, table } from './report.ts';

const PRODUCTS = 30;
const COUNTED = 50;

const FLOWS: Record<string, Flow> = {
  'cart: create, add': fillCart,
  'discount code: apply': applyDiscount,
  'cart, add, checkout, address, complete': buy,
};

/** Measures purchases on the commerce server, and on a bare server that writes the same rows into the same database. */
export async function buying(load: Load): Promise<void> {
  const database = await openDatabase();
  const running: Running[] = [];
  try {
    await migrate(database.url, database.dataDir);
    const site = await createSite(database.url, database.dataDir, 'EUR');
    const ours = await startApi(database);
    running.push(ours);
    const goods = await stock(ours, site);
    const bare = await startBare(database, site);
    running.push(bare);
    await compareWritten(database, { ours, bare }, site, goods);

    const rows: (string | number)[][] = [];
    for (const [name, flow] of Object.entries(FLOWS)) {
      const rates = await measure(flow, { ours, bare }, site, goods, load);
      const sent = await countSent(database, flow, site, goods);
      const row = (server: 'ours' | 'bare', title: string, of: string) => [
        ...[`${name}, ${title}`, rates[server].requests.toFixed(0), of, rates[server].p50, rates[server].p99],
        ...[sent[server].statements, sent[server].round_trips],
      ];
      rows.push(row('bare', 'bare Express + pg', ''));
      rows.push(row('ours', 'ours', ratio(rates.ours.requests, rates.bare.requests)));
    }
    const header = ['Flow and server', 'flows/s', 'of bare', 'p50 ms', 'p99 ms', 'SQL statements', 'round trips'];
    await report('buying', database.version, table(header, rows));
  } finally {
    await stop(...running);
    await database.drop();
  }
}

function startBare({ bareUrl }: Database, { site_id }: Site, counted = false): Promise<Running> {
  return startFile('bare-buying.ts', [bareUrl, site_id], counted);
}

/**
 * Creates products that never sell out, two discount codes and one shipping option, and stores a bank account for
 * payments.
 */
async function stock({ url }: Running, site: OwnedSite): Promise<Goods> {
  const client = createDashboardClient({ baseUrl: url, apiKey: site.api_key });
  const variant_ids: string[] = [];
  for (let i = 0; i < PRODUCTS; i += 1) {
    const { variants, ...product } = productOf(i);
    const plenty = variants.map((variant) => ({ ...variant, inventory_quantity: 1_000_000 }));
    const made = await unwrap(client.POST('/api/dashboard/products', { body: { ...product, variants: plenty } }));
    variant_ids.push(...made.variants.map(({ id }) => id));
  }
  const codes: [string, string] = ['TEN', 'FIFTEEN'];
  for (const [i, code] of codes.entries()) {
    const body = { code, kind: 'percentage' as const, value: String(10 + 5 * i) };
    await unwrap(client.POST('/api/dashboard/discounts', { body }));
  }
  const parcel = { name: 'Parcel', price: '4.90' };
  const { id: shipping_option_id } = await unwrap(client.POST('/api/dashboard/shipping-options', { body: parcel }));
  await setBankDetails(url, site);
  return { variant_ids, codes, shipping_option_id };
}

/**
 * Tables in which the servers may write different numbers of rows: the bare server stores nothing about requests, and the
 * catalogue version is spread over random rows.
 */
const NOT_COMPARED = ['idempotency_keys', 'audit_events', 'catalog_versions'];

/** Checks that both servers write the same number of rows into each table, so that the comparison is fair. */
async function compareWritten(
  { bareUrl }: Database,
  servers: Record<'ours' | 'bare', Running>,
  site: Site,
  goods: Goods,
): Promise<void> {
  const client = new pg.Client({ connectionString: bareUrl });
  await client.connect();
  try {
    const written = async ({ url }: Running) => {
      const shopper = shopperAt(url, site, goods);
      const before = await rowsIn(client);
      await applyDiscount(shopper);
      await applyDiscount(shopper);
      await buy(shopper);
      shopper.leave();
      const after = await rowsIn(client);
      return Object.keys(after).flatMap((table) => {
        const rows = (after[table] ?? 0) - (before[table] ?? 0);
        return rows > 0 ? [`${rows} × ${table}`] : [];
      });
    };
    // The first order of a shop is not compared, because it also creates the counter of order numbers.
    await written(servers.ours);
    const [ours, bare] = [await written(servers.ours), await written(servers.bare)];
    if (ours.join() !== bare.join()) throw new Error(`Ours writes ${ours.join()}, the bare server ${bare.join()}.`);
  } finally {
    await client.end();
  }
}

async function rowsIn(client: pg.Client): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const { rows: tables } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'commerce' and tablename <> all($1) order by 1`,
    [NOT_COMPARED],
  );
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: number }>(
      `select count(*) from commerce.${client.escapeIdentifier(name)}`,
    );
    counts[name] = Number(rows[0]?.count);
  }
  return counts;
}

type Both<T> = Record<'ours' | 'bare', T>;

async function measure(flow: Flow, servers: Both<Running>, site: Site, goods: Goods, load: Load): Promise<Both<Rate>> {
  const shoppers = (server: Running) =>
    Array.from({ length: load.connections }, () => shopperAt(server.url, site, goods));
  const [ours, bare] = [shoppers(servers.ours), shoppers(servers.bare)];
  try {
    const turn = (who: typeof ours) => (seconds: number) => playFlow(flow, who, seconds);
    return await takeTurns({ bare: turn(bare), ours: turn(ours) }, load);
  } finally {
    for (const shopper of [...ours, ...bare]) shopper.leave();
  }
}

/** Counts the statements and round trips of a flow, without those of the first run, which fills caches. */
async function countSent(database: Database, flow: Flow, site: Site, goods: Goods) {
  const count = async (server: Running) => {
    const shopper = shopperAt(server.url, site, goods);
    try {
      await flow(shopper);
      const before = await sentBy(server);
      for (let i = 0; i < COUNTED; i += 1) await flow(shopper);
      const after = await sentBy(server);
      const each = (field: keyof typeof after) => Math.round((after[field] - before[field]) / COUNTED);
      return { statements: each('statements'), round_trips: each('round_trips') };
    } finally {
      shopper.leave();
      await stop(server);
    }
  };
  return {
    ours: await count(await startApi(database, true)),
    bare: await count(await startBare(database, site, true)),
  };
}
