import { unwrap } from '@commerce-backend/sdk';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import { notePublication } from '../jobs/note-publication.ts';
import { UNLISTED } from '../shop/products/fields.ts';

const products = '/api/sync/products';
const product = '/api/dashboard/products/{product_id}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Change = Awaited<ReturnType<typeof crawl>>['changes'][number];

/** Reads all pages after a cursor. */
async function crawl(
  { sync }: Pick<OpenShop, 'sync'>,
  { cursor, limit = 500 }: { cursor?: string; limit?: number } = {},
) {
  const query = { limit, cursor };
  const changes = [];
  for (;;) {
    const page = await unwrap(sync.GET(products, { params: { query } }));
    changes.push(...page.changes);
    if (page.next_cursor === null) return { changes, cursor: page.resume_cursor };
    query.cursor = page.next_cursor;
  }
}

/**
 * Reads all pages repeatedly until `enough` is true. A change is reported only after all earlier transactions have
 * ended, including those of other tests.
 */
async function crawlUntil(
  shop: Pick<OpenShop, 'sync'>,
  enough: (changes: Change[]) => boolean,
  cursor?: string,
): Promise<Awaited<ReturnType<typeof crawl>>> {
  const told: Change[] = [];
  for (let from = cursor; ; ) {
    const { changes, cursor: next } = await crawl(shop, { cursor: from });
    told.push(...changes);
    if (enough(told)) return { changes: told, cursor: next };
    from = next;
    await new Promise((done) => setTimeout(done, 20));
  }
}

const tells = (id: string) => (changes: Change[]) => changes.some(({ product_id }) => product_id === id);
const tellsRemoved = (id: string) => (changes: Change[]) =>
  changes.some(({ product_id, removed }) => product_id === id && removed);

test('a crawl returns every public product with all fields, and no other products', async () => {
  const shop = await openShop();
  const shown: { id: string }[] = [];
  for (const name of ['A', 'B', 'C']) shown.push(await shop.givenProduct({ name, cost_per_item: '3' }));
  await shop.givenProduct({ name: 'Draft', status: 'draft' });
  await shop.givenProduct({ name: 'Archived', status: 'archived' });
  await shop.givenProduct({ name: 'Tomorrow', published_at: new Date(Date.now() + 86_400_000).toISOString() });
  const last = await shop.givenProduct({ name: 'D' });
  await (await openShop()).givenProduct({ name: 'Of another shop' });

  const { changes } = await crawlUntil(shop, tells(last.id));

  expect(changes.map(({ product }) => product?.name).sort()).toEqual(['A', 'B', 'C', 'D']);
  const { data } = await shop.storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: shown[0]?.id ?? '' } },
  });
  expect(changes.find(({ product_id }) => product_id === shown[0]?.id)).toMatchObject({
    removed: false,
    product: data,
  });
});

test('the pages of a crawl contain each product once', async () => {
  const shop = await openShop();
  const ids = [];
  for (let count = 0; count < 7; count += 1) ids.push((await shop.givenProduct()).id);
  await crawlUntil(shop, tells(ids.at(-1) ?? ''));

  for (const limit of [1, 3, 7]) {
    const { changes } = await crawl(shop, { limit });
    expect(changes.map(({ product_id }) => product_id)).toEqual(ids);
  }
});

/** Every action that changes a displayed product. Each action gets a product with two colour variants and one image. */
const DEEDS: Record<string, (shop: OpenShop, given: Given) => Promise<unknown>> = {
  'its name': ({ dashboard }, { params }) => unwrap(dashboard.PATCH(product, { params, body: { name: 'Cup' } })),
  'a price': ({ dashboard }, { params, variant_id }) =>
    unwrap(
      dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
        params: { path: { ...params.path, variant_id } },
        body: { price: '11.00' },
      }),
    ),
  'a new variant': ({ dashboard }, { params }) =>
    unwrap(
      dashboard.POST('/api/dashboard/products/{product_id}/variants', {
        params,
        body: { option1: 'Green', price: '9' },
      }),
    ),
  'a deleted variant': ({ dashboard }, { params, variant_id }) =>
    unwrap(
      dashboard.DELETE('/api/dashboard/products/{product_id}/variants/{variant_id}', {
        params: { path: { ...params.path, variant_id } },
      }),
    ),
  'the name of an option': ({ dashboard }, { params, option_id }) =>
    unwrap(
      dashboard.PATCH('/api/dashboard/products/{product_id}/options/{option_id}', {
        params: { path: { ...params.path, option_id } },
        body: { name: 'Color' },
      }),
    ),
  'a new image': ({ dashboard }, { params }) =>
    unwrap(
      dashboard.POST('/api/dashboard/products/{product_id}/images', {
        params,
        body: { url: 'https://shop.example/mug.jpg' },
      }),
    ),
  'its stock, adjusted': ({ dashboard }, { variant_id }) =>
    unwrap(
      dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
        params: { path: { variant_id } },
        body: { delta: -1, reason: 'damaged' },
      }),
    ),
  'its stock, reserved by a checkout': ({ givenCheckout }, { variant_id }) =>
    givenCheckout({ content: [{ variant_id, quantity: 1 }] }),
  'an order': ({ givenOrder }, { variant_id }) => givenOrder({ content: [{ variant_id, quantity: 1 }] }),
  'an import': ({ dashboard }, { slug }) =>
    unwrap(
      dashboard.POST('/api/dashboard/products/import', {
        body: { products: [{ slug, name: 'Mug', vendor: 'Fernhill' }] },
      }),
    ),
};

interface Given {
  params: { path: { product_id: string } };
  slug: string;
  variant_id: string;
  option_id: string;
}

test.each(Object.entries(DEEDS))('a later crawl reports only the changed product: %s', async (_what, work) => {
  const shop = await openShop();
  const other = await shop.givenProduct({ name: 'Another' });
  const mug = await shop.givenProduct({
    options: [{ name: 'Colour', values: ['Red', 'Blue', 'Green'] }],
    variants: ['Red', 'Blue'].map((option1) => ({ option1, inventory_quantity: 10 })),
  });
  const given = {
    params: { path: { product_id: mug.id } },
    slug: mug.slug,
    variant_id: mug.variants[0]?.id ?? '',
    option_id: mug.options[0]?.id ?? '',
  };
  await shop.givenTerms();
  const { cursor } = await crawlUntil(shop, (changes) => tells(other.id)(changes) && tells(mug.id)(changes));

  await work(shop, given);

  const { changes } = await crawlUntil(shop, tells(mug.id), cursor);
  expect(new Set(changes.map(({ product_id }) => product_id))).toEqual(new Set([mug.id]));
  const { data } = await shop.storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: mug.id } },
  });
  expect(changes.at(-1)?.product).toEqual(data);
});

test('completing a checkout does not report its reserved stock as changed again', async () => {
  const shop = await openShop();
  const mug = await shop.givenProduct();
  const { id: checkout_id } = await shop.givenCheckout({
    content: [{ variant_id: mug.variants[0]?.id ?? '', quantity: 1 }],
  });
  // This product is created after the reservation: once it is reported, the reservation is too.
  const last = await shop.givenProduct();
  const isHeld = ({ product_id, product: told }: Change) => product_id === mug.id && told?.total_inventory === 9;
  const held = await crawlUntil(shop, (changes) => tells(last.id)(changes) && changes.some(isHeld));

  const params = { path: { checkout_id } };
  await unwrap(shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }));
  await unwrap(shop.dashboard.PATCH(product, { params: { path: { product_id: last.id } }, body: { name: 'Last' } }));

  const { changes } = await crawlUntil(shop, tells(last.id), held.cursor);
  expect(changes.map(({ product_id }) => product_id)).toEqual([last.id]);
  const { data } = await shop.storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: mug.id } },
  });
  expect(held.changes.findLast(({ product_id }) => product_id === mug.id)?.product).toEqual(data);
});

test('reports archived, unpublished and deleted products as removed', async () => {
  const shop = await openShop();
  const { dashboard, givenProduct } = shop;
  const [archived, unpublished, deleted] = [await givenProduct(), await givenProduct(), await givenProduct()];
  const { cursor } = await crawlUntil(shop, tells(deleted.id));
  const at = ({ id }: { id: string }) => ({ params: { path: { product_id: id } } });

  await unwrap(dashboard.PATCH(product, { ...at(archived), body: { status: 'archived' } }));
  await unwrap(dashboard.PATCH(product, { ...at(unpublished), body: { published_at: '2126-01-01T00:00:00Z' } }));
  await unwrap(dashboard.DELETE(product, at(deleted)));
  const { changes, cursor: later } = await crawlUntil(shop, tellsRemoved(deleted.id), cursor);

  expect(changes.map(({ product_id, removed, product }) => [product_id, removed, product])).toEqual(
    [archived, unpublished, deleted].map(({ id }) => [id, true, null]),
  );
  await unwrap(dashboard.PATCH(product, { ...at(archived), body: { status: 'active' } }));
  const { changes: again } = await crawlUntil(shop, tells(archived.id), later);
  expect(again).toMatchObject([{ product_id: archived.id, removed: false }]);
});

test('omits a product that was never public, and reports one that was public as removed', async () => {
  const shop = await openShop();
  const { dashboard, givenProduct } = shop;
  const draft = await givenProduct({ status: 'draft' });
  const shown = await givenProduct();
  for (const { id } of [draft, shown]) {
    await unwrap(
      dashboard.PATCH(product, { params: { path: { product_id: id } }, body: { status: 'draft', name: 'X' } }),
    );
    await unwrap(dashboard.DELETE(product, { params: { path: { product_id: id } } }));
  }

  const { changes } = await crawlUntil(shop, tells(shown.id));

  expect(changes).toMatchObject([{ product_id: shown.id, removed: true, product: null }]);
});

test('reports a change that was committed after a later change had already been reported', async () => {
  const shop = await openShop();
  const [slow, quick] = [await shop.givenProduct({ name: 'Slow' }), await shop.givenProduct({ name: 'Quick' })];
  const { cursor } = await crawlUntil(shop, tells(quick.id));

  const client = await shop.owner.connect();
  let passed: Awaited<ReturnType<typeof crawl>>;
  try {
    await client.query('begin');
    await client.query(
      sql`update commerce.products set slug = 'late' where site_id = ${shop.site_id} and id = ${slow.id}`,
    );
    const params = { path: { product_id: quick.id } };
    await unwrap(shop.dashboard.PATCH(product, { params, body: { slug: 'early' } }));
    passed = await crawl(shop, { cursor });
    await client.query('commit');
  } finally {
    client.release();
  }

  const { changes } = await crawlUntil(
    shop,
    (later) => [slow, quick].every(({ id }) => tells(id)([...passed.changes, ...later])),
    passed.cursor,
  );
  const slugs = new Map([...passed.changes, ...changes].map(({ product }) => [product?.id, product?.slug]));
  expect(slugs).toEqual(
    new Map([
      [slow.id, 'late'],
      [quick.id, 'early'],
    ]),
  );
});

test('a client that crawls during writes ends with a copy of the whole catalogue', async () => {
  const shop = await openShop();
  const { dashboard, storefront, givenProduct } = shop;
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1) ids.push((await givenProduct()).id);
  const copy = new Map<string, Change['product']>();
  let writing = true;
  const keep = (changes: Change[]) => {
    for (const { product_id, product } of changes) {
      if (product) copy.set(product_id, product);
      else copy.delete(product_id);
    }
  };

  const writer = async (seed: number) => {
    for (let turn = 0; turn < 15; turn += 1) {
      const product_id = ids[(seed * 5 + turn * 7) % ids.length] ?? '';
      const body = { name: `Mug ${seed} ${turn}`, status: turn % 4 === 3 ? ('draft' as const) : ('active' as const) };
      await dashboard.PATCH(product, { params: { path: { product_id } }, body });
    }
  };
  const follow = async () => {
    let cursor: string | undefined;
    while (writing) {
      const page = await unwrap(shop.sync.GET(products, { params: { query: { cursor, limit: 3 } } }));
      keep(page.changes);
      cursor = page.resume_cursor;
    }
    return cursor;
  };
  const following = follow();
  await Promise.all([1, 2, 3].map(writer));
  await unwrap(dashboard.DELETE(product, { params: { path: { product_id: ids[0] ?? '' } } }));
  writing = false;
  const cursor = await following;
  const last = await givenProduct({ name: 'Last' });
  keep((await crawlUntil(shop, tells(last.id), cursor)).changes);

  const { data } = await storefront.GET('/api/storefront/products', { params: { query: { limit: 100 } } });
  // Storefront lists omit these fields.
  const listed = [...copy].map(([id, product]) => {
    const texts = UNLISTED.sync.map((field) => [field, product?.[field]]);
    const initial: Record<string, unknown> = { returnable: true, withdrawal_exempt: 'none' };
    expect(texts).toEqual(UNLISTED.sync.map((field) => [field, initial[field] ?? null]));
    const listed = Object.entries(product ?? {}).filter(([field]) => !UNLISTED.sync.some((text) => text === field));
    return [id, Object.fromEntries(listed)] as const;
  });
  expect(new Map(listed.sort())).toEqual(new Map(data?.products.map((one) => [one.id, one] as const).sort()));
});

test('a crawl with updated_since returns the changes since that time, and a cursor for later ones', async () => {
  const shop = await openShop();
  const [old, recent] = [await shop.givenProduct(), await shop.givenProduct()];
  await crawlUntil(shop, tells(recent.id));
  await shop.owner.query(
    sql`update commerce.product_changes set changed_at = now() - interval '1 hour'
      where site_id = ${shop.site_id} and product_id = ${old.id}`,
  );
  const since = (minutes: number) => ({
    params: { query: { updated_since: new Date(Date.now() - minutes * 60_000).toISOString() } },
  });

  const idsOf = async (minutes: number) =>
    (await unwrap(shop.sync.GET(products, since(minutes)))).changes.map(({ product_id }) => product_id);
  expect(await idsOf(120)).toEqual([old.id, recent.id]);
  expect(await idsOf(30)).toEqual([recent.id]);
  const { changes, resume_cursor } = await unwrap(shop.sync.GET(products, since(-30)));
  expect(changes).toEqual([]);
  const later = await shop.givenProduct();
  expect((await crawlUntil(shop, tells(later.id), resume_cursor)).changes).toHaveLength(1);
});

test('reports a product once its publication time has passed', async () => {
  const shop = await openShop();
  const { id } = await shop.givenProduct({ published_at: new Date(Date.now() + 60_000).toISOString() });
  const { rows } = await shop.owner.query(
    sql`select payload, run_at from graphile_worker._private_jobs where payload ->> 'product_id' = ${id}`,
  );
  const other = await shop.givenProduct();
  const { changes, cursor } = await crawlUntil(shop, tells(other.id));
  expect(changes.map(({ product_id }) => product_id)).toEqual([other.id]);

  await shop.owner.query(sql`update commerce.products set published_at = now() where id = ${id}`);
  await shop.owner.query(sql`delete from commerce.product_changes where product_id = ${id}`);
  expect(Date.parse(rows[0].run_at)).toBeGreaterThan(Date.now());
  await notePublication(shop.db)(rows[0].payload);

  expect((await crawlUntil(shop, tells(id), cursor)).changes).toMatchObject([{ product_id: id, removed: false }]);
});

test('compresses large responses for clients that accept gzip', async () => {
  const shop = await openShop();
  const { baseUrl, credentials } = shop;
  const { id } = await shop.givenProduct({ description: 'clay '.repeat(1_000) });
  await crawlUntil(shop, tells(id));
  const headers = { 'X-Site-ID': credentials.site_id, 'X-Sync-Secret': credentials.sync_secret };
  const get = (encoding: string) =>
    fetch(`${baseUrl}${products}`, { headers: { ...headers, 'Accept-Encoding': encoding } });

  const [packed, plain] = [await get('gzip'), await get('identity')];

  expect(packed.headers.get('Content-Encoding')).toBe('gzip');
  expect(plain.headers.get('Content-Encoding')).toBeNull();
  for (const answer of [packed, plain]) expect(answer.headers.get('Vary')).toContain('Accept-Encoding');
  // The cursor also advances with writes of other shops, so only the changes are compared.
  const changesOf = async (answer: Response) => ((await answer.json()) as { changes: unknown[] }).changes;
  const [changes, same] = [await changesOf(packed), await changesOf(plain)];
  expect(changes).toMatchObject([{ product_id: id }]);
  expect(changes).toEqual(same);
});

test.each([
  ['no sync secret', { 'X-Sync-Secret': undefined }, 'unauthorized'],
  ['no site', { 'X-Site-ID': undefined }, 'unauthorized'],
  ['the site of another shop', { 'X-Site-ID': '0192f3a0-4444-7000-8000-000000000001' }, 'invalid_token'],
  ['an invalid secret', { 'X-Sync-Secret': 'syk_none' }, 'invalid_token'],
])('a product crawl rejects a call with %s (401)', async (_what, wrong, error) => {
  const { baseUrl, credentials } = await openShop();
  const right = { 'X-Site-ID': credentials.site_id, 'X-Sync-Secret': credentials.sync_secret };
  const headers = Object.entries({ ...right, ...wrong }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );

  const answer = await fetch(`${baseUrl}${products}`, { headers });

  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ error });
});

test.each([
  ['cursor', { cursor: 'elsewhere' }, 'value_error'],
  ['cursor', { cursor: '1-2-3' }, 'value_error'],
  ['limit', { limit: 501 }, 'less_than_equal'],
  ['updated_since', { updated_since: 'yesterday' }, 'datetime_parsing'],
])('a product crawl rejects an invalid parameter and names its path: %s', async (name, query, type) => {
  const { sync } = await openShop();

  const { error } = await sync.GET(products, { params: { query } });

  expect(error).toMatchObject({ detail: [{ loc: ['query', name], type }] });
});
