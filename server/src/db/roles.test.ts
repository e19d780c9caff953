import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../test/send-statement.ts';
import { examine } from '../commands/doctor.ts';
import { prepareSchema } from '../commands/schema.ts';
import { BASELINE } from './baseline.ts';
import { type Embedded, startEmbedded } from './embedded.ts';

/** A separate cluster, because these tests drop roles, which all databases of a cluster share. */
let cluster: Embedded;
let dataDir = '';

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'commerce-roles-'));
  chmodSync(dataDir, 0o711);
  cluster = await startEmbedded({ dataDir, durable: false });
  await prepareSchema(cluster.url);
}, 300_000);

afterAll(async () => {
  await cluster?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 300_000);

const ROLES = 'commerce_app, commerce_search, commerce_sweep, commerce_backup, commerce_backup_members';

/** Drops the roles, as if a dump was restored on a cluster without them. */
const LOSE_ROLES = `
  reassign owned by commerce_search to postgres;
  drop owned by ${ROLES};
  drop role ${ROLES};
  grant execute on function commerce.enqueue, commerce.enqueue_all, commerce.enqueue_delivery, commerce.enqueue_deliveries
    to public;`;

/** Privileges of all roles except the owner, one per line. */
async function accessOf(url: string): Promise<unknown[]> {
  return send(
    url,
    `select 'table ' || c.oid::regclass || ' ' || a.grantee::regrole || ' ' || a.privilege_type as line
      from pg_class c, aclexplode(c.relacl) a
      where c.relnamespace in ('commerce'::regnamespace, 'graphile_worker'::regnamespace, 'public'::regnamespace)
        and a.grantee <> c.relowner
    union all select 'schema ' || n.nspname || ' ' || a.grantee::regrole || ' ' || a.privilege_type
      from pg_namespace n, aclexplode(n.nspacl) a where n.nspname in ('commerce', 'graphile_worker') and a.grantee <> n.nspowner
    union all select 'function ' || p.oid::regprocedure || ' of ' || p.proowner::regrole || ' '
        || case a.grantee when 0 then 'everybody' else a.grantee::regrole::text end
      from pg_proc p, aclexplode(p.proacl) a where p.pronamespace = 'commerce'::regnamespace
    union all select 'default ' || d.defaclobjtype::text || ' ' || a.grantee::regrole || ' ' || a.privilege_type
      from pg_default_acl d, aclexplode(d.defaclacl) a where a.grantee <> d.defaclrole
    union all select 'policy ' || tablename || ' ' || policyname || ' ' || roles::text || ' ' || cmd || ' ' || qual
      from pg_policies
    union all select 'member ' || m.member::regrole || ' ' || m.roleid::regrole || ' ' || m.inherit_option::text || m.set_option::text
      from pg_auth_members m where m.roleid::regrole::text like 'commerce_%'
    order by 1`,
  );
}

/** The findings of `commerce-server doctor` about roles. */
async function findings(): Promise<unknown[]> {
  const found = await examine({ DATABASE_URL: cluster.url, DATA_DIR: dataDir });
  return found.filter(({ check }) => check === 'role' || check === 'access');
}

test('migrate restores every role, grant and policy that a restored dump lacks', {
  timeout: 300_000,
}, async () => {
  const before = await accessOf(cluster.superuserUrl);
  await send(cluster.superuserUrl, LOSE_ROLES);
  expect(await findings()).toMatchObject([
    { state: 'wrong', mend: 'Run commerce-server migrate.' },
    { state: 'wrong', mend: 'Run commerce-server migrate.' },
  ]);

  const { applied, mended } = await prepareSchema(cluster.url);

  expect(applied).toEqual([]);
  expect(mended).toEqual(
    expect.arrayContaining(['role commerce_app', 'role commerce_backup', expect.stringMatching(/^\d+ policies$/)]),
  );
  expect(await accessOf(cluster.superuserUrl)).toEqual(before);
  expect(await findings()).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
  expect(await prepareSchema(cluster.url)).toEqual({ applied: [], mended: [] });
});

test('two processes that start together create missing roles and grants, and a further start changes nothing', {
  timeout: 300_000,
}, async () => {
  await send(cluster.superuserUrl, LOSE_ROLES);

  await Promise.all([prepareSchema(cluster.url), prepareSchema(cluster.url)]);

  expect(await prepareSchema(cluster.url)).toEqual({ applied: [], mended: [] });
});

test("row-level security hides tenants' rows from the owner until the owner switches to the backup role", {
  timeout: 300_000,
}, async () => {
  const site = `insert into commerce.sites (site_id, merchant_id, merchant_name, currency, currency_digits)
    values (gen_random_uuid(), gen_random_uuid(), 'Alder', 'EUR', 2) returning site_id`;
  await send(cluster.superuserUrl, site);
  await send(
    cluster.superuserUrl,
    `insert into commerce.site_settings (site_id, name) select site_id, 'A' from commerce.sites`,
  );

  await expect(send(cluster.url, 'select * from commerce.site_settings')).rejects.toThrow('app.site_id');
  const client = new pg.Client(cluster.url);
  await client.connect();
  await client.query('set role commerce_backup');
  const { rowCount } = await client.query('select from commerce.site_settings');
  // With a tenant set, only the missing privilege can be the reason for the rejection.
  await client.query(`set app.site_id = '00000000-0000-0000-0000-000000000000'`);
  const write = client.query(`update commerce.site_settings set name = 'B'`);
  await expect(write).rejects.toThrow('permission denied');
  await client.end();
  expect(rowCount).toBe(1);
});

test('migrate prints the statements for a superuser if the login may not create roles', {
  timeout: 300_000,
}, async () => {
  await send(cluster.superuserUrl, `create role plain login password 'plain'`);
  await send(cluster.superuserUrl, 'create database plain owner plain');
  const url = Object.assign(new URL(cluster.url), { username: 'plain', password: 'plain', pathname: '/plain' }).href;

  const refused = await prepareSchema(url).then(String, String);

  expect(refused).toContain('plain may not create the roles');
  const statements = refused.slice(refused.indexOf('grant'));
  expect(statements).toContain('grant commerce_app to "plain" with admin option;');
  await send(cluster.superuserUrl, statements);
  expect((await prepareSchema(url)).applied).toContain(BASELINE);
});

test('migrate reports tables that belong to another login before anything else fails', {
  timeout: 300_000,
}, async () => {
  await send(cluster.superuserUrl, 'create database foreign_tables owner commerce');
  const theirs = Object.assign(new URL(cluster.superuserUrl), { pathname: '/foreign_tables' }).href;
  await send(theirs, 'create table public.commerce_migrations ()');
  const url = Object.assign(new URL(cluster.url), { pathname: '/foreign_tables' }).href;

  await expect(prepareSchema(url)).rejects.toThrow(/1 tables belong to postgres.*pg_restore --no-owner/);
});
