import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServer, stopServer } from '../../test/server.ts';
import { databaseUrl, migratedTemplate, superuserUrl } from '../../test/worker-database.ts';
import { type Config, readConfig } from '../config.ts';
import { openPool } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { createSite, mintPassword } from '../shop/merchant/sites.ts';
import { type KeyUse, openKey, sealKey } from '../shop/payments/accounts/sealed-keys.ts';
import { hashSecret, mintSecret, seal, unseal } from '../shop/webhooks/secrets.ts';
import { openPrivateKey } from '../shop/webhooks/signing-keys.ts';
import { checkDatabase } from './doctor-database.ts';
import { rotateSecretKey } from './rotate-secret-key.ts';
import { sitePayments } from './site-payments.ts';

const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
const WEBHOOK = '01a202fe-a50b-71ba-b73e-d11a8e6865e3';

interface GivenShop {
  url: string;
  dataDir: string;
  site_id: string;
  storefront_token: string;
  api_key: string;
  secrets: [string, string];
}

/** A shop whose secrets are encrypted with the old key, with a webhook whose secret is being rotated. */
async function givenShop(): Promise<GivenShop> {
  const name = `rotate_${randomBytes(4).toString('hex')}`;
  const url = Object.assign(new URL(databaseUrl()), { pathname: `/${name}` });
  const owner = decodeURIComponent(url.username);
  await send(superuserUrl(), `create database ${name} template ${migratedTemplate()} owner ${owner}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-rotate-'));
  chmodSync(dataDir, 0o711);
  onTestFinished(async () => {
    await send(superuserUrl(), `drop database ${name} with (force)`);
    rmSync(dataDir, { recursive: true, force: true });
  });
  const db = openPool({ url: url.href, max: 4, pooling: 'session' });
  const staff = { email: 'staff@example.com', name: 'Staff' };
  const password = await mintPassword();
  const made = inTransaction(db, (connection) =>
    createSite(connection, { name: 'Alder', currency: 'EUR', staff, password }),
  );
  const { credentials: site } = await made.finally(() => db.end());
  const secrets: [string, string] = [mintSecret(), mintSecret()];
  const [current, previous] = secrets.map((secret) => seal(OLD, WEBHOOK, secret));
  await send(
    Object.assign(new URL(superuserUrl()), { pathname: url.pathname }).href,
    `insert into commerce.webhooks (site_id, id, url, events, secret, secret_hash, previous_secret, previous_secret_expires_at)
      values ($1, $2, 'http://localhost/hook', '{product.created}', $3, $4, $5, now() + interval '1 day')`,
    [site.site_id, WEBHOOK, current, hashSecret(secrets[0]), previous],
  );
  return { ...site, url: url.href, dataDir, secrets };
}

async function send<Row>(url: string, statement: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(statement, values).finally(() => client.end());
  return rows as Row[];
}

function configOf({ url, dataDir }: GivenShop, env: NodeJS.ProcessEnv): Config {
  return readConfig({ DATABASE_URL: url, DATA_DIR: dataDir, ...env });
}

/** The decrypted secrets of the webhook; undefined for each that the key does not decrypt. */
async function openedBy(key: string, { url }: GivenShop): Promise<(string | undefined)[]> {
  const there = Object.assign(new URL(superuserUrl()), { pathname: new URL(url).pathname }).href;
  const [row] = await send<{ secret: Buffer; previous_secret: Buffer }>(
    there,
    'select secret, previous_secret from commerce.webhooks',
  );
  return [row?.secret, row?.previous_secret].map((sealed) => {
    try {
      return unseal(key, WEBHOOK, sealed as Buffer);
    } catch {
      return undefined;
    }
  });
}

/** A checkout that was begun on a server with the given key. */
async function openCheckout(baseUrl: string, shop: GivenShop): Promise<{ id: string; checkout_url: string }> {
  const pair = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  const post = async <Answer = { id: string }>(path: string, headers: Record<string, string>, body?: unknown) => {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': crypto.randomUUID(), 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return (await answer.json()) as Answer;
  };
  const goods = { name: 'Mug', price: '14.00', status: 'active', inventory_quantity: 5 };
  const { variants } = await post<{ variants: { id: string }[] }>(
    '/api/dashboard/products',
    { 'X-API-Key': shop.api_key },
    goods,
  );
  const cart = await post('/api/storefront/cart', pair);
  await post(`/api/storefront/cart/${cart.id}/items`, pair, { variant_id: variants[0]?.id, quantity: 1 });
  return post('/api/storefront/checkout', pair, { cart_id: cart.id });
}

test('rotate-secret-key re-encrypts payment account keys, and doctor reports keys that cannot be decrypted', async () => {
  const shop = await givenShop();
  const there = Object.assign(new URL(superuserUrl()), { pathname: new URL(shop.url).pathname }).href;
  const sealed = [
    sealKey(OLD, shop.site_id, 'secret_key', 'sk_test_alder'),
    sealKey(OLD, shop.site_id, 'webhook_secret', 'whsec_alder'),
  ];
  await send(
    there,
    `insert into commerce.payment_accounts (site_id, provider, mode, secret_key, webhook_secret)
      values ($1, 'stripe', 'test', $2, $3)`,
    [shop.site_id, ...sealed],
  );
  await rotateSecretKey(configOf(shop, { SECRET_KEY: OLD, NEW_SECRET_KEY: NEW }));
  const [row] = await send<Record<KeyUse, Buffer>>(
    there,
    'select secret_key, webhook_secret from commerce.payment_accounts',
  );
  const opened = (['secret_key', 'webhook_secret'] as const).map(
    (use) => row && openKey(NEW, shop.site_id, use, row[use]),
  );
  expect(opened).toEqual(['sk_test_alder', 'whsec_alder']);
  const secretsOf = async (key: string) =>
    (await checkDatabase(shop.url, configOf(shop, { SECRET_KEY: key }))).find(({ check }) => check === 'secrets');
  expect(await secretsOf(NEW)).toMatchObject({ state: 'ok' });
  expect(await secretsOf(OLD)).toMatchObject({ state: 'wrong', found: expect.stringContaining(shop.site_id) });
});

test('`site payments` assigns a Stripe account connected by the platform to a site', async () => {
  const shop = await givenShop();
  const config = configOf(shop, { SECRET_KEY: OLD, STRIPE_PLATFORM_KEY: 'sk_live_platform' });
  const file = join(shop.dataDir, 'webhook-secret');
  writeFileSync(file, 'whsec_connected\n');
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  await sitePayments(config, shop.site_id, { account: 'acct_finch', webhookSecretFile: file });
  await sitePayments(config, shop.site_id, { account: 'none' });
  const [connected, none] = printed.map((text) => JSON.parse(text) as object);
  expect(connected).toMatchObject({
    kind: 'connected',
    mode: 'live',
    connected_account: 'acct_finch',
    webhook_secret_set: true,
  });
  expect(none).toMatchObject({ provider: null });
  await expect(sitePayments(config, shop.site_id, { account: 'finch' })).rejects.toThrow('begins with acct_');
  const without = configOf(shop, { SECRET_KEY: OLD });
  await expect(sitePayments(without, shop.site_id, { account: 'acct_finch' })).rejects.toThrow('STRIPE_PLATFORM_KEY');
});

test('rotate-secret-key re-encrypts webhook secrets, and changes nothing when repeated', async () => {
  const shop = await givenShop();

  await rotateSecretKey(configOf(shop, { SECRET_KEY: OLD, NEW_SECRET_KEY: NEW }));

  expect(await openedBy(NEW, shop)).toEqual(shop.secrets);
  expect(await openedBy(OLD, shop)).toEqual([undefined, undefined]);
  await rotateSecretKey(configOf(shop, { SECRET_KEY: OLD, NEW_SECRET_KEY: NEW }));
  expect(await openedBy(NEW, shop)).toEqual(shop.secrets);
}, 300_000);

test('the key that signs requests to UCP platforms stays the same after the rotation', async () => {
  const shop = await givenShop();
  const keysWith = async (secretKey: string) => {
    const server = await startServer(shop.url, { secretKey });
    const profile = await fetch(`${server.baseUrl}/sites/${shop.site_id}/.well-known/ucp`).finally(() =>
      stopServer(server),
    );
    return ((await profile.json()) as { keys: { kid: string }[] }).keys;
  };
  const before = await keysWith(OLD);

  await rotateSecretKey(configOf(shop, { SECRET_KEY: OLD, NEW_SECRET_KEY: NEW }));

  expect(before).toHaveLength(1);
  expect(await keysWith(NEW)).toEqual(before);
  const there = Object.assign(new URL(superuserUrl()), { pathname: new URL(shop.url).pathname }).href;
  const [row] = await send<{ kid: string; sealed: Buffer }>(there, 'select kid, sealed from commerce.signing_keys');
  const opened = [OLD, NEW].map((key) =>
    openPrivateKey(key, shop.site_id, row?.kid ?? '', row?.sealed ?? Buffer.alloc(0)),
  );
  expect(opened).toEqual([undefined, expect.stringContaining('PRIVATE KEY')]);
}, 300_000);

test('links to open checkouts stay valid after the rotation, and new links are valid too', async () => {
  const shop = await givenShop();
  const before = await startServer(shop.url, { secretKey: OLD });
  const checkout = await openCheckout(before.baseUrl, shop).finally(() => stopServer(before));

  await rotateSecretKey(configOf(shop, { SECRET_KEY: OLD, NEW_SECRET_KEY: NEW }));

  const after = await startServer(shop.url, { secretKey: NEW });
  try {
    const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
    const shown = await fetch(`${after.baseUrl}/api/storefront/checkout/${checkout.id}`, { headers });
    const { checkout_url } = (await shown.json()) as { checkout_url: string };
    expect(checkout_url).not.toBe(checkout.checkout_url);
    for (const url of [checkout.checkout_url, checkout_url]) {
      expect((await fetch(after.baseUrl + new URL(url).pathname)).status).toBe(200);
    }
  } finally {
    await stopServer(after);
  }
}, 300_000);

test('rotate-secret-key changes the key in DATA_DIR, even after an interrupted run', async () => {
  const shop = await givenShop();
  const file = join(shop.dataDir, 'secret.key');
  writeFileSync(file, `${OLD}\n`);
  // Simulates a command that was killed after it had chosen a key and changed the database.
  writeFileSync(`${file}.new`, `${NEW}\n`);
  await rotateSecretKey(configOf(shop, { SECRET_KEY: OLD, NEW_SECRET_KEY: NEW }));

  await rotateSecretKey(configOf(shop, {}));

  expect(readFileSync(file, 'utf8').trim()).toBe(NEW);
  expect(existsSync(`${file}.new`)).toBe(false);
  await rotateSecretKey(configOf(shop, {}));
  const newest = readFileSync(file, 'utf8').trim();
  expect([OLD, NEW]).not.toContain(newest);
  expect(await openedBy(newest, shop)).toEqual(shop.secrets);
}, 300_000);

test('rotate-secret-key rejects secrets that neither key decrypts, and a missing or equal new key, and changes no secret', async () => {
  const shop = await givenShop();
  const keys = { SECRET_KEY: randomBytes(32).toString('hex'), NEW_SECRET_KEY: NEW };

  await expect(rotateSecretKey(configOf(shop, keys))).rejects.toThrow(`must be rotated: ${WEBHOOK}`);
  await expect(rotateSecretKey(configOf(shop, { SECRET_KEY: OLD }))).rejects.toThrow('Set NEW_SECRET_KEY');
  const same = { SECRET_KEY: OLD, NEW_SECRET_KEY: OLD };
  await expect(rotateSecretKey(configOf(shop, same))).rejects.toThrow('Use another one');

  expect(await openedBy(OLD, shop)).toEqual(shop.secrets);
}, 300_000);
