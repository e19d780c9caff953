import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../../test/other-server.ts';
import { freePort } from '../db/free-port.ts';
import { examine } from './doctor.ts';

const SERVER = join(import.meta.dirname, '../main.ts');

async function givenDatabase() {
  const { url, ownerUrl, drop } = await newDatabase({ migrated: true });
  onTestFinished(async () => {
    await drop();
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-request-path-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  return { ownerUrl, env: { DATABASE_URL: url, DATA_DIR: dataDir } };
}

/** Makes PostgreSQL evaluate `app.site_id` while it plans the statement that claims an Idempotency-Key. */
async function breakPlanning(ownerUrl: string): Promise<void> {
  const client = new pg.Client(ownerUrl);
  await client.connect();
  await client
    .query('alter policy tenant on commerce.idempotency_keys using (site_id >= commerce.current_site())')
    .finally(() => client.end());
}

/** The exit code and output of a server that starts. */
async function startOf(env: Record<string, string>): Promise<{ code: unknown; printed: string }> {
  const PORT = String(await freePort());
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [SERVER, 'start'],
      { env: { PATH, NODE_COMPILE_CACHE, PORT, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code, printed: stdout + stderr }),
    );
  });
}

const MESSAGE = /PostgreSQL \d+[.\d]*.* cannot run the statement that begins each request: .*"app\.site_id" \(42704\)/;

test('doctor reports a database that cannot run the first statement of each mutation on a new connection', async () => {
  const { env, ownerUrl } = await givenDatabase();
  const requests = async () => (await examine(env)).filter(({ check }) => check === 'requests');

  const well = await requests();
  await breakPlanning(ownerUrl);
  const broken = await requests();

  expect(well).toMatchObject([{ state: 'ok' }]);
  expect(broken).toMatchObject([{ state: 'wrong', found: expect.stringMatching(MESSAGE) }]);
});

test('the server does not start on a database that cannot run the first statement of each mutation', async () => {
  const { env, ownerUrl } = await givenDatabase();
  await breakPlanning(ownerUrl);

  const { code, printed } = await startOf(env);

  expect(code).toBe(1);
  expect(printed).toMatch(MESSAGE);
}, 60_000);
