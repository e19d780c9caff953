/** Runs the commands as an operator does, with an ordinary login and without PostgreSQL's client tools. */

import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { restoreOldDatabase } from '../../test/old-database.ts';
import { newDatabase } from '../../test/other-server.ts';
import { printedBy } from '../../test/printed.ts';
import { superuserUrl } from '../../test/worker-database.ts';
import { backup } from '../commands/backup.ts';
import { examine } from '../commands/doctor.ts';
import { restore } from '../commands/restore.ts';
import { prepareSchema } from '../commands/schema.ts';
import { createSite } from '../commands/site.ts';
import { type Config, readConfig } from '../config.ts';
import { openPool } from '../db/connect.ts';
import { LATEST_MIGRATION, MIGRATION_NAMES } from '../db/migrate.ts';
import { seedDemo } from '../demo/seed.ts';
import { hashSecret, mintSecret, seal } from '../shop/webhooks/secrets.ts';
import { dump } from './dump.ts';
import { encode, opening, readFrames } from './format.ts';

const SECRET_KEY = randomBytes(32).toString('base64');
const OTHER_KEY = randomBytes(32).toString('base64');
const ODD_TEXT = 'a\\b\tc\nd\r\\.\n\\N "quoted" €, 日本, 🫖';

let dir = '';
let shop = '';
let made = '';
/** The database into which the shop's backup was restored, as with `--other-key`. */
let restored = '';
const drops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'commerce-backup-'));
  const databases = [await newDatabase({ migrated: true }), await newDatabase({ migrated: false })];
  drops.push(...databases.map(({ drop }) => drop));
  [shop = '', restored = ''] = databases.map(({ url }) => url);
  const db = openPool({ url: shop, max: 4, pooling: 'session' });
  await seedDemo({ db, dataDir: dir, baseUrl: 'http://localhost', secretKey: SECRET_KEY }).finally(() => db.end());
  await addOddRows();
  made = join(dir, 'shop.backup');
  await backup(configOf(shop), made);
  await restore(configOf(restored, { SECRET_KEY: OTHER_KEY }), made, { otherKey: true });
});

afterAll(async () => {
  for (const drop of drops) await drop();
  rmSync(dir, { recursive: true, force: true });
});

function configOf(url: string, env: NodeJS.ProcessEnv = {}): Config {
  return readConfig({ DATABASE_URL: url, DATA_DIR: dir, SECRET_KEY, ...env });
}

/** Creates a database that is dropped after the test. */
async function givenDatabase({ migrated = false } = {}): Promise<string> {
  const { url, drop } = await newDatabase({ migrated });
  onTestFinished(drop);
  return url;
}

function asSuperuser(url: string): string {
  return Object.assign(new URL(superuserUrl()), { pathname: new URL(url).pathname }).href;
}

async function send<Row = Record<string, unknown>>(url: string, statement: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(statement, values).finally(() => client.end());
  return rows as Row[];
}

/** The schema of the shop's tables; null in an empty database. */
async function schemaOf(url: string): Promise<unknown> {
  const [row] = await send(url, `select to_regnamespace('commerce')::text as schema`);
  return row?.schema;
}

/** Adds a webhook with an encrypted secret, and texts that are hard for the format. */
async function addOddRows(): Promise<void> {
  const url = asSuperuser(shop);
  const [site] = await send<{ site_id: string }>(url, 'select site_id from commerce.sites limit 1');
  const [id, secret] = ['01a202fe-a50b-71ba-b73e-d11a8e6865e3', mintSecret()];
  await send(
    url,
    `insert into commerce.webhooks (site_id, id, url, events, description, secret, secret_hash)
      values ($1, $2, 'http://localhost/hook', '{product.created}', $3, $4, $5)`,
    [site?.site_id, id, ODD_TEXT, seal(SECRET_KEY, id, secret), hashSecret(secret)],
  );
}

/**
 * A checksum of each table's rows and the state of each sequence, as only a superuser sees them. Omits data that a
 * restore changes by beginning a new era.
 */
async function contentsOf(url: string): Promise<Record<string, unknown>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: relations } = await client.query<{ name: string; kind: string }>(
      `select c.oid::regclass::text as name, c.relkind as kind from pg_class c
        where c.relnamespace in ('commerce'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind in ('r', 'S')
          and c.oid::regclass::text not in ('graphile_worker.migrations', 'commerce.change_eras', 'commerce.order_numbers')
        union all select 'public.commerce_migrations', 'r' order by 1`,
    );
    const found: Record<string, unknown> = {};
    for (const { name, kind } of relations) {
      const statement =
        kind === 'S'
          ? `select last_value, is_called from ${name}`
          : `select count(*) as rows, md5(string_agg(t::text, '' order by t::text)) as digest from ${name} t`;
      found[name] = (await client.query(statement)).rows[0];
    }
    return found;
  } finally {
    await client.end();
  }
}

// proofs/docs-and-examples/pasted.short.ts restores into an empty cluster.
test('restores every row, and secrets that the old SECRET_KEY can decrypt', async () => {
  expect(await contentsOf(asSuperuser(restored))).toEqual(await contentsOf(asSuperuser(shop)));
  const descriptions = await send(asSuperuser(restored), 'select description from commerce.webhooks');
  expect(descriptions).toEqual([{ description: ODD_TEXT }]);
  const found = await examine({ DATABASE_URL: restored, DATA_DIR: dir, SECRET_KEY });
  expect(found).toContainEqual({ check: 'secrets', state: 'ok', found: '1 webhook secrets can be decrypted' });
});

test("restore rejects a SECRET_KEY other than the backup's and names the consequences", async () => {
  const url = await givenDatabase();

  const refused = restore(configOf(url, { SECRET_KEY: OTHER_KEY }), made, { otherKey: false });

  await expect(refused).rejects.toThrow('webhook secrets cannot be decrypted');
  expect(await schemaOf(url)).toBeNull();
});

test('restores constraints, triggers and row-level security', async () => {
  const schema = `select c.conrelid::regclass || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid) as line
      from pg_constraint c where c.connamespace = 'commerce'::regnamespace
    union all select t.tgrelid::regclass || ' ' || t.tgname || ' ' || t.tgenabled::text from pg_trigger t
      where not t.tgisinternal
    union all select c.relname || ' ' || c.relrowsecurity || ' ' || c.relforcerowsecurity from pg_class c
      where c.relnamespace = 'commerce'::regnamespace and c.relkind = 'r' order by 1`;

  expect(await send(restored, schema)).toEqual(await send(shop, schema));
});

test('a restored database has a new era of product changes, so that no cursor skips changes', async () => {
  const era = `select commerce.change_era() as era`;

  const [before] = await send<{ era: number }>(shop, era);
  const [after] = await send<{ era: number }>(restored, era);

  expect(after?.era).toBeGreaterThan(before?.era ?? Number.NaN);
});

test('a restore skips 1,000 order numbers, because lost numbers may be in mails', async () => {
  const last = 'select last_number::int as number from commerce.order_numbers';

  const [before] = await send<{ number: number }>(asSuperuser(shop), last);
  const [after] = await send<{ number: number }>(asSuperuser(restored), last);

  expect((after?.number ?? 0) + 1).toBe((before?.number ?? 0) + 1_000);
});

test('restores a backup of an older version and migrates it', async () => {
  const old = await givenDatabase();
  const version = MIGRATION_NAMES.at(-2);
  await prepareSchema(old, undefined, version);
  await send(
    old,
    `insert into commerce.sites (site_id, merchant_id, merchant_name, currency, currency_digits)
      values (gen_random_uuid(), gen_random_uuid(), 'Old', 'EUR', 2)`,
  );
  const file = join(dir, 'old.backup');
  await backup(configOf(old), file);
  const url = await givenDatabase();

  await restore(configOf(url), file, { otherKey: false });

  expect(await send(url, 'select merchant_name from commerce.sites')).toEqual([{ merchant_name: 'Old' }]);
  const applied = await send(url, 'select name from public.commerce_migrations order by id desc limit 1');
  expect(applied).toEqual([{ name: LATEST_MIGRATION }]);
});

test('restores and migrates a backup from before the baseline replaced its migrations', async () => {
  const old = await givenDatabase();
  await restoreOldDatabase(asSuperuser(old), decodeURIComponent(new URL(old).username));
  const file = join(dir, 'replaced.backup');
  await backup(configOf(old), file);
  const url = await givenDatabase();

  await restore(configOf(url), file, { otherKey: false });

  const count =
    'select (select count(*) from commerce.orders) as orders, (select count(*) from commerce.variants) as variants';
  expect(await send(asSuperuser(url), count)).toEqual(await send(asSuperuser(old), count));
  const recorded = await send<{ name: string }>(url, 'select name from public.commerce_migrations order by id');
  expect(recorded.map(({ name }) => name)).toEqual(MIGRATION_NAMES);
});

test('rejects a backup older than the baseline, names its version, and leaves the database empty', async () => {
  const file = join(dir, 'too-old.backup');
  await rewrite(made, file, () => ['0001_foundation', '0002_catalogue']);
  const url = await givenDatabase();

  const refused = restore(configOf(url), file, { otherKey: false });

  await expect(refused).rejects.toThrow(
    /at migration 0002_catalogue\..* Check out commit 8ac8a862, restore the backup/,
  );
  expect(await schemaOf(url)).toBeNull();
});

test('restore rejects a truncated or altered backup file before it changes the database', async () => {
  const url = await givenDatabase();
  const whole = readFileSync(made);
  const file = join(dir, 'damaged.backup');
  const damages = Array.from({ length: 12 }, (_, i) => {
    const at = Math.floor(((i + 0.5) / 12) * whole.length);
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    return [whole.subarray(0, at), changed];
  }).flat();

  for (const bytes of [...damages, whole.subarray(0, whole.length - 1), Buffer.from('hello'), Buffer.alloc(0)]) {
    writeFileSync(file, bytes);
    await expect(restore(configOf(url), file, { otherKey: false })).rejects.toThrow('cannot be restored');
  }
  expect(await schemaOf(url)).toBeNull();
});

test('restore rejects a database that already contains a site, and leaves it unchanged', async () => {
  const before = await contentsOf(asSuperuser(shop));

  await expect(restore(configOf(shop), made, { otherKey: false })).rejects.toThrow('it has 1 site');

  expect(await contentsOf(asSuperuser(shop))).toEqual(before);
});

test('restore rejects a database to which another program is connected', async () => {
  const url = await givenDatabase();
  const other = new pg.Client({ connectionString: url, application_name: 'commerce' });
  await other.connect();

  await expect(restore(configOf(url), made, { otherKey: false })).rejects.toThrow('Another program (commerce)');
  await other.end();
});

test('rejects a backup of a newer release and names its migration', async () => {
  const file = join(dir, 'newer.backup');
  await rewrite(made, file, (migrations) => [...migrations, '9999_from_the_future']);

  await expect(restore(configOf(await givenDatabase()), file, { otherKey: false })).rejects.toThrow(
    'the migration 9999_from_the_future, which this release does not have',
  );
});

async function rewrite(source: string, file: string, change: (migrations: string[]) => string[]): Promise<void> {
  await pipeline(
    async function* frames() {
      yield opening();
      for await (const frame of readFrames(source)) {
        if (frame.kind === 'header') frame.header.migrations = change(frame.header.migrations);
        yield encode(frame);
      }
    },
    createGzip(),
    createWriteStream(file),
  );
}

test('a backup fails at a table that the backup role cannot read; a failed backup keeps the previous file', async () => {
  const url = await givenDatabase({ migrated: true });
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());

  await client.query('drop policy backup on commerce.orders');
  const bytes = dump(client, { release: '', secret_key: '' }, () => undefined);
  await expect(bytes.next()).rejects.toThrow('hides rows of commerce.orders');

  const file = join(dir, 'kept.backup');
  writeFileSync(file, 'the last one');
  const nobody = Object.assign(new URL(url), { pathname: '/none_such' }).href;
  await expect(backup(configOf(nobody), file)).rejects.toThrow('does not exist');
  expect(readFileSync(file, 'utf8')).toBe('the last one');
  expect(readdirSync(dir).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a backup by a login that may not act as the backup role fails, and the error suggests doctor', async () => {
  const url = await givenDatabase({ migrated: true });
  const login = `plain_${randomBytes(4).toString('hex')}`;
  await send(asSuperuser(url), `create role ${login} login password 'plain'`);
  onTestFinished(async () => {
    await send(superuserUrl(), `drop role ${login}`);
  });
  const plain = Object.assign(new URL(url), { username: login, password: 'plain' }).href;

  const refused = backup(configOf(plain), join(dir, 'plain.backup'));

  await expect(refused).rejects.toThrow('Run commerce-server doctor');
});

/** A backup of a database with two shops, each with a mail in the queue. Returns their site ids. */
async function givenBackupOfTwo(): Promise<{ file: string; sites: string[] }> {
  const url = await givenDatabase({ migrated: true });
  for (const name of ['Alder', 'Finch']) {
    await printedBy(() => createSite(configOf(url), { name, currency: 'EUR', input: false }));
  }
  const rows = await send<{ site_id: string }>(asSuperuser(url), 'select site_id from commerce.sites order by 1');
  const sites = rows.map(({ site_id }) => site_id);
  for (const site_id of sites) {
    const mail = JSON.stringify({ site_id, template: 'order_confirmation' });
    await send(url, `select graphile_worker.add_job('send_mail', $1::json)`, [mail]);
  }
  const file = join(dir, `${sites[0]}.backup`);
  await backup(configOf(url), file);
  return { file, sites };
}

test('a restore of several shops requires the ids of moved shops, closes these shops, leaves none of their mails due, and with `--moved none` leaves all open', async () => {
  const { file, sites } = await givenBackupOfTwo();
  const [moved, stayed] = sites;
  const url = await givenDatabase();

  await expect(restore(configOf(url), file, { otherKey: false })).rejects.toThrow(
    /The backup has 2 sites\. Name those that moved .* --moved none/,
  );
  await expect(restore(configOf(url), file, { otherKey: false, moved: ['alder'] })).rejects.toThrow('not a site_id');
  expect(await schemaOf(url)).toBeNull();
  const stranger = '01a202fe-a50b-71ba-b73e-d11a8e6865e3';
  await expect(restore(configOf(url), file, { otherKey: false, moved: [moved ?? '', stranger] })).rejects.toThrow(
    `The backup has no site ${stranger}, which --moved names. Nothing was restored.`,
  );

  await restore(configOf(url), file, { otherKey: false, moved: [moved ?? ''] });

  const closed = await send(asSuperuser(url), 'select site_id from commerce.sites where moved_at is not null');
  expect(closed).toEqual([{ site_id: moved }]);
  const due = await send(
    url,
    `select payload->>'site_id' as site_id from graphile_worker._private_jobs
      where payload->>'template' = 'order_confirmation' and run_at < now() + interval '1 year'`,
  );
  expect(due).toEqual([{ site_id: stayed }]);

  const other = await givenDatabase();
  await restore(configOf(other), file, { otherKey: false, moved: ['none'] });
  expect(await send(asSuperuser(other), 'select moved_at from commerce.sites')).toEqual([
    { moved_at: null },
    { moved_at: null },
  ]);
});
