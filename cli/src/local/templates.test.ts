/** Tests the error messages of the programs in a new shop. */

import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeServer, folder, refusal } from '../testing.ts';

const TEMPLATES = new URL('../../templates/', import.meta.url);
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Creates a folder with a modified program from the templates, and credentials of a shop. */
async function givenProgram(file: string, change: (text: string) => string, baseUrl: string): Promise<string> {
  const place = await folder();
  const text = change(await readFile(new URL(file, TEMPLATES), 'utf8'));
  await mkdir(join(place, 'storefront'));
  await writeFile(join(place, 'package.json'), '{"type": "module"}');
  await writeFile(join(place, file), text);
  await symlink(MODULES, join(place, 'node_modules'));
  const customers = [{ email: 'june@example.com', password: 'x' }];
  const demo = { base_url: baseUrl, site_id: 'site', storefront_token: 'stk_1', customers };
  await writeFile(join(place, 'demo.json'), JSON.stringify(demo));
  return place;
}

function run(place: string, file: string) {
  const env = { ...process.env, DEMO_FILE: join(place, 'demo.json'), PORT: '0' };
  const child = spawn(process.execPath, [file], { cwd: place, env });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  return { printed: () => printed.join(''), ended };
}

test('agent.js reports a typo with its stack and line, not as an unreachable server', async () => {
  const typo = (text: string) => text.replace('await requestConsent(', 'await requestConsnt(');
  const agent = run(await givenProgram('agent.js', typo, 'http://127.0.0.1:9'), 'agent.js');
  await agent.ended;
  expect(agent.printed()).toMatch(/ReferenceError: requestConsnt is not defined\n\s+at .*agent\.js:\d+/);
  expect(agent.printed()).not.toContain('Is the shop running?');
});

test('agent.js explains how to start the shop if it is not running', async () => {
  const agent = run(await givenProgram('agent.js', (text) => text, 'http://127.0.0.1:9'), 'agent.js');
  await agent.ended;
  expect(agent.printed()).toContain('Is the shop running? Start it in another terminal: npm run dev');
  expect(agent.printed()).not.toMatch(/\n\s+at /);
});

test('the storefront prints a call to an unknown API path in the terminal', async () => {
  const message = 'The API has no path /api/storefront/prodcts.';
  const server = await fakeServer({
    'GET /api/storefront/collections': { body: { collections: [] } },
    'GET /api/storefront/prodcts': refusal(404, 'not_found', message),
  });
  const typo = (text: string) => text.replace("'/api/storefront/products',", "'/api/storefront/prodcts',");
  // Makes the program listen on a free port and print it.
  const ready = (text: string) =>
    typo(text).replace(
      '}).listen(Number(PORT), () =>',
      "}).listen(0, function () { console.log('port ' + this.address().port); }); (() =>",
    );
  const storefront = run(await givenProgram('storefront/server.js', ready, server.url), 'storefront/server.js');
  await vi.waitFor(() => expect(storefront.printed()).toMatch(/port \d+/), { timeout: 15_000 });
  const [, port] = /port (\d+)/.exec(storefront.printed()) ?? [];
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  expect(storefront.printed()).toContain(message);
  expect(storefront.printed()).toMatch(/at .*server\.js:\d+/);
});
