import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../server/src/db/free-port.ts';
import { answering, done, emptyFolder, ownEnvironment, pack } from './outside.ts';

/**
 * The first steps of a new user in an empty folder with only the packed tarballs: init, dev, edit a page, read the log.
 */

let folder: string;
let shop: string;
let remove: () => Promise<void>;
let running: ChildProcess;
let storefront: string;
let server: string;
let said = '';

beforeAll(async () => {
  ({ folder, remove } = await emptyFolder());
  shop = join(folder, 'my-shop');
  const tarballs = new Map<string, string>();
  for (const workspace of ['spec', 'sdk', 'cli', 'server']) tarballs.set(workspace, await pack(workspace, folder));
  const init = [
    'npx',
    '--yes',
    '--package',
    tarballs.get('cli') ?? '',
    '--',
    'commerce',
    'init',
    'my-shop',
    '--from',
    '.',
  ];
  expect(await done(folder, init, { npm_config_prefer_offline: 'true' })).toContain('npm run dev');
  await dev();
}, 300_000);

afterAll(async () => {
  running?.kill('SIGKILL');
  await gone();
  await remove?.();
}, 60_000);

/** Starts the shop on free ports, and waits until the storefront answers. */
async function dev(): Promise<void> {
  said = '';
  const [port, storefrontPort] = [await freePort(), await freePort()];
  storefront = `http://localhost:${storefrontPort}`;
  server = `http://localhost:${port}`;
  const ports = ['--port', String(port), '--storefront-port', String(storefrontPort)];
  const commerce = join(shop, 'node_modules/@commerce-backend/cli/bin/commerce.js');
  running = spawn(process.execPath, [commerce, 'dev', ...ports, '--json'], { cwd: shop, env: ownEnvironment() });
  running.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  await answering(storefront, running);
}

/** Waits until neither the server nor the storefront listens on its port. */
async function gone(): Promise<void> {
  const answers = (address: string) =>
    fetch(address).then(
      () => true,
      () => false,
    );
  while ((await answers(storefront)) || (await answers(server))) await sleep(100);
}

test('`dev` prints the URLs and a login that works in the panel', async () => {
  const { panel, login, api } = JSON.parse(said);
  expect((await fetch(panel)).status).toBe(200);
  const [email, password] = login.split(/ +/);
  const session = await fetch(`${api}/dashboard/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify({ email, password }),
  });
  expect(session.status).toBe(200);
});

test('the storefront adds a product to the cart, and opens a checkout that links back to the storefront', async () => {
  const [, path] = /href="(\/products\/[^"]+)"/.exec(await textOf('/')) ?? [];
  const [, variant_id = ''] = /option value="([^"]+)"/.exec(await textOf(path ?? '')) ?? [];
  const added = await send('/cart', new URLSearchParams({ variant_id }));
  const cookie = added.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(await textOf('/cart', cookie)).toContain('Go to the checkout');
  const checkout = await send('/checkout', new URLSearchParams(), cookie);
  const page = await fetch(checkout.headers.get('location') ?? '');
  expect(page.status).toBe(200);
  expect(await page.text()).toContain(`href="${storefront}/`);
});

test('the agent of a new shop finds a product and prepares a purchase', async () => {
  expect(await done(shop, ['npm', 'run', '--silent', 'agent', '--', '--auto-approve'])).toContain(
    `Confirm it at ${server}/checkout/`,
  );
});

test("the storefront escapes a shopper's search query", async () => {
  expect(await textOf('/?q=%22%3E%3Cscript%3E')).not.toContain('"><script>');
  expect((await fetch(`${storefront}/products/none`)).status).toBe(404);
});

test('the storefront rejects malformed requests without crashing', async () => {
  const { hostname, port } = new URL(storefront);
  for (const path of ['//', '/products/%ff', '/../etc/passwd', '/style.css/..%2f']) {
    const status = await new Promise((answered, failed) => {
      get({ hostname, port, path }, (response) => answered(response.resume().statusCode)).on('error', failed);
    });
    expect(status, path).toBe(404);
  }
  expect((await send('/cart', new URLSearchParams({ variant_id: 'x'.repeat(20_000) }))).status).toBe(500);
  expect((await fetch(storefront)).status).toBe(200);
});

test('the storefront serves a changed page shortly after it was saved, and reloads open pages', async () => {
  const file = join(shop, 'storefront/server.js');
  const changes = await fetch(`${storefront}/_changes`);
  const ended = changes.text().then(
    () => 'ended',
    () => 'ended',
  );
  await writeFile(file, (await readFile(file, 'utf8')).replace('Things for your home', 'Lovely things'));
  expect(await ended).toBe('ended');
  while (!(await textOf('/').catch(() => '')).includes('Lovely things')) await sleep(50);
});

test("the log of `dev` contains the storefront's requests", async () => {
  const tail = [
    'npx',
    '--no',
    '--',
    'commerce',
    'logs',
    'tail',
    '--no-follow',
    '--path',
    '/api/storefront/products',
    '--json',
  ];
  const [line] = (await done(shop, tail)).split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({ operation_id: 'storefront.listProducts', status: 200 });
});

test('the server and the storefront exit on Ctrl-C, and when `dev` is killed', async () => {
  const ended = new Promise((exited) => running.once('exit', exited));
  running.kill('SIGINT');
  expect(await ended).toBe(0);
  await expect(fetch(storefront)).rejects.toThrow();
  await expect(fetch(server)).rejects.toThrow();
  await dev();
  running.kill('SIGKILL');
  await gone();
});

test('the storefront and the agent run with the mocks, without a server', async () => {
  const port = String(await freePort());
  const commerce = join(shop, 'node_modules/@commerce-backend/cli/bin/commerce.js');
  const options = { cwd: shop, env: { ...ownEnvironment(), DEMO_FILE: 'mock.json' } };
  const mock = spawn(process.execPath, [commerce, 'mock', '--port', port, '--credentials', 'mock.json'], options);
  onTestFinished(() => void mock.kill());
  while (!existsSync(join(shop, 'mock.json'))) await sleep(50);
  const own = `http://localhost:${await freePort()}`;
  const env = { ...options.env, PORT: new URL(own).port };
  const pages = spawn(process.execPath, ['storefront/server.js'], { ...options, env });
  onTestFinished(() => void pages.kill());
  await answering(own, pages);
  expect(await (await fetch(own)).text()).toContain('href="/products/');
  expect(
    await done(shop, ['npm', 'run', '--silent', 'agent', '--', '--auto-approve'], { DEMO_FILE: 'mock.json' }),
  ).toContain(`Confirm it at http://localhost:${port}/checkout/`);
});

async function textOf(path: string, cookie = ''): Promise<string> {
  return (await fetch(storefront + path, { headers: { cookie } })).text();
}

function send(path: string, body: URLSearchParams, cookie = ''): Promise<Response> {
  return fetch(storefront + path, { method: 'POST', body, headers: { cookie }, redirect: 'manual' });
}
