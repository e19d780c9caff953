import pg from 'pg';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import { superuserUrl } from '../../test/worker-database.ts';

const orders = '/api/dashboard/orders';
const customers = '/api/dashboard/customers';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function numbersOf({ dashboard }: OpenShop, query: object): Promise<string> {
  const { data } = await dashboard.GET(orders, { params: { query: { sort: 'oldest', ...query } } });
  expect(data?.total).toBe(data?.orders.length);
  return data?.orders.map(({ order_number }) => order_number).join(' ') ?? '';
}

test('finds an order by part of any searchable field in any case, and no other order', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  await neighbour.givenOrder({ email: 'zoe@studio.example' });
  const product = await shop.givenProduct({ name: 'Coat', sku: 'COAT_S-%' });
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }];
  await shop.givenOrder({ email: 'zoe@studio.example', content });
  const address = { address1: 'Gate 1', city: 'Lyon', postal_code: '69001', country: 'FR' };
  const second = await shop.givenOrder({
    email: 'max@other.example',
    billing_address: { first_name: 'Ngozi', last_name: 'Åkesson', ...address },
  });
  const path = { order_id: second.id };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params: { path },
    body: { tracking_number: 'JD0146 0003' },
  });
  await shop.owner.query('update commerce.orders set external_reference = $2 where site_id = $1 and id = $3', [
    shop.site_id,
    'till-9/4711',
    second.id,
  ]);
  const [first = '', other = ''] = [await numbersOf(shop, { q: 'zoe@' }), second.order_number];

  for (const [q, found] of [
    ...[first, 'ZOE@stu', 'studio.example', 'oat_s', '-%', 'T_S-%'].map((each) => [each, first]),
    ...[other, 'max', 'ngozi å', 'ÅKESSON', 'jd0146 0', '9/47', ' max@ '].map((each) => [each, other]),
    ...['june okafor', 'example', '@', 'e'].map((each) => [each, `${first} ${other}`]),
    // A search does not match across the end of one field and the start of the next, and `%` and `_` are literal.
    ...['examplezoe', 'okaforngozi', 'JuneOkafor', 's%l', 's__dio', '%%', 'nobody'].map((each) => [each, '']),
  ] as [string, string][]) {
    expect.soft(await numbersOf(shop, { q }), q).toBe(found);
  }
  expect(await numbersOf(shop, { q: 'example', payment_status: 'paid' })).toBe(other);
  expect(await numbersOf(neighbour, { q: 'zoe' })).toBe('1001');
  expect(await numbersOf(neighbour, { q: 'ngozi' })).toBe('');
});

test('a search never matches text across two fields of an order, even if the query contains a separator', async () => {
  const shop = await openShop();
  await shop.givenOrder({ email: 'zoe@studio.example' });

  for (const between of ['', ' ', '\n', '\u001f']) {
    const { data } = await shop.dashboard.GET(orders, { params: { query: { q: `1${between}z` } } });
    expect(data?.total ?? 0, JSON.stringify(between)).toBe(0);
  }
});

test('finds customers only in their own shop, and never matches text across two fields', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const body = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', phone: '+44 20 1' };
  await shop.dashboard.POST(customers, { body });
  await neighbour.dashboard.POST(customers, { body: { email: 'ada@neighbour.example' } });
  const found = async ({ dashboard }: OpenShop, q: string) => {
    const { data } = await dashboard.GET(customers, { params: { query: { q } } });
    return data?.customers.map(({ email }) => email).join(' ');
  };

  for (const q of ['ADA@', 'example.com', 'a l', 'ovelac', '20 1', 'a'])
    expect(await found(shop, q), q).toBe(body.email);
  for (const q of ['com+44', '1Ada', 'neighbour', '%']) expect(await found(shop, q), q).toBe('');
  expect(await found(neighbour, 'ada')).toBe('ada@neighbour.example');
});

test('finds all matching orders and customers, even beyond the limit of the search index', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();
  const all = async (path: typeof orders | typeof customers, q: string) =>
    (await shop.dashboard.GET(path, { params: { query: { q, limit: 1 } } })).data?.total;
  await asSuperuser(async (superuser) => {
    // The copies sell no stock, so they must be deleted before the invariants are checked.
    await superuser.query('set session_replication_role = replica');
    try {
      await superuser.query(COPIES, [shop.site_id, id]);
      expect(await all(orders, 'COPY-')).toBe(1_200);
      expect(await all(orders, 'copy-11')).toBe(100 + 10 + 1);
      expect(await all(customers, 'COPY-')).toBe(1_200);
      expect(await all(customers, '-1199@')).toBe(1);
    } finally {
      await superuser.query('delete from commerce.orders where site_id = $1 and id <> $2', [shop.site_id, id]);
    }
  });
});

const COPIES = `
  with copies as materialized (select 'copy-' || n as name, gen_random_uuid() as id from generate_series(1, 1200) n
  ), orders as (
    insert into commerce.orders
      select (jsonb_populate_record(o,
        jsonb_build_object('id', c.id, 'order_number', c.name, 'checkout_id', null, 'email', c.name || '@example.com'))).*
      from commerce.orders o, copies c where o.site_id = $1 and o.id = $2
  )
  insert into commerce.customers (site_id, id, email) select $1, id, name || '@example.com' from copies`;

test('finds variants by SKU, barcode and name only in their own shop', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const options = [{ name: 'Size', values: ['S', 'M'] }];
  const variants = [
    { option1: 'S', sku: 'COAT_S', barcode: '4006381333931' },
    { option1: 'M', sku: null },
  ];
  await shop.givenProduct({ name: 'Regenjäcke 50%', options, variants });
  await shop.givenProduct({ name: 'Hat', sku: 'HAT' });
  await neighbour.givenProduct({ name: 'Umbrella', sku: 'COAT_S' });
  const found = async (q: string) => {
    const { data } = await shop.dashboard.GET('/api/dashboard/inventory', { params: { query: { q } } });
    return `${data?.total}: ${data?.inventory.map(({ product_name, sku }) => `${product_name} ${sku}`).join(', ')}`;
  };
  const [small, medium] = ['Regenjäcke 50% COAT_S', 'Regenjäcke 50% null'];

  for (const q of ['t_s', 'COAT', '6381', '4006381333931']) expect.soft(await found(q), q).toBe(`1: ${small}`);
  for (const q of ['JÄCKE', '0%', 'regen']) expect.soft(await found(q), q).toBe(`2: ${small}, ${medium}`);
  for (const q of ['umbrella', 's4', '%%', 'COATxS']) expect.soft(await found(q), q).toBe('0: ');
});

test('searches for orders, customers and variants use an index despite row-level security', async () => {
  const { site_id } = await openShop();
  await asSuperuser(async (superuser) => {
    await superuser.query('begin');
    await superuser.query(`set local search_path = commerce, public; set local enable_seqscan = off;
      update pg_index set indisvalid = false where indrelid in (${SEARCHED}) and indexrelid::regclass::text not like '%_searched'`);
    const reads = [
      ['search_orders', ['fulfillments_searched', 'order_lines_searched', 'orders_searched']],
      ['search_customers', ['customers_searched']],
      ['search_variants', ['products_searched', 'variants_searched', 'variants_searched']],
    ] as const;
    for (const [name, indexes] of reads) expect(await indexesOf(superuser, name, site_id)).toEqual(indexes);
    await superuser.query('rollback');
  });
});

const SEARCHED = ['orders', 'order_lines', 'fulfillments', 'customers', 'products', 'variants']
  .map((name) => `'${name}'::regclass`)
  .join();

/** Returns the indexes in the plan of a search function's statement, planned as the function's owner. */
async function indexesOf(superuser: pg.Client, name: string, site_id: string): Promise<string[]> {
  const { rows } = await superuser.query(`select pg_get_function_sqlbody(to_regproc('commerce.' || $1)) as body`, [
    name,
  ]);
  const body = /^BEGIN ATOMIC\s+(.*);\s+END$/s.exec(rows[0].body)?.[1] ?? '';
  const statement = body.replaceAll(/\$1|\w+\.pattern/g, `'%4711%'`).replaceAll(/\$2|\w+\.most/g, '100');
  await superuser.query('savepoint before');
  await superuser.query(`set local role commerce_search; set local app.site_id = '${site_id}'`);
  const explained = await superuser.query(`explain (costs off) ${statement}`);
  await superuser.query('rollback to savepoint before');
  const plan = explained.rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  return [...plan.matchAll(/Index Scan on (\w+)\s+Index Cond: .*~~\*/g)].map(([, index = '']) => index).toSorted();
}

async function asSuperuser(work: (superuser: pg.Client) => Promise<void>): Promise<void> {
  const superuser = new pg.Client({ connectionString: superuserUrl() });
  await superuser.connect();
  try {
    await work(superuser);
  } finally {
    await superuser.end();
  }
}
