import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { catalogueOf } from '../../test/catalogue.ts';
import { restoreOldDatabase } from '../../test/old-database.ts';
import { send } from '../../test/send-statement.ts';
import { databaseUrl, superuserUrl } from '../../test/worker-database.ts';
import { examine } from '../commands/doctor.ts';
import { prepareSchema } from '../commands/schema.ts';
import { BASELINE } from './baseline.ts';
import { MIGRATION_NAMES } from './migrate.ts';

const owner = () => decodeURIComponent(new URL(databaseUrl()).username);

async function givenDatabase(): Promise<string> {
  const name = `baseline_${randomBytes(6).toString('hex')}`;
  await send(superuserUrl(), `create database ${name} owner ${pg.escapeIdentifier(owner())}`);
  onTestFinished(async () => {
    await send(superuserUrl(), `drop database ${name} with (force)`);
  });
  return Object.assign(new URL(databaseUrl()), { pathname: `/${name}` }).href;
}

/** Creates a database with the migrations 0001 to 0195 and a demo shop. */
async function givenOldDatabase(): Promise<string> {
  const url = await givenDatabase();
  await restoreOldDatabase(asSuperuser(url), owner());
  return url;
}

function asSuperuser(url: string): string {
  return Object.assign(new URL(superuserUrl()), { pathname: new URL(url).pathname }).href;
}

async function recordedIn(url: string): Promise<unknown[]> {
  return send(url, 'select id, name from public.commerce_migrations order by id');
}

/** Row counts of all tables, and checksums of some. */
async function rowsIn(url: string): Promise<unknown[]> {
  return send(
    asSuperuser(url),
    `select (select count(*) from commerce.products) as products, (select count(*) from commerce.orders) as orders,
      (select md5(string_agg(v::text, '' order by id)) from commerce.variants v) as variants,
      (select md5(string_agg(c::text, '' order by id)) from commerce.collections c) as collections`,
  );
}

test('the baseline creates the schema that it replaces, and a database at the baseline is adopted once and keeps its rows', async () => {
  const [old, fresh] = [await givenOldDatabase(), await givenDatabase()];
  const later = MIGRATION_NAMES.filter((name) => name > BASELINE);

  // Roles, rights and policies are part of the catalogue.
  await prepareSchema(fresh, undefined, BASELINE);
  const [before, after] = [await catalogueOf(asSuperuser(old)), await catalogueOf(asSuperuser(fresh))];
  expect(after.relation?.length).toBeGreaterThan(300);
  for (const [kind, lines] of Object.entries(before)) expect(after[kind], kind).toEqual(lines);

  // doctor reports only later migrations as missing.
  const findings = await examine({ DATABASE_URL: old });
  expect(findings.find(({ check }) => check === 'migrations')?.found).toBe(`missing: ${later.join(', ')}`);

  const [rowsBefore, recordedBefore] = [await rowsIn(old), await recordedIn(old)];
  const prepared = await Promise.all([prepareSchema(old), prepareSchema(old)]);
  expect(prepared.map(({ applied }) => applied).toSorted((a, b) => a.length - b.length)).toEqual([[], later]);
  const recorded = await recordedIn(old);
  expect(recorded.map((row) => (row as { name: string }).name)).toEqual(MIGRATION_NAMES);
  expect(recorded[0]).toEqual(recordedBefore.at(-1));
  expect(await rowsIn(old)).toEqual(rowsBefore);
  await prepareSchema(fresh);
  expect(await catalogueOf(asSuperuser(old))).toEqual(await catalogueOf(asSuperuser(fresh)));
});

test('rejects a database older than the baseline, names its version and the commit that can migrate it, and changes nothing', async () => {
  const url = await givenOldDatabase();
  await send(url, `delete from public.commerce_migrations where name > '0186_former_staff'`);
  const [catalogue, recorded] = [await catalogueOf(asSuperuser(url)), await recordedIn(url)];

  const refused = prepareSchema(url);

  await expect(refused).rejects.toThrow('The database is at migration 0186_former_staff.');
  await expect(refused).rejects.toThrow('Check out commit 8ac8a862, run its commerce-server migrate');
  expect(await catalogueOf(asSuperuser(url))).toEqual(catalogue);
  expect(await recordedIn(url)).toEqual(recorded);
  const findings = await examine({ DATABASE_URL: url });
  expect(findings.filter(({ check }) => check === 'migrations')).toMatchObject([
    {
      state: 'wrong',
      found: 'the database is at migration 0186_former_staff',
      mend: expect.stringContaining('8ac8a862'),
    },
  ]);
});
