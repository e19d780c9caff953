import { createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import pg from 'pg';
import { createLogger } from '../../server/src/http/pipeline/log.ts';
import { expireOverdue } from '../../server/src/jobs/buying.ts';
import { deleteOldData } from '../../server/src/jobs/retention.ts';
import { openAuditKey } from '../../server/src/shop/audit/keys.ts';
import { createTestProvider } from '../../server/src/shop/payments/test-provider.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { SECRET_KEY, startServer, stopServer, type TestServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { openTenant } from '../testing/site.ts';

/**
 * Shops sell for 13 months, in the short form for 6: buyers order, pay, get refunds, and abandon carts, checkouts and
 * payments. At the end of each month all times are moved back by thirty days, and the deletion job runs while two of
 * the shops sell. Afterwards every row to which an order or a payment refers must be unchanged, other old carts,
 * checkouts, addresses and movements of reserved stock must be deleted in time, and all invariants must hold.
 */
export const L6: Proof = {
  id: 'L6',
  promise: 'Old carts, checkouts and addresses are deleted while the shop sells, except those that an order refers to.',
  run: (trial) =>
    withOwnDatabase(trial.databaseUrl, async (url) => {
      const server = await startServer(url, {}, url);
      try {
        return await sellForYear(trial, server, url);
      } finally {
        await stopServer(server);
      }
    }),
};

const PERIODS = { cartsDays: 90, addressesDays: 30, auditDays: 400 };
const LOGGER = createLogger('silent');

async function sellForYear({ size, progress }: Trial, server: TestServer, url: string): Promise<Figures> {
  const violations = new Violations();
  const shops: Shop[] = [];
  for (let i = 0; i < pick(size, 2, 20); i += 1) shops.push(await openShop(server.baseUrl, url));
  const owner = new pg.Pool({ connectionString: url, max: 2 });
  const sum = { bought: 0, meanwhile: 0, deleted: 0, slowestMs: 0 };
  try {
    for (let month = 1; month <= pick(size, 6, 13); month += 1) {
      for (const shop of shops) sum.bought += await buyEverything(shop, owner, pick(size, 1, 5));
      await moveTimesBack(owner);
      const card = createTestProvider({ db: server.db, baseUrl: server.baseUrl });
      await withClient(owner, (client) =>
        expireOverdue(client, { db: server.db, card, secretKey: SECRET_KEY, logger: LOGGER }),
      );
      const before = await rowsToKeep(owner);
      const done = new AbortController();
      const selling = shops.slice(0, 2).map((shop) => sellUntil(done.signal, shop, violations));
      const deleted = await deleteAll(owner, server);
      done.abort();
      for (const { orders, slowestMs } of await Promise.all(selling)) {
        sum.meanwhile += orders;
        sum.slowestMs = Math.max(sum.slowestMs, slowestMs);
      }
      sum.deleted += deleted;
      const after = await rowsToKeep(owner);
      for (const row of before) if (!after.has(row)) violations.add(`month ${month}, lost or changed: ${row}`);
      for (const row of await rowsThatAreTooOld(owner)) violations.add(`month ${month}, not deleted: ${row}`);
      for (const { rule, rows } of await brokenInvariants(owner)) {
        violations.add(`month ${month}, invariant broken: ${rule} ${JSON.stringify(rows)}`);
      }
      progress(`month ${month}: ${deleted} rows deleted`);
    }
    if (sum.deleted === 0) violations.add('Nothing was deleted.');
  } finally {
    await owner.end();
  }
  return {
    tried: sum.bought,
    unit: 'visits of buyers in a simulated year',
    violations: violations.list,
    note: `${sum.deleted} rows deleted, ${sum.meanwhile} orders meanwhile, the slowest in ${sum.slowestMs} ms`,
  };
}

interface Shop {
  storefront: ReturnType<typeof createStorefrontClient>;
  dashboard: ReturnType<typeof createDashboardClient>;
  variant_id: string;
  shipping_option_id: string;
}

async function openShop(baseUrl: string, databaseUrl: string): Promise<Shop> {
  const { site_id, api_key, storefront_token } = await openTenant(databaseUrl);
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key, maxAttempts: 1 });
  const storefront = createStorefrontClient({
    baseUrl,
    siteId: site_id,
    storefrontToken: storefront_token,
    maxAttempts: 1,
  });
  const bank_details = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' };
  await dashboard.PATCH('/api/dashboard/settings', { body: { bank_details } });
  const option = await dashboard.POST('/api/dashboard/shipping-options', { body: { name: 'Parcel', price: '4.90' } });
  await dashboard.POST('/api/dashboard/discounts', { body: { code: 'TEN', kind: 'percentage', value: '10' } });
  const goods = { name: 'Mug', price: '14.00', status: 'active' as const, inventory_quantity: 100_000 };
  const product = await dashboard.POST('/api/dashboard/products', { body: goods });
  return {
    ...{ storefront, dashboard },
    variant_id: product.data?.variants[0]?.id ?? '',
    shipping_option_id: option.data?.id ?? '',
  };
}

const BUYER = {
  email: 'june@example.com',
  shipping_address: {
    ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' },
    ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
  },
};

type Ending = 'cart' | 'checkout' | 'declined' | 'unpaid' | 'paid';

/** Lets a buyer visit the shop up to this step. Returns the ids of the checkout and the order, if they were created. */
async function visit({ storefront, variant_id, shipping_option_id }: Shop, ending: Ending) {
  const { data: cart } = await storefront.POST('/api/storefront/cart');
  const path = { cart_id: cart?.id ?? '' };
  await storefront.POST('/api/storefront/cart/{cart_id}/items', {
    params: { path },
    body: { variant_id, quantity: 1 },
  });
  await storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path }, body: { code: 'TEN' } });
  if (ending === 'cart') return {};
  const { data: begun } = await storefront.POST('/api/storefront/checkout', { body: path });
  const checkout_id = begun?.id ?? '';
  const payment_method = ending === 'unpaid' ? ('bank_transfer' as const) : ('card' as const);
  const params = { path: { checkout_id } };
  await storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: { ...BUYER, shipping_option_id, payment_method },
  });
  if (ending === 'checkout') return { checkout_id };
  const card_token = ending === 'declined' ? 'tok_declined' : 'tok_success';
  const body = ending === 'unpaid' ? {} : { payment: { card_token } };
  const { data, error } = await storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body });
  if ((data === undefined) !== (ending === 'declined')) throw new Error(`${ending}: ${JSON.stringify(error ?? data)}`);
  return { checkout_id, order_id: data?.order.id };
}

/** Plays each ending of a visit several times. Returns the number of visits. */
async function buyEverything(shop: Shop, owner: pg.Pool, times: number): Promise<number> {
  for (let i = 0; i < times; i += 1) {
    for (const ending of ['cart', 'checkout', 'declined', 'unpaid', 'paid'] as const) await visit(shop, ending);
    const { order_id = '' } = await visit(shop, 'paid');
    const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
      params: { path: { order_id } },
      body: { amount: '1.00', reason: 'damaged' },
    });
    if (error) throw new Error(`The refund was rejected: ${JSON.stringify(error)}`);
    // A declined checkout whose payment arrived later and was refunded.
    const { checkout_id } = await visit(shop, 'declined');
    await owner.query(`update commerce.payments set status = 'refunded' where checkout_id = $1`, [checkout_id]);
  }
  return times * 7;
}

/** Places orders without pause until the signal. */
async function sellUntil(signal: AbortSignal, shop: Shop, violations: Violations) {
  const sold = { orders: 0, slowestMs: 0 };
  do {
    const begun = performance.now();
    const { order_id } = await visit(shop, 'paid');
    if (!order_id) violations.add('An order was rejected while old data were deleted.');
    sold.orders += 1;
    sold.slowestMs = Math.max(sold.slowestMs, Math.round(performance.now() - begun));
  } while (!signal.aborted);
  return sold;
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  return work(client).finally(() => client.release());
}

/** Runs the deletion job twice at the same time. Returns the number of deleted rows. */
async function deleteAll(owner: pg.Pool, { db }: TestServer): Promise<number> {
  const auditKey = await openAuditKey(db, SECRET_KEY);
  const deps = { ...PERIODS, secretKey: SECRET_KEY, auditKey, logger: LOGGER };
  const once = () => withClient(owner, (client) => deleteOldData(client, deps));
  const both = await Promise.all([once(), once()]);
  return both.flatMap((deleted) => Object.values(deleted)).reduce((sum, rows) => sum + rows, 0);
}

/**
 * Moves the times of carts, checkouts, orders, payments and stock movements back, as if thirty days had passed. The
 * audit's times stay, because they are signed.
 */
async function moveTimesBack(owner: pg.Pool): Promise<void> {
  await withClient(owner, async (client) => {
    const { rows } = await client.query<{ name: string; columns: string[] }>(
      `select c.relname as name, array_agg(a.attname::text) as columns from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.atttypid = 'timestamptz'::regtype and not a.attisdropped
        where c.relnamespace = 'commerce'::regnamespace and c.relkind = 'r'
          and c.relname ~ '^(carts|cart_items|checkouts|discount_redemptions|orders?|order_.*|payments|payment_.*|refunds|stock_movements)$'
        group by c.relname`,
    );
    // Disables the triggers, because they would record an event for each row.
    await client.query('set session_replication_role = replica');
    for (const { name, columns } of rows) {
      const moved = columns.map((column) => `${column} = ${column} - interval '30 days'`);
      await client.query(`update commerce.${name} set ${moved.join(', ')}`);
    }
    await client.query('reset session_replication_role');
  });
}

/**
 * For each table, a condition for the rows to which an order or moved money refers. Written from the promise, not
 * copied from the job.
 */
const KEPT = {
  orders: 'true',
  order_lines: 'true',
  order_events: 'true',
  disputes: 'true',
  refunds: 'true',
  payment_moves: 'true',
  payments: `r.order_id is not null or r.status in ('succeeded', 'refunded', 'authorized', 'pending', 'started', 'requires_action')`,
  checkouts: 'r.id in (select checkout_id from commerce.orders)',
  carts: `r.id in (select k.cart_id from commerce.checkouts k join commerce.orders o on o.checkout_id = k.id)`,
  cart_items: `r.cart_id in (select k.cart_id from commerce.checkouts k join commerce.orders o on o.checkout_id = k.id)`,
  discount_redemptions: 'r.order_id is not null',
  stock_movements: `r.type not in ('reservation', 'release')`,
};

async function rowsToKeep(owner: pg.Pool): Promise<Set<string>> {
  const found = new Set<string>();
  for (const [table, condition] of Object.entries(KEPT)) {
    const { rows } = await owner.query<{ row: string }>(
      `select '${table} ' || (to_jsonb(r) - 'updated_at')::text as row from commerce.${table} r where ${condition}`,
    );
    for (const { row } of rows) found.add(row);
  }
  return found;
}

/**
 * Rows that must have been deleted: 121 days are the period of 90 days and one more month, because times move by whole
 * months.
 */
const TOO_OLD = `
  select 'cart ' || id from commerce.carts c where expires_at < now() - interval '121 days' and not exists (
    select from commerce.checkouts k join commerce.payments p on p.checkout_id = k.id where k.cart_id = c.id and p.status = 'refunded')
    and id not in (select k.cart_id from commerce.checkouts k join commerce.orders o on o.checkout_id = k.id)
  union all select 'checkout ' || id from commerce.checkouts k where expires_at < now() - interval '121 days'
    and not exists (select from commerce.payments p where p.checkout_id = k.id and p.status = 'refunded')
    and id not in (select checkout_id from commerce.orders)
  union all select 'address in checkout ' || id from commerce.checkouts k where expires_at < now() - interval '61 days'
    and not exists (select from commerce.payments p where p.checkout_id = k.id and p.status = 'refunded')
    and shipping_address is not null and id not in (select checkout_id from commerce.orders)
  union all select 'stock movement ' || id from commerce.stock_movements
    where type in ('reservation', 'release') and created_at < now() - interval '121 days'`;

async function rowsThatAreTooOld(owner: pg.Pool): Promise<string[]> {
  const { rows } = await owner.query<{ row: string }>(`select row from (${TOO_OLD}) as old (row)`);
  return rows.map(({ row }) => row);
}
