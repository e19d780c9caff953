import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../server/src/db/free-port.ts';
import { databaseUrl } from '../server/test/worker-database.ts';
import { answering, done, emptyFolder, installed, ownEnvironment, REPOSITORY, ran, stop } from './outside.ts';

/**
 * Tests the installation in docs/production.md: clones the last commit, runs `npm ci --omit=dev`, and starts the
 * server.
 */

/** Slightly above the numbers in docs/production.md. */
const MOST_PACKAGES = 325;
const MOST_MEGABYTES = 257;

let folder: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ folder, remove } = await emptyFolder());
  await done(folder, ['git', 'clone', '--quiet', '--depth', '1', `file://${REPOSITORY}`, '.']);
  await done(folder, ['npm', 'ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']);
}, 300_000);

afterAll(() => remove?.());

test('a production installation contains no development dependencies, and requires no build', async () => {
  for (const name of ['turbo', 'typescript', 'vitest', 'redoc', 'puppeteer-core', 'node']) {
    expect(existsSync(join(folder, 'node_modules', name)), name).toBe(false);
  }
  expect(existsSync(join(folder, 'sdk/dist')) || existsSync(join(folder, 'cli/dist'))).toBe(false);
  expect(await done(folder, ['git', 'status', '--porcelain'])).toBe('');
});

test('the installation has at most the documented number and size of packages', async () => {
  const { packages, megabytes } = await installed(folder);
  expect(packages).toBeLessThanOrEqual(MOST_PACKAGES);
  expect(megabytes).toBeLessThanOrEqual(MOST_MEGABYTES);
});

test('installing with an old version of Node fails with a message (exit code 1)', async () => {
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.11.0" } })';
  const command = [process.execPath, '--import', `data:text/javascript,${older}`, 'scripts/prepare.mjs'];
  const { code, out, err } = await ran(folder, command);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^This is Node 22\.11\.0: install Node 24 or newer, .+\.\n$/);
});

test('npm start serves the API and the API reference', async () => {
  const port = await freePort();
  const env = { DATABASE_URL: databaseUrl(), PORT: String(port), DATA_DIR: join(folder, '.data'), LOG_LEVEL: 'warn' };
  const site = ['npx', '--no', '--', 'commerce-server', 'site', 'create', '--name', 'Alder', '--currency', 'EUR'];
  const { site_id, storefront_token } = JSON.parse(await done(folder, site, env));
  const server = spawn('npm', ['start'], { cwd: folder, env: { ...ownEnvironment(), ...env }, detached: true });
  try {
    const baseUrl = `http://127.0.0.1:${port}`;
    await answering(`${baseUrl}/readyz`, server);
    const headers = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    const products = await fetch(`${baseUrl}/api/storefront/products`, { headers });
    expect(await products.json()).toMatchObject({ products: [], total: 0 });
    for (const path of ['/docs', '/docs/redoc.standalone.js', '/openapi.json']) {
      expect((await fetch(baseUrl + path)).status, path).toBe(200);
    }
  } finally {
    await stop(server);
  }
});
