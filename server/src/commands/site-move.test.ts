import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { asOwner } from '../../test/as-owner.ts';
import { workJobs } from '../../test/jobs.ts';
import { IMPORT, openMoves } from '../../test/moves.ts';
import { picture } from '../../test/picture-corpus.ts';
import { printedBy } from '../../test/printed.ts';
import { waitFor } from '../../test/receiver.ts';
import { givenShippedOrder } from '../../test/returns.ts';
import { FILES_DIR } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { ucpClient } from '../../test/ucp.ts';
import { openPlatform } from '../../test/ucp-platform.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';
import { encode, type Frame, type Header, opening, RowCounter, readFrames } from '../backup/format.ts';
import { verify } from '../backup/verify.ts';
import { directoryStore } from '../files/directory.ts';
import { addDomain } from '../shop/merchant/domains.ts';
import type { ImportedSite } from '../shop/sites/import.ts';
import { LEFT_OUT, SECRET_TABLES } from '../shop/sites/moved-tables.ts';
import { tablesOfSites } from '../shop/sites/tables.ts';
import { CAPABILITIES } from '../ucp/protocol.ts';
import { auditVerify } from './audit-verify.ts';

type TestShop = Awaited<ReturnType<typeof openShop>>;

let jobs = await workJobs();
afterAll(() => jobs.stop());
const { dir, other, imported, ...moves } = await openMoves();

/** Exports a shop that keeps selling. */
function exported(shop: Pick<TestShop, 'site_id'>): Promise<string> {
  return moves.exported(shop, { final: false });
}

async function givenPicture(shop: TestShop, product_id: string): Promise<void> {
  const content = await picture('jpeg', 400, 300);
  const body = { filename: 'mug.jpg', content_type: 'image/jpeg' as const, bytes: content.length };
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { data } = await shop.dashboard.POST('/api/dashboard/files', { body: { ...body, sha256 } });
  const url = data?.upload_url.replace('http://localhost', shop.baseUrl) ?? '';
  await fetch(url, { method: 'PUT', body: new Uint8Array(content) });
  const params = { path: { product_id } };
  await shop.dashboard.POST('/api/dashboard/products/{product_id}/images', { params, body: { file_id: data?.id } });
  const imageOf = async () =>
    (await shop.dashboard.GET('/api/dashboard/products/{product_id}', { params })).data?.images[0];
  await waitFor(async () => (await imageOf())?.status === 'ready');
}

/** A shop with a product that has a picture. */
async function givenShopWithPicture() {
  const shop = await openShop();
  const product = await shop.givenProduct({ name: 'Oak mug', description_html: '<p>Turned by <em>hand</em></p>' });
  await givenPicture(shop, product.id);
  return { ...shop, product };
}

/** A shop with data of every kind that a move must keep. */
async function givenLivedInShop() {
  const { product, ...shop } = await givenShopWithPicture();
  const customer = await shop.givenCustomer();
  const variant_id = product.variants[0]?.id ?? '';
  const order = await shop.givenOrder({ content: [{ variant_id, quantity: 2 }], client: customer.client });
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '1.00', reason: 'other' },
  });
  await shop.givenDiscount();
  const checkout = await shop.givenCheckout({ content: [{ variant_id, quantity: 1 }] });
  const { agent, access_token } = await givenAgent(shop, customer);
  await agent.POST('/api/agent/intent/find', { body: { query: 'mug' } });
  const { data: webhook } = await shop.dashboard.POST('/api/dashboard/webhooks', {
    body: { url: 'http://127.0.0.1:9/hook', events: ['*'] },
  });
  return { ...shop, product, customer, order, checkout, agent_token: access_token, webhook };
}

const READS = [
  '/api/dashboard/products',
  '/api/dashboard/collections',
  '/api/dashboard/orders',
  '/api/dashboard/customers',
  '/api/dashboard/discounts',
  '/api/dashboard/shipping-options',
  '/api/dashboard/settings',
] as const;

/** Responses of the dashboard API, with image URLs that do not depend on the server. */
async function readAll(shop: TestShop, baseUrl: string, api_key: string): Promise<Record<string, unknown>> {
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key, maxAttempts: 1 });
  const answers: Record<string, unknown> = {};
  for (const path of READS) {
    const { data, error } = await dashboard.GET(path);
    answers[path] = error ?? data;
  }
  const { data: agents } = await shop.dashboard.GET('/api/dashboard/agent-tokens');
  for (const { id: agent_token_id } of agents?.agent_tokens ?? []) {
    const params = { path: { agent_token_id } };
    answers[`${agent_token_id} audit`] = (
      await dashboard.GET('/api/dashboard/agent-tokens/{agent_token_id}/audit', { params })
    ).data;
  }
  const { data } = await shop.dashboard.GET('/api/dashboard/orders');
  for (const { id: order_id } of data?.orders ?? []) {
    const params = { path: { order_id } };
    answers[order_id] = (await dashboard.GET('/api/dashboard/orders/{order_id}', { params })).data;
    answers[`${order_id} timeline`] = (
      await dashboard.GET('/api/dashboard/orders/{order_id}/timeline', { params })
    ).data;
  }
  return JSON.parse(JSON.stringify(answers).replaceAll(`${baseUrl}/files/`, 'http://localhost/files/')) as Record<
    string,
    unknown
  >;
}

describe('a moved shop with data of every kind', () => {
  let shop: Awaited<ReturnType<typeof givenLivedInShop>>;
  let host: string;
  let before: Record<string, unknown>;
  let made: ImportedSite;

  beforeAll(async () => {
    shop = await givenLivedInShop();
    host = `moved-${shop.site_id}.example`;
    await asOwner((owner) => addDomain(owner, { host, site_id: shop.site_id, is_primary: true }));
    before = await readAll(shop, shop.baseUrl, shop.credentials.api_key);
    made = await imported(await exported(shop));
  });

  // Runs first, because the other test orders on the new server.
  test('sends no events or mails, and its audit verifies with the key of the new server', async () => {
    const queued = `select t.identifier from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where j.payload->>'site_id' = $1`;

    expect((await other.owner.query(queued, [shop.site_id])).rows).toEqual([]);
    const { rows } = await other.owner.query(
      `select (select count(*) from commerce.events where site_id = $1)::int as events,
        (select count(*) from commerce.webhook_deliveries where site_id = $1)::int as deliveries,
        (select bytes from commerce.file_usage where site_id = $1) > 0 as counted`,
      [shop.site_id],
    );
    expect(rows).toEqual([{ events: 0, deliveries: 0, counted: true }]);
    let sound = false;
    const output = await printedBy(async () => {
      sound = await auditVerify(other.config, { site: shop.site_id });
    });
    expect(sound, output).toBe(true);
    expect(output).toMatch(/: [1-9]\d* sealed\n/);
  });

  test('keeps its data and order numbers, and accepts only its new secrets', async () => {
    expect(made).toMatchObject({ site_id: shop.site_id, suspended: false, hosts: [host], files: 2 });
    const [api_key = ''] = made.api_keys.map(({ secret }) => secret);
    const after = await readAll(shop, other.baseUrl, api_key);
    expect(Object.keys(after).filter((what) => what.endsWith(' audit'))).toHaveLength(1);
    expect(after).toEqual(before);

    const { url } = (before['/api/dashboard/products'] as { products: { images: { url: string }[] }[] }).products[0]
      ?.images[0] ?? { url: '' };
    const moved = await fetch(url.replace('http://localhost', other.baseUrl));
    const here = await fetch(url.replace('http://localhost', shop.baseUrl));
    expect(Buffer.from(await moved.arrayBuffer())).toEqual(Buffer.from(await here.arrayBuffer()));

    const [token = ''] = made.storefront_tokens.map(({ secret }) => secret);
    const storefront = createStorefrontClient({ baseUrl: other.baseUrl, siteId: shop.site_id, storefrontToken: token });
    const { email, password } = shop.customer;
    const login = await storefront.POST('/api/storefront/customer/login', { body: { email, password } });
    expect(login.response.status).toBe(200);
    const params = { path: { checkout_id: shop.checkout.id } };
    const completed = await storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
    expect(completed.data?.order.order_number).toBe(String(Number(shop.order.order_number) + 1));

    const pairWith = (secret: string) => ({ 'X-Site-ID': shop.site_id, 'X-Service-Token': secret });
    const former = pairWith(shop.credentials.storefront_token);
    const session = { Authorization: `Bearer ${shop.customer.access_token}` };
    const secrets: [path: string, there: Record<string, string>, here?: Record<string, string>][] = [
      ['/api/dashboard/products', { 'X-API-Key': shop.credentials.api_key }],
      ['/api/storefront/products', former],
      ['/api/sync/products', { 'X-Site-ID': shop.site_id, 'X-Sync-Secret': shop.credentials.sync_secret }],
      ['/api/storefront/customer/me', { ...former, ...session }, { ...pairWith(token), ...session }],
      ['/api/agent/token', { Authorization: `Bearer ${shop.agent_token}` }],
    ];
    for (const [path, there, here = there] of secrets) {
      const answered = await fetch(shop.baseUrl + path, { headers: there });
      const refused = await fetch(other.baseUrl + path, { headers: here });
      expect([path, answered.status, refused.status]).toEqual([path, 200, 401]);
    }
    expect(made.webhooks).toEqual([{ id: shop.webhook?.id, url: shop.webhook?.url, secret: expect.any(String) }]);
    expect(made.webhooks[0]?.secret).not.toBe(shop.webhook?.secret);
    expect(made.staff).toEqual([{ email: shop.credentials.staff.email, password: expect.any(String) }]);
  });
});

test('images waiting to be processed keep their order on the new server', async () => {
  const shop = await openShop();
  await shop.owner.query(
    `insert into commerce.files (site_id, id, name, filename, content_type, bytes, held_bytes, sha256, token_hash, status,
        expires_at)
      select $1, gen_random_uuid(), md5(n::text), 'mug.jpg', 'image/jpeg', 1, 1, repeat('0', 64), sha256(n::text::bytea),
        'processing', now()
      from generate_series(1, 4) as n`,
    [shop.site_id],
  );

  await imported(await exported(shop));

  const { rows } = await other.owner.query(
    `select j.priority, j.max_attempts from graphile_worker._private_jobs j where j.payload->>'site_id' = $1
      order by j.priority`,
    [shop.site_id],
  );
  expect(rows).toEqual([0, 1, 2, 3].map((priority) => ({ priority, max_attempts: 12 })));
});

test('a withdrawal that was not matched before the export is matched by the new server', async () => {
  const shop = await openShop();
  await moveToEu(shop);
  const email = `jo-${randomUUID()}@example.com`;
  const { order_number } = await shop.givenOrder({ email });
  await jobs.stop();
  await withdraw(shop, { email, contract: order_number });
  const file = await exported(shop);
  jobs = await workJobs();

  const { api_keys } = await imported(file);

  const apiKey = api_keys[0]?.secret ?? '';
  const dashboard = createDashboardClient({ baseUrl: other.baseUrl, apiKey, maxAttempts: 1 });
  const [withdrawal] = await matched({ db: other.db, dashboard }, other.config.databaseUrl);
  expect(withdrawal).toMatchObject({ status: 'to_confirm', order_number });
});

test('every table with rows of a site is exported, or listed with the reason for its omission', async () => {
  const names = (await asOwner(tablesOfSites)).map((table) => table.replace('commerce.', ''));
  const file = await exported(await openShop());
  const { header } = await verify(file);
  const moved = header.tables.map(({ table }) => table.replace('commerce.', '')).filter((name) => name !== 'staff');

  const listed = [...Object.keys(LEFT_OUT), ...Object.keys(SECRET_TABLES)];
  expect([...moved, ...listed].toSorted()).toEqual(names.toSorted());
});

test('a copy of a shop sends no events of the copied orders to their platform, even after the platform has called the copy', async () => {
  const shop = await openShop();
  const { site_id, owner } = shop;
  const order = await shop.givenOrder();
  const platform = await openPlatform({ capabilities: Object.keys(CAPABILITIES) });
  await owner.query(
    `with p as (
        insert into commerce.agent_profiles (site_id, id, url, host, version, capabilities, webhook_url, keys, expires_at)
        values ($1, gen_random_uuid(), $3, '127.0.0.1', '2026-08-25', '{}', $3, '[]', now())
        returning id
      )
      update commerce.checkouts k set platform_id = p.id from p where k.site_id = $1 and k.order_id = $2`,
    [site_id, order.id, platform.url],
  );

  const { api_keys } = await imported(await exported(shop));

  const { baseUrl } = other;
  await ucpClient({ issuer: `${baseUrl}/sites/${site_id}`, profile: platform.url }).call('search_catalog', '', {
    body: {},
  });
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_keys[0]?.secret ?? '', maxAttempts: 1 });
  const params = { path: { order_id: order.id } };
  const { error } = await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  expect(error).toBeUndefined();
  const { rows } = await other.owner.query(
    `select p.webhook_url, count(d.id)::int as deliveries from commerce.agent_profiles p
      left join commerce.webhook_deliveries d on d.site_id = p.site_id and d.platform_id = p.id
      where p.site_id = $1 group by 1`,
    [site_id],
  );
  expect(rows).toEqual([{ webhook_url: expect.stringContaining('/events/orders'), deliveries: 0 }]);
  await platform.close();
});

/** Writes a copy of a file in which frames are changed. */
async function rewrite(file: string, changed: string, change: (frame: Frame) => unknown): Promise<void> {
  await pipeline(
    async function* frames() {
      yield opening();
      for await (const frame of readFrames(file)) {
        change(frame);
        yield encode(frame);
      }
    },
    createGzip(),
    createWriteStream(changed),
  );
}

/** Writes a copy of a file in which the rows of one table are changed, with matching checksums. */
async function rewriteRows(file: string, changed: string, of: string, change: (rows: string) => string): Promise<void> {
  const { header } = await verify(file);
  let counter: RowCounter | undefined;
  await rewrite(file, changed, (frame) => {
    if (frame.kind === 'table') {
      counter = header.tables[frame.index]?.table === `commerce.${of}` ? new RowCounter() : undefined;
    }
    if (!counter) return;
    if (frame.kind === 'rows') {
      frame.rows = Buffer.from(change(frame.rows.toString()));
      counter.add(frame.rows);
    }
    if (frame.kind === 'tableEnd') frame.end = counter.end();
  });
}

test("rejects an import with a file name that points outside of the site's folder", async () => {
  const shop = await givenShopWithPicture();
  const file = await exported(shop);
  const forged = join(dir, 'forged.site');
  const tenant = randomUUID();
  const store = directoryStore(FILES_DIR);

  for (const name of [`../${tenant}/${'0'.repeat(32)}`, '../../postgres', '']) {
    await rewriteRows(file, forged, 'files', (rows) => rows.replaceAll(/(?<=\t)[0-9a-f]{32}(?=\t)/g, name));
    await expect(imported(forged)).rejects.toThrow('files_name_check');
    await expect(store.open(`${shop.site_id}/${name}/320.webp`)).rejects.toThrow('Not a key of the file store');
  }
});

test("an import keeps the site's rate limits that are valid on this server, or none with --without-limits", async () => {
  const limitsOf = async (file: string, options = IMPORT) => {
    const { limits, site_id } = await imported(file, options);
    const { rows } = await other.owner.query('select limits from commerce.sites where site_id = $1', [site_id]);
    return [rows[0]?.limits, limits];
  };
  const forge = async () => {
    const shop = await openShop();
    await shop.owner.query(`update commerce.sites set limits = '{"storefront_read": 700}' where site_id = $1`, [
      shop.site_id,
    ]);
    const forged = join(dir, `${randomUUID()}.site`);
    const own = '{"login": 999999999, "storefront_read": 700, "cart_write": 999999999, "nonsense": "x"}';
    await rewriteRows(await exported(shop), forged, 'sites', (rows) => rows.replace('{"storefront_read": 700}', own));
    return forged;
  };

  const read = ['storefront_read=700'];
  expect(await limitsOf(await forge())).toEqual([{ storefront_read: 700 }, { kept: read, left: [], invalid: 3 }]);
  const left = await limitsOf(await forge(), { ...IMPORT, withoutLimits: true });
  expect(left).toEqual([{}, { kept: [], left: read, invalid: 3 }]);
});

test('an import keeps the names of former members in their past actions, but not their logins', async () => {
  const shop = await openShop();
  const { id: order_id } = await shop.givenOrder();
  const [left, drafted] = [randomUUID(), randomUUID()];
  await shop.owner.query(
    `insert into commerce.staff (id, email, name, password_hash)
      select id, id || '@example.com', name, 'x' from unnest($1::uuid[], $2::text[]) as former (id, name)`,
    [
      [left, drafted],
      ['Ilse Kern', 'Olaf Lind'],
    ],
  );
  const { variants } = await shop.givenProduct();
  const draft = { email: 'ada@example.com', lines: [{ variant_id: variants[0]?.id ?? '', quantity: 1 }] };
  expect((await shop.dashboard.POST('/api/dashboard/draft-orders', { body: draft })).error).toBeUndefined();
  await shop.owner.query('update commerce.draft_orders set actor_id = $2 where site_id = $1', [shop.site_id, drafted]);
  await shop.owner.query(`update commerce.order_events set actor_type = 'staff', actor_id = $2 where site_id = $1`, [
    ...[shop.site_id, left],
  ]);

  const { api_keys } = await imported(await exported(shop));

  const dashboard = createDashboardClient({ baseUrl: other.baseUrl, apiKey: api_keys[0]?.secret ?? '' });
  const params = { path: { order_id } };
  const { data } = await dashboard.GET('/api/dashboard/orders/{order_id}/timeline', { params });
  expect(JSON.stringify(data)).toContain('"Ilse Kern"');
  const { rows: logins } = await other.owner.query('select from commerce.staff where id = $1', [left]);
  expect(logins).toEqual([]);
  // The names of former members move with the site.
  const { rows } = await other.owner.query(
    'select staff_id, name from commerce.former_staff where site_id = $1 order by name',
    [shop.site_id],
  );
  expect(rows).toEqual([
    { staff_id: left, name: 'Ilse Kern' },
    { staff_id: drafted, name: 'Olaf Lind' },
  ]);
});

test('an import removes markup that the API would reject, and changes nothing else', async () => {
  const shop = await openShop();
  const kept = '<p>Holds <b>a litre</b></p>';
  const { id } = await shop.givenProduct({ description_html: kept });
  const plain = await shop.givenProduct({ description_html: '<p>Plain</p>' });
  const file = await exported(shop);
  const forged = join(dir, 'markup.site');
  const added = '<script>steal()</script><img src="x" onerror="steal()"><a href="javascript:steal()">here</a>';
  await rewriteRows(file, forged, 'products', (rows) => rows.replace(kept, `${kept}${added}`));

  const { site_id } = await imported(forged);

  const { rows } = await other.owner.query<{ id: string; description_html: string }>(
    'select id, description_html from commerce.products where site_id = $1',
    [site_id],
  );
  const html = new Map(rows.map((row) => [row.id, row.description_html]));
  expect(html.get(id)).toContain(kept);
  expect(html.get(id)).not.toMatch(/script|onerror|steal/);
  expect(html.get(plain.id)).toBe('<p>Plain</p>');
});

test('an import removes the label URL of a return if it is not http or https', async () => {
  const { shop, given } = await givenShippedOrder(1);
  const label_url = 'https://labels.example/1.pdf';
  const { id } = await given(1, { shipping: { label_url } });
  const file = await exported(shop);
  const forged = join(dir, 'label.site');
  await rewriteRows(file, forged, 'returns', (rows) => rows.replace(label_url, 'javascript:steal()'));

  await imported(forged);

  const { rows } = await other.owner.query('select label_url, status from commerce.returns where id = $1', [id]);
  expect(rows).toEqual([{ label_url: null, status: 'approved' }]);
});

const UNSAFE_TEMPLATES = ['javascript:steal({slug})', 'https://shop.example/{slug}\\nBuy now'];

test.each(UNSAFE_TEMPLATES)(
  'an import cleans forged settings: links, legal texts, names, the time zone and the product URL template %s',
  async (forgery) => {
    const shop = await openShop();
    const [terms_url, privacy_url] = ['https://shop.example/terms', 'https://shop.example/privacy'];
    const product_url_template = 'https://shop.example/p/{slug}';
    const legal_texts = { terms_en: '<p>Terms ONE</p>', imprint_de: '<p>Wir</p>' };
    const { error } = await shop.dashboard.PATCH('/api/dashboard/settings', {
      body: {
        ...{ name: 'Hill & Dale', time_zone: 'Europe/Lisbon', product_url_template },
        ...{ legal: { terms_url, privacy_url }, legal_texts },
      },
    });
    expect(error).toBeUndefined();
    const file = await exported(shop);
    const forged = join(dir, 'settings.site');
    const forgeries = {
      [terms_url]: 'javascript:steal()',
      [product_url_template]: forgery,
      ONE: '<script>steal()</script>',
      'Hill & Dale': 'Hill\\x1b]0;x\\x07 & Dale',
      'Europe/Lisbon': 'Europe/Nowhere',
    };
    await rewriteRows(file, forged, 'site_settings', (rows) =>
      Object.entries(forgeries).reduce((changed, [from, to]) => changed.replace(from, to), rows),
    );

    const { api_keys, site_id } = await imported(forged);

    const { rows } = await other.owner.query<{
      legal: object;
      legal_texts: object;
      product_url_template: string | null;
    }>('select legal, legal_texts, product_url_template from commerce.site_settings where site_id = $1', [site_id]);
    expect(rows).toEqual([
      {
        legal: expect.objectContaining({ privacy_url }),
        legal_texts: { terms_en: '<p>Terms </p>', imprint_de: '<p>Wir</p>' },
        product_url_template: null,
      },
    ]);
    expect(rows[0]?.legal).not.toHaveProperty('terms_url');
    const dashboard = createDashboardClient({ baseUrl: other.baseUrl, apiKey: api_keys[0]?.secret ?? '' });
    const { data: settings } = await dashboard.GET('/api/dashboard/settings');
    expect(settings).toMatchObject({ name: 'Hill]0;x & Dale', time_zone: 'UTC' });
    expect((await dashboard.GET('/api/dashboard/overview')).response.status).toBe(200);
  },
);

test('an export omits an image with an invalid path', async () => {
  const shop = await givenShopWithPicture();
  await shop.owner.query(
    `update commerce.files set sources = '[{"url": "http://localhost/files/x/..", "width": 1, "height": 1}]'
      where site_id = $1`,
    [shop.site_id],
  );

  const { files } = await verify(await exported(shop));

  expect(files.count).toBe(0);
});

test('rejects a damaged or conflicting import with instructions, and leaves no rows or files', async () => {
  const shop = await givenShopWithPicture();
  const file = await exported(shop);
  const whole = readFileSync(file);
  const damaged = join(dir, 'damaged.site');
  const nothing = async () => {
    const { rows } = await other.owner.query('select from commerce.sites where site_id = $1', [shop.site_id]);
    expect(rows).toEqual([]);
    expect(existsSync(join(other.dataDir, 'files', shop.site_id))).toBe(false);
  };

  for (const bytes of [whole.subarray(0, whole.length - 9), Buffer.from(whole.with(whole.length >> 1, 0x55))]) {
    writeFileSync(damaged, bytes);
    await expect(imported(damaged)).rejects.toThrow('cannot be restored');
    await nothing();
  }

  const host = `taken-${shop.site_id}.example`;
  await asOwner((owner) => addDomain(owner, { host, site_id: shop.site_id, is_primary: true }));
  const hosted = await exported(shop);
  const { site_id: tenant } = await imported(await exported(await openShop()));
  await other.owner.query('insert into commerce.site_domains (host, site_id) values ($1, $2)', [host, tenant]);
  await expect(imported(hosted)).rejects.toThrow(`The host ${host} belongs to another site`);
  await nothing();

  const inHeader = (change: (header: Header) => unknown) => (frame: Frame) =>
    frame.kind === 'header' && change(frame.header);
  const elsewhere = (frame: Frame) => {
    if (frame.kind === 'file') frame.file.key = frame.file.key.replace(shop.site_id, tenant);
  };
  const changes: [change: (frame: Frame) => unknown, message: string][] = [
    [inHeader(({ migrations }) => migrations.pop()), 'Upgrade the other server'],
    [inHeader(({ migrations }) => migrations.push('9999_later')), 'Upgrade this server'],
    [inHeader(({ tables }) => tables[1]?.columns.pop()), 'The tables or columns of the file differ'],
    [inHeader(({ site }) => site && Object.assign(site, { open_payments: 2 })), '2 payments pending'],
    [inHeader((header) => Object.assign(header, { site: undefined })), 'commerce-server restore'],
    [inHeader((header) => Object.assign(header, { tables: null })), 'its header is damaged'],
    [inHeader(({ site }) => site && Object.assign(site, { site_id: 'none' })), 'its header is damaged'],
    [inHeader(({ site }) => site && Object.assign(site, { name: '\u001b[2J' })), 'its header is damaged'],
    [elsewhere, 'a place that does not belong to it'],
  ];
  for (const [change, message] of changes) {
    await rewrite(file, damaged, change);
    await expect(imported(damaged)).rejects.toThrow(message);
    await nothing();
  }

  expect((await imported(hosted, { ...IMPORT, withoutHosts: true })).hosts).toEqual([]);
  await expect(imported(file)).rejects.toThrow('already exists on this server');
  const picture = readdirSync(join(other.dataDir, 'files', shop.site_id));
  expect(picture.length).toBeGreaterThan(0);
});

test('imports a site from a server that still records the migrations replaced by the baseline', async () => {
  const shop = await openShop();
  const file = join(dir, 'replaced.site');
  await rewrite(await exported(shop), file, (frame) => {
    if (frame.kind === 'header') frame.header.migrations.unshift('0001_foundation', '0002_catalogue');
  });

  expect((await imported(file)).site_id).toBe(shop.site_id);
});

test('an import gives the membership to an existing login with the same e-mail address', async () => {
  const shop = await openShop();
  const { email } = shop.credentials.staff;
  const known = randomUUID();
  await other.owner.query(`insert into commerce.staff (id, email, name, password_hash) values ($1, $2, 'Known', 'x')`, [
    known,
    email.toUpperCase(),
  ]);

  const { staff } = await imported(await exported(shop));

  expect(staff).toEqual([{ email, password: null }]);
  const { rows } = await other.owner.query('select staff_id from commerce.staff_memberships where site_id = $1', [
    shop.site_id,
  ]);
  expect(rows).toEqual([{ staff_id: known }]);
});
