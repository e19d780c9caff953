import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type Answers, closedServer, fakeServer, folder, loggedIn, refusal, user } from '../testing.ts';

const ME = {
  ...{ staff: null, scopes: ['read', 'write'] },
  api_key: { id: 'k', secret_prefix: 'key_abc', description: 'Till', scopes: ['read'] },
  merchant: { id: 'm', name: 'Alder & Finch', site_id: 's' },
};

const SETUP = contract.components.examples.Setup.value;

const shop = (answers: Answers = {}) =>
  fakeServer({
    'GET /healthz': { body: {} },
    'GET /api/dashboard/me': { body: ME },
    'GET /api/dashboard/setup': { body: SETUP },
    ...answers,
  });

test('status shows the server, the login and the shop', async () => {
  const { url } = await shop();
  const { commerce } = await loggedIn(url);
  const { code, out } = await commerce(['status']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Server +http:\S+, answers in \d+ ms\nProfile +none: COMMERCE_API_KEY\n/);
  expect(out).toMatch(
    /\nLogin +API key key_abc…\nShop +Alder & Finch\nSetup +The shop cannot sell yet. See: commerce setup\n$/,
  );
  expect(JSON.parse((await commerce(['status', '--json'])).out)).toMatchObject({
    server: { url, reachable: true },
    ...{ profile: null, shop: { name: 'Alder & Finch' } },
  });
});

test('lists setup steps with their state and commands, and states whether the shop can sell', async () => {
  const { url } = await shop();
  const { commerce } = await loggedIn(url);
  const { code, out } = await commerce(['setup']);
  expect(code).toBe(0);
  expect(out).toContain('✓ The shop delivers.\n');
  expect(out).toContain('✗ Shoppers have no way to pay.');
  expect(out).toContain('\n    commerce settings set bank_details account_holder=');
  expect(out).toMatch(/\n\nThe shop cannot sell yet\.\n$/);
  const sold = { can_sell: true, items: SETUP.items.map((item) => ({ ...item, done: true, next: null })) };
  const { url: ready } = await shop({ 'GET /api/dashboard/setup': { body: sold } });
  expect((await (await loggedIn(ready)).commerce(['setup'])).out).toMatch(/\n\nThe shop can sell\.\n$/);
});

test('status reports an invalid login (exit code 3) or an unreachable server (4)', async () => {
  const { url } = await shop({ 'GET /api/dashboard/me': refusal(401, 'invalid_token', 'Revoked.') });
  const revoked = await (await loggedIn(url)).commerce(['status']);
  expect(revoked.code).toBe(3);
  expect(revoked.out).toContain('none that is valid');
  const stranger = await (await user({ COMMERCE_URL: url })).commerce(['status']);
  expect(stranger.code).toBe(3);
  expect(stranger.out).toMatch(/answers in .*\nProfile +default\n/);
  const gone = await (await loggedIn((await closedServer()).url)).commerce(['status']);
  expect(gone.code).toBe(4);
  expect(gone.out).toContain('does not answer');
});

test('if the server rejects an API key for a command, the CLI suggests logging in with e-mail and password (exit code 3)', async () => {
  const { url } = await shop({ 'GET /api/dashboard/api-keys': refusal(401, 'unauthorized', 'Send mch_….') });
  const { code, err } = await (await loggedIn(url)).commerce(['api-keys', 'list']);
  expect(code).toBe(3);
  expect(err).toContain('Log in with e-mail and password, and without COMMERCE_API_KEY: commerce login --email');
});

test('lists profiles without secrets, the current one first', async () => {
  const { commerce, config } = await user();
  expect((await commerce(['profiles'])).out).toBe('No profiles yet. Create one: commerce login\n');
  const profiles = {
    default: { url: 'http://localhost:8080', api_key: 'key_secret', shop: 'Demo' },
    live: {
      url: 'https://shop.example',
      session_token: 'mch_secret',
      email: 'mina@a.example',
      expires_at: '2020-01-01',
    },
    old: { url: 'https://old.example' },
  };
  await writeFile(config, JSON.stringify({ profiles }));
  const { out } = await commerce(['profiles', '--profile', 'live']);
  expect(out).toMatch(/^PROFILE .*\nlive \* .* mina@a\.example +expired .*\ndefault +Demo .* an API key +logged in/);
  expect(out).toMatch(/\nold .* logged out/);
  expect(out).not.toContain('secret');
  expect((await commerce(['profiles', '--json'])).out).not.toContain('secret');
});

test('the nearest .commerce.json in or above the working directory selects the profile, unless --profile or COMMERCE_PROFILE does', async () => {
  const { commerce, config } = await user();
  const project = await folder();
  const [shop, below] = [join(project, 'shop'), join(project, 'shop/src/pages')];
  await mkdir(below, { recursive: true });
  const names = ['default', 'live', 'test', 'other'];
  const profiles = Object.fromEntries(names.map((name) => [name, { url: `https://${name}.example`, api_key: 'key' }]));
  await writeFile(config, JSON.stringify({ profiles }));
  expect((await commerce(['use', 'test'], { cwd: project })).out).toContain(join(project, '.commerce.json'));
  await commerce(['use', 'live'], { cwd: shop });
  const usedIn = async (cwd: string, ...args: string[]) =>
    JSON.parse((await commerce(['profiles', '--json', ...args], { cwd })).out)[0].name;
  expect(await usedIn(project)).toBe('test');
  expect(await usedIn(shop)).toBe('live');
  expect(await usedIn(below)).toBe('live');
  expect(await usedIn(await folder())).toBe('default');
  expect(await usedIn(below, '--profile', 'other')).toBe('other');
  const { commerce: withEnv, config: own } = await user({ COMMERCE_PROFILE: 'other' });
  await writeFile(own, JSON.stringify({ profiles }));
  const { out } = await withEnv(['profiles', '--json'], { cwd: below });
  expect(JSON.parse(out)[0].name).toBe('other');
});

test('calls the server of the profile that .commerce.json names, and status names the file', async () => {
  const [near, far] = [await shop(), await shop()];
  const { commerce, config } = await user();
  const profiles = { default: { url: far.url, api_key: 'far' }, near: { url: near.url, api_key: 'near' } };
  await writeFile(config, JSON.stringify({ profiles }));
  const project = await folder();
  await writeFile(join(project, '.commerce.json'), '{ "profile": "near" }');
  const { out } = await commerce(['status'], { cwd: project });
  expect(out).toContain(`Profile  near (${join(project, '.commerce.json')})`);
  expect(near.seen.map(({ headers }) => headers['x-api-key'])).toContain('near');
  expect(far.seen).toEqual([]);
});

test('rejects a .commerce.json without a profile, and `use` with an unknown profile (exit code 2)', async () => {
  const { commerce, config } = await user();
  await writeFile(config, JSON.stringify({ profiles: { live: { url: 'https://shop.example' } } }));
  const project = await folder();
  const path = join(project, '.commerce.json');
  for (const text of ['live', '{}', '{"profile":7}', 'null']) {
    await writeFile(path, text);
    const { code, err } = await commerce(['profiles'], { cwd: project });
    expect(code).toBe(2);
    expect(err).toContain(`${path} names no profile.`);
  }
  const unknown = await commerce(['use', 'liev'], { cwd: project });
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('There is no profile "liev". Known profiles: live');
  expect((await commerce(['use', 'live'], { cwd: project })).code).toBe(0);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ profile: 'live' });
  const strange = await commerce(['orders', 'list'], { cwd: project });
  expect(strange.err).toContain('commerce login --profile live');
});

test('groups the commands of the help by topic', async () => {
  const { out } = await (await user()).commerce(['--help']);
  const headings = [...out.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
  const topics = [
    'Start',
    'Logins',
    'Catalogue',
    'Orders',
    'Customers and sales',
    'Settings',
    'Agents',
    'Integrations',
  ];
  expect(headings).toEqual(['Options', ...topics, 'Audit and logs', 'Environment', 'Exit codes', 'Examples']);
  expect(out).toMatch(/\nCatalogue:\n {2}products .*\n {2}variants /);
});

test('`open` opens a page in the browser if run in a terminal, and otherwise only prints the URL', async () => {
  const { url } = await shop({
    'GET /docs': { body: '' },
    'GET /api/dashboard/settings': { body: { storefront_url: 'https://shop.example/' } },
  });
  const [browser, opened] = [join(await folder(), 'browser'), join(await folder(), 'opened')];
  await writeFile(browser, `#!/bin/sh\necho "$1" > ${opened}\n`);
  await chmod(browser, 0o755);
  const { commerce } = await user({ COMMERCE_URL: url, COMMERCE_API_KEY: 'key', BROWSER: browser });
  expect((await commerce(['open', 'storefront'])).out).toBe('https://shop.example/\n');
  expect((await commerce(['open', 'docs'], { typed: '' })).out).toBe(`${url}/docs\n`);
  await expect.poll(() => readFile(opened, 'utf8')).toBe(`${url}/docs\n`);
  const none = await commerce(['open', 'dashboard']);
  expect(none.code).toBe(1);
  expect(none.err).toContain(`This server has no dashboard at ${url}/panel.`);
  const wrong = await commerce(['open', 'kitchen']);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('Name panel, docs or storefront.');
});

test('names the help page for a mistyped command or value', async () => {
  const { commerce } = await user();
  const saidOf = async (...args: string[]) => (await commerce(args)).err;
  expect(await saidOf('open')).toContain('See the usage: commerce open --help');
  expect(await saidOf('products', 'show', 'mug')).toContain('See the usage: commerce products --help');
  expect(await saidOf('prodcts')).toContain('See the usage: commerce --help');
  const event = await saidOf('trigger', 'order.payed');
  expect(event).toContain("'order.payed' is no type. Allowed choices are product.created");
  expect(event).toContain('commerce trigger --help');
  expect(await saidOf('mock', '--port', 'http')).toContain("'http' cannot be the value of --port <number>. It should");
});

test('bash completion suggests commands, options and option values', async () => {
  const { commerce } = await user();
  const script = join(await folder(), 'completion.bash');
  await writeFile(script, (await commerce(['completion', 'bash'])).out);
  const complete = (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const typed = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _commerce; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', `source ${script}; ${typed}`], { encoding: 'utf8' })
      .trim()
      .split(' ');
  };
  expect(complete('commerce', 'or')).toEqual(['orders']);
  expect(complete('commerce', 'orders', 'ref')).toEqual(['refund', 'refunds']);
  expect(complete('commerce', '--json', 'orders', 'list', '--pay')).toEqual(['--payment']);
  expect(complete('commerce', 'orders', 'list', '--payment', 'aw')).toEqual(['awaiting_payment']);
  expect(complete('commerce', 'orders', 'refund', '1001', '--y')).toEqual(['--yes']);
  expect(complete('commerce', 'settings', 'set', 'bank')).toEqual(['bank_details']);
  expect(complete('commerce', 'open', 'p')).toEqual(['panel']);
  expect(complete('commerce', 'completion', 'z')).toEqual(['zsh']);
  expect(complete('commerce', 'trigger', 'order.pa')).toContain('order.paid');
  expect(complete('commerce', 'notifications', 'set', 'low')).toEqual(['low-stock']);
});

test('generates separate completion scripts for zsh and fish', async () => {
  const { commerce } = await user();
  const zsh = (await commerce(['completion', 'zsh'])).out;
  expect(zsh).toMatch(/^#compdef commerce\n/);
  expect(zsh).toContain("'orders:The orders, from the payment to the delivery.'");
  const fish = (await commerce(['completion', 'fish'])).out;
  expect(fish).toContain("-n 'test (__commerce_place) = \\'commerce orders\\'' -f -a refund ");
  expect(fish).toMatch(/-l payment -x -a 'pending awaiting_payment /);
  expect((await commerce(['completion', 'ksh'])).code).toBe(2);
});
