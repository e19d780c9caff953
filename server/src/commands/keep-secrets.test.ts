import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentClient, createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openMoves } from '../../test/moves.ts';
import { SECRET_KEY } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { openFactor, sealFactor } from '../shop/merchant/second-factor.ts';
import { openKey, sealKey } from '../shop/payments/accounts/sealed-keys.ts';
import { addReceiver, findReceiver, resealReceivers } from '../shop/sites/receivers.ts';
import { unseal } from '../shop/webhooks/secrets.ts';
import { openPrivateKey } from '../shop/webhooks/signing-keys.ts';

type TestShop = Awaited<ReturnType<typeof openShop>>;

const { config, dir, other, exported, imported, receive } = await openMoves();

async function moved(shop: TestShop) {
  return imported(await exported(shop, { keepSecrets: await receive() }));
}

test('keys, tokens, sessions, agents and checkout links of a moved shop stay valid on its new server', async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer);
  const checkout = await shop.givenCheckout();
  const order = await shop.givenOrder();

  const made = await moved(shop);

  expect(made).toMatchObject({ keeps_secrets: true, api_keys: [], storefront_tokens: [], webhooks: [] });
  const { baseUrl } = other;
  const { site_id, credentials } = shop;
  const dashboard = createDashboardClient({ baseUrl, apiKey: credentials.api_key, maxAttempts: 1 });
  const { data } = await dashboard.GET('/api/dashboard/orders');
  expect(data?.orders).toMatchObject([{ id: order.id, order_number: order.order_number }]);
  const token = { siteId: site_id, storefrontToken: credentials.storefront_token };
  const storefront = createStorefrontClient({ baseUrl, ...token, maxAttempts: 1 });
  const session = storefront.withCustomer(customer.access_token);
  expect((await session.GET('/api/storefront/customer/me')).data).toMatchObject({ email: customer.email });
  const agent = createAgentClient({ baseUrl, agentToken: access_token, maxAttempts: 1 });
  expect((await agent.GET('/api/agent/token')).response.status).toBe(200);
  const page = await fetch(new URL(new URL(checkout.checkout_url ?? '').pathname, baseUrl));
  expect(page.status).toBe(200);
  const params = { path: { checkout_id: checkout.id } };
  const completed = await storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
  expect(completed.data?.order.order_number).toBe('1002');
});

test('a call that is repeated on the new server with its Idempotency-Key returns the first response', async () => {
  const shop = await openShop();
  const key = randomUUID();
  const call = { body: { name: 'Scarf', price: '9.00' }, params: { header: { 'Idempotency-Key': key } } };
  const first = await shop.dashboard.POST('/api/dashboard/products', call);

  await moved(shop);

  const { baseUrl } = other;
  const there = createDashboardClient({ baseUrl, apiKey: shop.credentials.api_key, maxAttempts: 1 });
  const second = await there.POST('/api/dashboard/products', call);
  expect(second.response.headers.get('Idempotency-Replayed')).toBe('true');
  expect(second.data?.id).toBe(first.data?.id);
});

test('moving a site re-encrypts its secrets with the SECRET_KEY of the new server, and moves its queued jobs', async () => {
  const shop = await openShop();
  const { site_id, owner } = shop;
  const body = { url: 'https://hooks.example.com/orders', events: ['order.created' as const] };
  const { data: webhook } = await shop.dashboard.POST('/api/dashboard/webhooks', { body });
  await owner.query(
    `insert into commerce.payment_accounts (site_id, provider, mode, secret_key) values ($1, 'stripe', 'test', $2)`,
    [site_id, sealKey(SECRET_KEY, site_id, 'secret_key', 'sk_test_123')],
  );
  const { id: order_id } = await shop.givenOrder();
  await givenPlatform(shop, order_id);
  const keys = await ucpKeysOf(shop.baseUrl, site_id);
  const jobsOf = async ({ owner: db }: Pick<TestShop, 'owner'>) => {
    const { rows } = await db.query<{ task: string }>(
      `select t.identifier as task from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        where payload->>'site_id' = $1 and run_at < now() + interval '1 day' order by 1`,
      [site_id],
    );
    return rows.map(({ task }) => task);
  };
  const before = await jobsOf(shop);
  expect(before).toEqual(expect.arrayContaining(['deliver_webhook', 'send_mail']));

  await moved(shop);

  const { secretKey } = other.config;
  const stored = await other.owner.query('select id, secret from commerce.webhooks where site_id = $1', [site_id]);
  expect(unseal(secretKey, stored.rows[0]?.id, stored.rows[0]?.secret)).toBe(webhook?.secret);
  const account = await other.owner.query('select secret_key from commerce.payment_accounts where site_id = $1', [
    site_id,
  ]);
  expect(openKey(secretKey, site_id, 'secret_key', account.rows[0]?.secret_key)).toBe('sk_test_123');
  expect(keys).toHaveLength(1);
  expect(await ucpKeysOf(other.baseUrl, site_id)).toEqual(keys);
  const signing = await other.owner.query('select kid, sealed from commerce.signing_keys where site_id = $1', [
    site_id,
  ]);
  const [{ kid, sealed }] = signing.rows;
  expect(openPrivateKey(secretKey, site_id, kid, sealed)).toContain('PRIVATE KEY');
  expect(await jobsOf(other)).toEqual(before);
  expect(await jobsOf(shop)).toEqual([]);
  const events = await other.owner.query(
    'select (select count(*)::int from commerce.events where site_id = $1) as events, (select count(*)::int from commerce.webhook_deliveries where site_id = $1) as deliveries',
    [site_id],
  );
  expect(events.rows).toEqual([{ events: 1, deliveries: 1 }]);
});

/** Makes a UCP platform the one that began the checkout of an order. */
async function givenPlatform({ owner, site_id }: TestShop, order_id: string): Promise<void> {
  await owner.query(
    `with p as (
        insert into commerce.agent_profiles (site_id, id, url, host, version, capabilities, webhook_url, expires_at)
        values ($1, gen_random_uuid(), 'https://p.example/', 'p.example', '2026-08-25', '{}', 'https://p.example/hook', now())
        returning id
      )
      update commerce.checkouts k set platform_id = p.id from p where k.site_id = $1 and k.order_id = $2`,
    [site_id, order_id],
  );
}

async function ucpKeysOf(baseUrl: string, site_id: string): Promise<unknown[]> {
  const profile = await fetch(`${baseUrl}/sites/${site_id}/.well-known/ucp`);
  return ((await profile.json()) as { keys: unknown[] }).keys;
}

/** The login of the shop's only member, and its second factor, decrypted with the SECRET_KEY of the server. */
async function loginOf({ owner }: Pick<TestShop, 'owner'>, { site_id }: TestShop, secretKey: string) {
  const { rows } = await owner.query<{ id: string; password_hash: string; secret: Buffer | null }>(
    `select s.id, s.password_hash, f.secret from commerce.staff_memberships m join commerce.staff s on s.id = m.staff_id
      left join commerce.staff_second_factors f on f.staff_id = s.id where m.site_id = $1`,
    [site_id],
  );
  const [{ id, password_hash, secret } = { id: '', password_hash: '', secret: null }] = rows;
  return { id, password_hash, factor: secret && openFactor(secretKey, id, secret) };
}

test('an imported staff member without a login on the server keeps the password and second factor', async () => {
  const shop = await openShop();
  const { id, password_hash } = await loginOf(shop, shop, SECRET_KEY);
  await shop.owner.query(
    'insert into commerce.staff_second_factors (staff_id, secret, turned_on_at) values ($1, $2, now())',
    [id, sealFactor(SECRET_KEY, id, 'JBSWY3DPEHPK3PXP')],
  );

  const { staff } = await moved(shop);

  expect(staff).toMatchObject([{ password: null }]);
  const there = await loginOf(other, shop, other.config.secretKey);
  expect(there).toEqual({ id, password_hash, factor: 'JBSWY3DPEHPK3PXP' });
});

test('an imported staff member whose e-mail address has a login on the server keeps that login and its password', async () => {
  const shop = await openShop();
  const { id } = await loginOf(shop, shop, SECRET_KEY);
  const { rows } = await shop.owner.query<{ email: string }>('select email from commerce.staff where id = $1', [id]);
  const known = randomUUID();
  await other.owner.query(
    `insert into commerce.staff (id, email, name, password_hash) values ($1, $2, 'Known', 'its own')`,
    [known, rows[0]?.email],
  );

  await moved(shop);

  const there = await loginOf(other, shop, other.config.secretKey);
  expect(there).toEqual({ id: known, password_hash: 'its own', factor: null });
});

test('an export with secrets contains no readable e-mail address, and is rejected if a byte was changed', async () => {
  const shop = await openShop();
  await shop.givenOrder();
  const file = await exported(shop, { keepSecrets: await receive() });
  const bytes = readFileSync(file);
  expect(bytes.includes('june@example.com')).toBe(false);
  bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
  const damaged = join(dir, 'damaged.site');
  writeFileSync(damaged, bytes);
  await expect(imported(damaged)).rejects.toThrow(/cannot be restored: it is damaged/);
  await imported(file);
});

test('rejects a second import of the same export, a key of another server, and an export that is not final', async () => {
  const [shop, wrong] = [await openShop(), await openShop()];
  const file = await exported(shop, { keepSecrets: await receive() });
  await imported(file);
  await expect(imported(file)).rejects.toThrow(/used already.*Run commerce-server site receive here/);

  const foreign = await exported(wrong, { keepSecrets: await receive(config) });
  await expect(imported(foreign)).rejects.toThrow(/not a key of this server.*Run commerce-server site receive here/);

  const open = await openShop();
  const key = await receive();
  await expect(exported(open, { final: false, keepSecrets: key })).rejects.toThrow(/--keep-secrets needs --final/);
  await expect(exported(open, { keepSecrets: 'rcv_short' })).rejects.toThrow(/site receive prints on the other server/);
  const { rows } = await open.owner.query('select moved_at from commerce.sites where site_id = $1', [open.site_id]);
  expect(rows).toEqual([{ moved_at: null }]);
});

test('rejects an export with secrets if the audit of the shop was manipulated', async () => {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  await agent.POST('/api/agent/intent/find', { body: { query: 'mug' } });
  await shop.owner.query('update commerce.audit_events set status = 403 where site_id = $1 and status = 200', [
    shop.site_id,
  ]);

  await expect(exported(shop, { keepSecrets: await receive() })).rejects.toThrow(/The audit of the site has problems/);

  expect((await shop.dashboard.GET('/api/dashboard/products')).response.status).toBe(200);
});

test('a one-time key remains valid when SECRET_KEY changes', async () => {
  const [from, to] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [string, string];
  const client = await other.owner.connect();
  onTestFinished(() => client.release());
  const publicKey = await addReceiver(client, from);
  const before = await findReceiver(client, publicKey, from);

  await resealReceivers(client, { from, to });

  expect(await findReceiver(client, publicKey, to)).toEqual(before);
  expect(await findReceiver(client, publicKey, from)).toBeUndefined();
});
