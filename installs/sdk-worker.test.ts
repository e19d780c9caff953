import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openShop } from '../server/test/shop.ts';
import { emptyFolder, install, pack } from './outside.ts';

/** Tests the packed SDK in workerd, the runtime of Cloudflare Workers, which has only web APIs. */

/** The last workerd version whose binaries are all available on npm. */
const WORKERD = '1.20261023.1';

let folder: string;
let remove: () => Promise<void>;
let worker: ChildProcess | undefined;

const WORKER = `
import { createCartSession, createStorefrontClient, unwrap, webhooks } from '@commerce-backend/sdk';
export default {
  async fetch(request, env) {
    const { variant_id, ...options } = JSON.parse(env.SHOP);
    const storefront = createStorefrontClient(options);
    const kept = new Map();
    const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, id) => kept.set(key, id), removeItem: (key) => kept.delete(key) };
    const { products } = await unwrap(storefront.GET('/api/storefront/products'));
    const { total } = await createCartSession(storefront, { storage }).add({ variant_id, quantity: 2 });
    const refused = await storefront.GET('/api/storefront/products/{id_or_slug}', { params: { path: { id_or_slug: 'nothing' } } });
    const secret = 'whsec_' + btoa('0123456789abcdef0123456789abcdef');
    const body = JSON.stringify({ event_id: crypto.randomUUID(), type: 'ping', data: {} });
    const { type } = await webhooks.verify(body, await webhooks.sign(body, secret), secret);
    return Response.json([products[0].name, total, refused.response.status, type]);
  },
};`;

/** Lists the installed modules for workerd, which resolves the imports of packages relative to the importing module. */
async function modules(): Promise<string> {
  const dist = 'node_modules/@commerce-backend/sdk/dist';
  const files = (await readdir(join(folder, dist))).filter((name) => name.endsWith('.js'));
  const named = [
    ['worker', 'worker.js'],
    ['@commerce-backend/sdk', `${dist}/index.js`],
    ['@commerce-backend/openapi-fetch', 'node_modules/openapi-fetch/dist/index.mjs'],
    ...files.map((name) => [`@commerce-backend/${name}`, `${dist}/${name}`]),
  ];
  return named.map(([name, file]) => `(name = "${name}", esModule = embed "${file}")`).join(', ');
}

const config = async (port: number) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${await modules()}],
      compatibilityDate = "2026-10-01",
      bindings = [(name = "SHOP", fromEnvironment = "SHOP")],
    )),
    (name = "internet", network = (allow = ["private", "public", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

beforeAll(async () => {
  ({ folder, remove } = await emptyFolder());
  await install(folder, await pack('sdk', folder), `workerd@${WORKERD}`);
  await writeFile(join(folder, 'worker.js'), WORKER);
}, 300_000);

afterAll(async () => {
  worker?.kill();
  await remove?.();
});

test('the SDK in a worker reads products, fills a cart, gets an error, and verifies a webhook', async () => {
  const { baseUrl, credentials, givenProduct } = await openShop();
  const { variants } = await givenProduct({ name: 'Slate mug', price: '14.00' });
  const { site_id: siteId, storefront_token: storefrontToken } = credentials;
  const port = await freePort();
  await writeFile(join(folder, 'config.capnp'), await config(port));
  const SHOP = JSON.stringify({ baseUrl, siteId, storefrontToken, variant_id: variants[0]?.id });
  let said = '';
  // Starts the binary directly, because the package's command would leave it running after the test.
  const platform = `workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}`;
  worker = spawn(join(folder, 'node_modules/@cloudflare', platform, 'bin/workerd'), ['serve', 'config.capnp'], {
    ...{ cwd: folder, env: { ...process.env, SHOP } },
  });
  worker.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const answer = await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), { timeout: 30_000, interval: 200 });
  expect(answer.status, said).toBe(200);
  expect(await answer.json()).toEqual(['Slate mug', '28.00', 404, 'ping']);
});
