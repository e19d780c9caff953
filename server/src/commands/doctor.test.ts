import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { databaseUrl, migratedTemplate, superuserUrl } from '../../test/worker-database.ts';
import { hashSecret, mintSecret, seal } from '../shop/webhooks/secrets.ts';
import { examine } from './doctor.ts';

/** A separate database on the test server, with a login like that of a real installation. */
async function givenDatabase({ migrated = false } = {}): Promise<string> {
  const name = `doctor_${randomBytes(4).toString('hex')}`;
  const url = new URL(databaseUrl());
  const owner = pg.escapeIdentifier(decodeURIComponent(url.username));
  const template = migrated ? migratedTemplate() : 'template1';
  await send(superuserUrl(), `create database ${name} template ${template} owner ${owner}`);
  onTestFinished(async () => {
    await send(superuserUrl(), `drop database ${name} with (force)`);
  });
  url.pathname = `/${name}`;
  return url.href;
}

async function send(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}

/** The findings of a check in an environment, with a separate data directory. */
async function findingsOf(check: string, env: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-doctor-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const findings = await examine({ DATA_DIR: dataDir, ...env });
  return findings.filter((finding) => finding.check === check);
}

test('doctor names every configuration mistake with its fix', async () => {
  const found = await findingsOf('configuration', { PORT: 'eighty', ROLE: 'boss' });

  expect(found).toMatchObject([
    { state: 'wrong', mend: expect.stringMatching(/^PORT must be/) },
    { state: 'wrong', mend: expect.stringMatching(/^ROLE must be/) },
  ]);
});

const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://shop.example',
  SECRET_KEY: randomBytes(48).toString('base64'),
  DATABASE_URL: 'postgres://someone@127.0.0.1:1/none',
};

test('doctor reports a production process that runs jobs without a mail server, unless MAILS=files', async () => {
  expect(await findingsOf('mails', PRODUCTION)).toMatchObject([
    { state: 'wrong', mend: expect.stringContaining('Set SMTP_URL, or MAILS=files') },
  ]);
  expect(await findingsOf('mails', { ...PRODUCTION, MAILS: 'files' })).toMatchObject([
    { state: 'warning', mend: expect.stringContaining('SMTP_URL') },
  ]);
  expect(await findingsOf('mails', { ...PRODUCTION, ROLE: 'api' })).toMatchObject([{ state: 'ok' }]);
  expect(await findingsOf('mails', { DATABASE_URL: PRODUCTION.DATABASE_URL })).toMatchObject([{ state: 'ok' }]);
});

test('doctor connects to the mail server and logs in, and warns if the login or the greeting fails', async () => {
  const greet = vi.fn((socket: Socket) => socket.write('220 mail.example\r\n'));
  const server = createServer((socket) => {
    greet(socket);
    socket.on('error', () => undefined);
    socket.on('data', (line) => {
      socket.write(`${line}`.startsWith('AUTH') ? '535 wrong password\r\n' : '250-mail.example\r\n250 AUTH PLAIN\r\n');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const found = async (user = '') =>
    (await findingsOf('mails', { ...PRODUCTION, SMTP_URL: `smtp://${user}${host}` }))[0];

  expect(await found()).toEqual({ check: 'mails', state: 'ok', found: `sent through ${host}` });
  expect(await found('someone:a-secret@')).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('wrong password'),
  });
  greet.mockReturnValue(true);
  const begun = Date.now();
  expect(await found()).toMatchObject({ state: 'warning', found: expect.stringMatching(/greeting/i) });
  expect(Date.now() - begun).toBeLessThan(15_000);
}, 60_000);

test('doctor reports an unreachable database without printing its password', async () => {
  const env = { DATABASE_URL: 'postgres://someone:a-password@127.0.0.1:1/none' };

  expect(await findingsOf('connection', env)).toMatchObject([
    {
      state: 'wrong',
      found: expect.stringContaining('ECONNREFUSED'),
      mend: expect.stringContaining('Start PostgreSQL'),
    },
  ]);
  expect(await findingsOf('database', env)).toEqual([
    { check: 'database', state: 'ok', found: 'PostgreSQL at 127.0.0.1:1/none' },
  ]);
});

test('doctor reports a missing database, and suggests creating it', async () => {
  const url = new URL(databaseUrl());
  url.pathname = '/nowhere_to_be_found';

  const [missing] = await findingsOf('connection', { DATABASE_URL: url.href });

  expect(missing?.mend).toBe('Create the database that DATABASE_URL names.');
});

test('doctor reports a database that was never created, and does not create it', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'commerce-doctor-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const DATA_DIR = join(parent, 'mistyped');

  const found = await findingsOf('database', { DATA_DIR });

  expect(found).toMatchObject([
    {
      state: 'warning',
      found: `no database in ${join(DATA_DIR, 'postgres')}`,
      mend: expect.stringContaining('DATA_DIR'),
    },
  ]);
  expect(readdirSync(parent)).toEqual([]);
});

test('doctor reports missing migrations of an empty database and leaves it empty', async () => {
  const DATABASE_URL = await givenDatabase();

  const [found] = await findingsOf('migrations', { DATABASE_URL });

  expect(found).toMatchObject({ state: 'wrong', mend: 'Run commerce-server migrate.' });
  const tables = "select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')";
  expect(await send(DATABASE_URL, tables)).toHaveLength(0);
});

test('doctor accepts a migrated database, but not one with a missing or newer migration', async () => {
  const DATABASE_URL = await givenDatabase({ migrated: true });

  const [well] = await findingsOf('migrations', { DATABASE_URL });
  await send(
    DATABASE_URL,
    `delete from public.commerce_migrations where id = (select max(id) from public.commerce_migrations)`,
  );
  const [sick] = await findingsOf('migrations', { DATABASE_URL });
  await send(DATABASE_URL, `insert into public.commerce_migrations (name, batch) values ('9999_newer', 9)`);
  const [newer] = await findingsOf('migrations', { DATABASE_URL });

  expect(well).toMatchObject({ state: 'ok' });
  expect(sick).toMatchObject({ state: 'wrong', found: expect.stringMatching(/^missing: \d{4}_\w+$/) });
  expect(newer).toMatchObject({ state: 'wrong', found: expect.stringContaining('9999_newer') });
});

test('doctor reports a database with synchronous_commit = off, which can lose committed writes', async () => {
  const DATABASE_URL = await givenDatabase();
  await send(DATABASE_URL, `alter database ${new URL(DATABASE_URL).pathname.slice(1)} set synchronous_commit = off`);

  const [found] = await findingsOf('durability', { DATABASE_URL });

  expect(found).toMatchObject({ state: 'wrong', found: expect.stringContaining('synchronous_commit = off') });
});

test('doctor reports webhook secrets encrypted with another key', async () => {
  const DATABASE_URL = await givenDatabase({ migrated: true });
  const [SECRET_KEY, another] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const shop = await givenWebhook(DATABASE_URL, SECRET_KEY);

  const [well] = await findingsOf('secrets', { DATABASE_URL, SECRET_KEY });
  const [sick] = await findingsOf('secrets', { DATABASE_URL, SECRET_KEY: another });

  expect(well).toEqual({ check: 'secrets', state: 'ok', found: '1 webhook secrets can be decrypted' });
  expect(sick).toMatchObject({
    state: 'wrong',
    found: `1 of 1 webhook secrets cannot be decrypted, such as that of ${shop.webhook_id}`,
    mend: expect.stringContaining('SECRET_KEY'),
  });
});

/** A shop with a webhook whose secret is encrypted with the given key. */
async function givenWebhook(databaseUrl: string, secretKey: string): Promise<{ webhook_id: string }> {
  const [site_id, webhook_id, secret] = [randomUUID(), randomUUID(), mintSecret()];
  const superuser = new URL(superuserUrl());
  superuser.pathname = new URL(databaseUrl).pathname;
  const client = new pg.Client({ connectionString: superuser.href });
  await client.connect();
  await client.query(
    `insert into commerce.sites (site_id, merchant_id, merchant_name, currency, currency_digits)
      values ($1, $2, 'Alder', 'EUR', 2)`,
    [site_id, randomUUID()],
  );
  await client.query(
    `insert into commerce.webhooks (site_id, id, url, events, secret, secret_hash)
      values ($1, $2, 'https://hooks.example.net/', '{order.paid}', $3, $4)`,
    [site_id, webhook_id, seal(secretKey, webhook_id, secret), hashSecret(secret)],
  );
  await client.end();
  return { webhook_id };
}

test('doctor lists existing SKUs that differ only in case', async () => {
  const DATABASE_URL = await givenDatabase({ migrated: true });
  const superuser = new URL(superuserUrl());
  superuser.pathname = new URL(DATABASE_URL).pathname;
  const [site_id, product_id] = [randomUUID(), randomUUID()];
  const skus = ['AA-1', 'aa-1', 'BB-1', 'Aa-1'];
  // The oldest spelling of a SKU is not marked as a twin. All others are marked, as the migration does.
  const rows = skus.map((sku, i) => `(${i}, '${sku}', ${i > 0 && sku.toUpperCase() === 'AA-1'})`).join(', ');
  await send(
    superuser.href,
    `begin;
    select set_config('app.site_id', '${site_id}', true);
    insert into commerce.sites (site_id, merchant_id, merchant_name, currency, currency_digits)
      values ('${site_id}', '${randomUUID()}', 'Alder', 'EUR', 2);
    insert into commerce.products (site_id, id, name, slug, status, has_variants, price, price_max)
      values ('${site_id}', '${product_id}', 'Mug', 'mug', 'draft', true, 1, 1);
    insert into commerce.variants (site_id, id, product_id, position, option1, sku, price, track_inventory, inventory_policy,
        low_stock_threshold, weight_unit, requires_shipping, created_at, sku_twin)
      select '${site_id}', gen_random_uuid(), '${product_id}', place, sku, sku, 1, true, 'deny', 0, 'kg', true,
        now() + place * interval '1 second', twin from (values ${rows}) as given (place, sku, twin);
    commit`,
  );

  const [found] = await findingsOf('skus', { DATABASE_URL });

  expect(found).toMatchObject({
    state: 'warning',
    found: `SKUs that differ only in case: aa-1 and AA-1 of site ${site_id}; Aa-1 and AA-1 of site ${site_id}`,
  });
  const [clean] = await findingsOf('skus', { DATABASE_URL: await givenDatabase({ migrated: true }) });
  expect(clean?.state).toBe('ok');
});

test('doctor names the session that blocks others, and prints the statement that ends it', async () => {
  const DATABASE_URL = await givenDatabase({ migrated: true });
  const [blocker, blocked] = [new pg.Client(DATABASE_URL), new pg.Client(DATABASE_URL)];
  await Promise.all([blocker.connect(), blocked.connect()]);
  const { rows } = await blocker.query<{ pid: number }>('select pg_backend_pid() as pid');
  await blocker.query('begin; lock table commerce.sites in share mode');
  const waiting = blocked.query('begin; lock table commerce.sites in exclusive mode').catch(() => undefined);
  onTestFinished(async () => {
    await blocker.end();
    await waiting;
    await blocked.end();
  });
  const locksOf = async () => (await findingsOf('locks', { DATABASE_URL }))[0];

  await expect.poll(async () => (await locksOf())?.state).toBe('warning');
  expect(await locksOf()).toMatchObject({
    found: expect.stringMatching(new RegExp(`^PostgreSQL process ${rows[0]?.pid} .* blocks 1$`)),
    mend: expect.stringContaining(`pg_terminate_backend(${rows[0]?.pid})`),
  });
}, 60_000);

test('doctor warns about a clock that differs from that of the database', async () => {
  const env = { DATABASE_URL: databaseUrl() };
  expect(await findingsOf('clock', env)).toMatchObject([{ state: 'ok' }]);
  vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() + 60_000);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });

  expect(await findingsOf('clock', env)).toMatchObject([
    { state: 'warning', found: expect.stringMatching(/is (59|60)\.\d s ahead of the database/) },
  ]);
});

test('doctor reports an unreachable file store, and the free disk space', async () => {
  const bucket = { S3_BUCKET: 'shop', S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'a-secret-key' };
  expect(await findingsOf('files', {})).toMatchObject([{ state: 'ok' }]);
  expect(await findingsOf('disk', {})).toMatchObject([{ state: 'ok', found: expect.stringMatching(/GiB free for/) }]);

  const [found] = await findingsOf('files', { S3_ENDPOINT: 'http://127.0.0.1:1', ...bucket });

  expect(found).toMatchObject({ state: 'wrong', found: expect.stringContaining('ECONNREFUSED') });
});

test('doctor reports a database that cannot store 1 MB', async () => {
  const DATABASE_URL = await givenDatabase({ migrated: true });
  const { pathname, username } = new URL(DATABASE_URL);
  expect(await findingsOf('storage', { DATABASE_URL })).toMatchObject([{ state: 'ok' }]);
  await send(superuserUrl(), `revoke temporary on database ${pathname.slice(1)} from public, ${username}`);

  expect(await findingsOf('storage', { DATABASE_URL })).toMatchObject([
    { state: 'wrong', mend: 'Free space on the disk of PostgreSQL.' },
  ]);
});

test('doctor warns about an unreachable Redis instead of failing, because the server runs without it', async () => {
  const env = { DATABASE_URL: databaseUrl(), REDIS_URL: 'redis://:a-password@127.0.0.1:1' };

  const [found] = await findingsOf('redis', env);

  expect(found).toMatchObject({ state: 'warning', found: expect.stringMatching(/^127\.0\.0\.1:1 does not answer/) });
  expect(JSON.stringify(found)).not.toContain('a-password');
});
