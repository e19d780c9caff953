import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { findPostgres, type OwnCluster, PG_DUMP, startCluster } from '../../server/test/pg-tools.ts';
import { send } from '../../server/test/send-statement.ts';
import { skippedWithout } from '../../server/test/tools.ts';

const bin = findPostgres();
if (!bin) process.stderr.write(`${skippedWithout(PG_DUMP)}\n`);

const COMMANDS = join(import.meta.dirname, '../../server/bin/commerce-server.js');
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/production.md'), 'utf8');

/**
 * Returns the code block of docs/production.md that begins with `first`, with the path of the command in this checkout.
 */
function block(first: string): string {
  const found = [...PAGE.matchAll(/```sh(?: own-test)?\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const text = found.find((one) => one.startsWith(first));
  if (!text) throw new Error(`docs/production.md has no block that begins with ${first}`);
  return text.replaceAll('npx commerce-server', `'${process.execPath}' '${COMMANDS}'`);
}

describe.skipIf(!bin)('the documented backup with pg_dump', () => {
  let dir = '';
  let from: OwnCluster;
  let to: OwnCluster;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'commerce-pg-dump-'));
    chmodSync(dir, 0o711);
    from = await startCluster(bin ?? '', join(dir, 'from'));
    to = await startCluster(bin ?? '', join(dir, 'to'));
    for (const { url } of [from, to]) {
      await send(url, `create role commerce login createrole password 'pw'`);
      await send(url, 'create database commerce owner commerce');
    }
    await prepareSchema(login(from));
    await fill(login(from));
    expect(run(block('pg_dump'), login(from))).toMatchObject({ status: 0 });
  }, 300_000);

  afterAll(async () => {
    await from?.stop();
    await to?.stop();
    rmSync(dir, { recursive: true, force: true });
  }, 300_000);

  function login({ url }: OwnCluster, name = 'commerce'): string {
    return Object.assign(new URL(url), { username: name, password: 'pw', pathname: '/commerce' }).href;
  }

  function asSuperuser({ url }: OwnCluster): string {
    return Object.assign(new URL(url), { pathname: '/commerce' }).href;
  }

  function run(command: string, url: string) {
    const { PATH, HOME } = process.env;
    const env = {
      PATH: `${bin}:${PATH}`,
      HOME,
      DATABASE_URL: url,
      DATA_DIR: join(dir, 'data'),
      SECRET_KEY: 'kP4vXq7ZtN2mWs9RbY6cHd1LfJ8gTe3U5oAi0KxE',
    };
    return spawnSync('bash', ['-ec', command], { cwd: dir, env, encoding: 'utf8' });
  }

  /** Creates two tenants, so that row-level security would hide rows from a login without a tenant. */
  async function fill(url: string): Promise<void> {
    await send(
      asSuperuser(from),
      `insert into commerce.sites (site_id, merchant_id, merchant_name, currency, currency_digits)
         select gen_random_uuid(), gen_random_uuid(), 'Shop ' || n, 'EUR', 2 from generate_series(1, 2) n;
       insert into commerce.site_settings (site_id, name) select site_id, merchant_name from commerce.sites`,
    );
    await send(url, `select graphile_worker.add_job('send_mail', '{}')`);
  }

  test('a database owner who is not a superuser can dump every tenant, and restore them in a new cluster', async () => {
    const restored = run(block('npx commerce-server migrate --roles'), login(to));

    expect(restored).toMatchObject({ status: 0, stdout: expect.stringMatching(/No problems found\.\n$/) });
    const counts = `select (select count(*)::int from commerce.site_settings) as settings,
      (select count(*)::int from graphile_worker._private_jobs) as jobs`;
    expect(await send(asSuperuser(to), counts)).toEqual([{ settings: 2, jobs: 1 }]);
  }, 300_000);

  test('a backup login can dump every row, and pg_dump fails instead of omitting rows if the backup policies are missing', async () => {
    await send(login(from), `create role nightly login password 'pw' in role commerce_backup`);
    const dump = 'pg_dump --format=custom --enable-row-security --file=nightly.dump "$DATABASE_URL"';
    expect(run(dump, login(from, 'nightly'))).toMatchObject({ status: 0 });

    await send(login(from), 'drop policy backup on commerce.site_settings');
    const { status, stderr } = run(dump, login(from, 'nightly'));

    expect(status).toBe(1);
    expect(stderr).toContain('app.site_id');
  }, 300_000);
});
