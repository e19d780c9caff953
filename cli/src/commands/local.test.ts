/** Tests `init` and `dev` without npm. installs/shop.test.ts tests the installation. */

import { existsSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATABASE, manifestOf } from '../local/packages.ts';
import { freePortFrom } from '../local/processes.ts';
import { folder, user } from '../testing.ts';

const at = (seconds: number) => `2026-03-02T20:15:0${seconds}.000Z`;
const LINES = [
  { level: 'info', time: at(1), method: 'GET', operation_id: 'storefront.listProducts', status: 200, duration_ms: 2 },
  { level: 'info', time: at(2), method: 'POST', operation_id: 'storefront.addCartItem', status: 409, error: 'sold' },
  { level: 'info', time: at(3), method: 'GET', operation_id: 'dashboard.listOrders', status: 401, duration_ms: 1 },
  { level: 'error', time: at(4), method: 'GET', status: 500, duration_ms: 9, cause: { message: 'It broke.' } },
  { level: 'warn', time: at(5), job: 'send_mail', msg: 'failed' },
];
const asText = (lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function log(lines: object[] = LINES) {
  const file = join(await folder(), 'server.jsonl');
  await writeFile(file, asText(lines));
  return file;
}

test.each([
  { filter: [], seconds: [1, 2, 3, 4, 5] },
  { filter: ['--lines', '2'], seconds: [4, 5] },
  { filter: ['--status', '4xx'], seconds: [2, 3] },
  { filter: ['--status', '401'], seconds: [3] },
  { filter: ['--surface', 'storefront'], seconds: [1, 2] },
  { filter: ['--surface', 'storefront', '--status', '2xx'], seconds: [1] },
  { filter: ['--path', '/api/storefront/cart/*'], seconds: [2] },
  { filter: ['--path', '/api/*/orders'], seconds: [3] },
  { filter: ['--level', 'warn'], seconds: [4, 5] },
])('logs tail $filter shows the matching lines', async ({ filter, seconds }) => {
  const { commerce } = await user();
  const file = await log();
  const { code, out } = await commerce(['logs', 'tail', '--no-follow', '--file', file, ...filter, '--json']);
  expect(code).toBe(0);
  const shown = out.trim().split('\n').filter(Boolean);
  expect(shown.map((line) => JSON.parse(line).time)).toEqual(seconds.map(at));
});

test('`logs tail` shows status, operation and error, and removes control characters', async () => {
  const { commerce } = await user();
  const evil = { ...LINES[3], operation_id: 'x\u001b[2Jy' };
  const { out } = await commerce(['logs', 'tail', '--no-follow', '--file', await log([...LINES.slice(0, 3), evil])]);
  expect(out).toContain('  409  POST  storefront.addCartItem  sold');
  expect(out).toContain('It broke.');
  expect(out).not.toContain('\u001b');
});

test('`logs tail` follows a log until Ctrl-C, even if the log is truncated', async () => {
  const { begin } = await user();
  const file = await log();
  const running = begin(['logs', 'tail', '--file', file, '--lines', '1', '--json']);
  await expect.poll(() => running.out()).toContain(at(5));
  await appendFile(file, asText([{ ...LINES[0], time: at(6) }]));
  await expect.poll(() => running.out()).toContain(at(6));
  await writeFile(file, asText([{ ...LINES[0], time: at(7) }]));
  await expect.poll(() => running.out()).toContain(at(7));
  running.interrupt();
  expect((await running.ended).code).toBe(0);
  expect(running.out().trim().split('\n')).toHaveLength(3);
});

test('`logs tail` reports a missing log and an invalid status', async () => {
  const { commerce } = await user();
  const missing = await commerce(['logs', 'tail', '--file', join(await folder(), 'none')]);
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('commerce dev') });
  expect((await commerce(['logs', 'tail', '--status', '4'])).code).toBe(2);
});

test('`init` creates the files of a shop, and rejects a folder that is not empty', async () => {
  const { commerce } = await user();
  const place = join(await folder(), 'My Shop');
  const made = await commerce(['init', place, '--no-install', '--json']);
  expect(JSON.parse(made.out)).toEqual({ folder: place, next: [`cd ${place}`, 'npm install', 'npm run dev'] });
  const manifest = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: 'my-shop', private: true, scripts: { dev: 'commerce dev' } });
  for (const file of ['.gitignore', 'README.md', 'agent.js', 'storefront/server.js', 'storefront/style.css']) {
    expect(await readFile(join(place, file), 'utf8'), file).not.toBe('');
  }
  expect(await commerce(['init', place])).toMatchObject({ code: 2, err: expect.stringContaining('is not empty') });
});

test('`init` names a missing tarball, and creates nothing', async () => {
  const { commerce } = await user();
  const place = join(await folder(), 'shop');
  const { code, err } = await commerce(['init', place, '--from', await folder()]);
  expect(code).toBe(2);
  expect(err).toContain('npm pack --workspace cli');
  expect(existsSync(place)).toBe(false);
});

test("a new shop depends on the server's version of the database packages, and on the npm package of Node 24 if the installed Node is older", async () => {
  const server = new URL('../../../server/package.json', import.meta.url);
  const { peerDependencies } = JSON.parse(await readFile(server, 'utf8'));
  expect(peerDependencies).toMatchObject(DATABASE);
  expect(manifestOf('shop', {}, '20.19.0').dependencies).toHaveProperty('node');
  expect(manifestOf('shop', {}, '24.0.0').dependencies).not.toHaveProperty('node');
});

test('if there is a demo shop, a command without a login suggests the demo login', async () => {
  const data = await folder();
  await writeFile(join(data, 'demo.json'), '{}');
  const { commerce } = await user({ DATA_DIR: data });
  expect((await commerce(['orders', 'list'])).err).toContain('What to do: commerce login --demo, or set');
});

test.each(['127.0.0.1', '0.0.0.0'])('the search for a free port skips a port that is in use at %s', async (host) => {
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, host, listening));
  const { port } = taken.address() as AddressInfo;
  expect(await freePortFrom(port)).toBeGreaterThan(port);
  await new Promise((closed) => taken.close(closed));
  expect(await freePortFrom(port)).toBe(port);
});

test('`dev` in a folder without a shop names the command that creates one', async () => {
  const { commerce } = await user();
  const { code, err } = await commerce(['dev', await folder()]);
  expect(code).toBe(2);
  expect(err).toContain('npx @commerce-backend/cli init my-shop');
});
