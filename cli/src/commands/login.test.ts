import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeServer, folder, refusal, user } from '../testing.ts';

const SHOP = {
  id: '0192f3a0-2222-7000-8000-000000000001',
  site_id: '0192f3a0-3333-7000-8000-000000000001',
  name: 'Alder',
};
const OTHER = { ...SHOP, id: '0192f3a0-2222-7000-8000-000000000002', name: 'Birch' };
const STAFF = { id: '0192f3a0-1111-7000-8000-000000000001', email: 'mina@alder.example', name: 'Mina' };
const SESSION = {
  ...{ access_token: 'mch_secret', token_type: 'Bearer', expires_at: '2026-03-02T20:15:00.000Z' },
  ...{ staff: STAFF, merchants: [SHOP] },
};
const KEY = { id: SHOP.id, description: 'CLI', secret_prefix: 'key_abc', scopes: ['read', 'write'] };
const ME = { staff: null, api_key: KEY, scopes: ['read', 'write'], merchant: SHOP, merchants: [SHOP] };

const LOGIN = 'POST /api/dashboard/auth/login';

test('login hides the typed password, and the next command uses the new session', async () => {
  const server = await fakeServer({
    [LOGIN]: { body: SESSION },
    'GET /api/dashboard/me': { body: { ...ME, staff: STAFF, api_key: null } },
  });
  const { commerce, config } = await user();

  const login = await commerce(['login', '--url', server.url], { typed: 'mina@alder.example\nopen sesame' });
  expect(login.code).toBe(0);
  expect(login.err).toContain('E-mail: ');
  expect(login.err + login.out).not.toContain('sesame');
  expect(login.out).toBe(
    `Logged in to Alder at ${server.url} as mina@alder.example. Profile "default" is in ${config}.\n`,
  );
  expect(server.seen[0]?.body).toEqual({ email: 'mina@alder.example', password: 'open sesame' });

  const whoami = await commerce(['whoami']);
  expect(whoami.code).toBe(0);
  expect(whoami.out).toContain('Logged in as  Mina <mina@alder.example>\n');
  expect(server.seen[1]?.headers).toMatchObject({
    authorization: 'Bearer mch_secret',
    'x-service-merchant-id': SHOP.id,
  });
});

test('login reads the password from standard input in a script', async () => {
  const server = await fakeServer({ [LOGIN]: { body: SESSION } });
  const { commerce } = await user();
  const login = await commerce(['login', '--url', server.url, '--email', 'mina@alder.example'], {
    input: 'pass word\n',
  });
  expect(login).toMatchObject({ code: 0, err: '' });
  expect(server.seen[0]?.body.password).toBe('pass word');
});

test('stores profiles in a file that only its owner can read', async () => {
  const server = await fakeServer({ 'GET /api/dashboard/me': { body: ME } });
  const { commerce, config } = await user();
  await commerce(['login', '--url', server.url, '--api-key'], { input: 'key_abc\n' });
  expect((await stat(config)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({
    profiles: { default: { url: server.url, api_key: 'key_abc', shop: 'Alder', merchant_id: SHOP.id } },
  });
});

test('login reports a wrong password, and stores no profile (exit code 3)', async () => {
  const server = await fakeServer({
    [LOGIN]: refusal(401, 'invalid_credentials', 'E-mail or password are not right.'),
  });
  const { commerce, config } = await user();
  const login = await commerce(['login', '--url', server.url, '--email', 'm@a.example'], { input: 'x' });
  expect(login).toEqual({
    code: 3,
    out: '',
    err:
      'Error: E-mail or password are not right. (401 invalid_credentials)\n' +
      '  What to do: Check the e-mail address and password.\n' +
      '  Request id: req-1\n',
  });
  await expect(stat(config)).rejects.toThrow('ENOENT');
});

test('login asks staff of several merchants to choose one', async () => {
  const server = await fakeServer({ [LOGIN]: { body: { ...SESSION, merchants: [SHOP, OTHER] } } });
  const { commerce } = await user();
  const args = ['login', '--url', server.url, '--email', 'm@a.example'];
  const unnamed = await commerce(args, { input: 'x' });
  expect(unnamed.code).toBe(2);
  expect(unnamed.err).toContain(`${OTHER.id} (Birch)`);
  const named = await commerce([...args, '--merchant', OTHER.id, '--json'], { input: 'x' });
  expect(JSON.parse(named.out)).toMatchObject({ shop: 'Birch', merchant_id: OTHER.id });
  const picked = await commerce(args, { typed: 'x\n2' });
  expect(picked.out).toContain('Logged in to Birch');
});

test('`login --demo` logs in to the demo shop without a prompt', async () => {
  const server = await fakeServer({ 'GET /api/dashboard/me': { body: ME } });
  const { commerce } = await user();
  const dataDir = await folder();
  const missing = await commerce(['login', '--demo', dataDir]);
  expect(missing).toMatchObject({ code: 2, out: '' });
  expect(missing.err).toContain('Start the server first (npm start)');

  await writeFile(join(dataDir, 'demo.json'), JSON.stringify({ base_url: server.url, api_key: 'key_demo' }));
  expect(await commerce(['login', '--demo', dataDir])).toMatchObject({ code: 0, err: '' });
  expect(server.seen[0]?.headers['x-api-key']).toBe('key_demo');
});

test('login stores several profiles, and --profile selects one', async () => {
  const server = await fakeServer({ 'GET /api/dashboard/me': { body: ME } });
  const { commerce } = await user();
  for (const profile of ['default', 'live']) {
    await commerce(['login', '--url', server.url, '--api-key', '--profile', profile], { input: `key_${profile}` });
  }
  await commerce(['whoami', '--profile', 'live']);
  expect(server.seen.at(-1)?.headers['x-api-key']).toBe('key_live');
  const unknown = await commerce(['whoami', '--profile', 'staging']);
  expect(unknown.code).toBe(3);
  expect(unknown.err).toContain('Known profiles: default, live');
});

test('with the URL of another server, a command fails (exit code 3) and sends that server no request', async () => {
  const [server, stranger] = [await fakeServer({ 'GET /api/dashboard/me': { body: ME } }), await fakeServer({})];
  const { commerce } = await user();
  await commerce(['login', '--url', server.url, '--api-key'], { input: 'key_abc' });
  const refused = await commerce(['whoami', '--url', stranger.url]);
  expect(refused.code).toBe(3);
  expect(refused.err).toContain(`Log in there: commerce login --url ${stranger.url}`);
  expect(stranger.seen).toEqual([]);
});

test('prefers COMMERCE_API_KEY and COMMERCE_URL over the profile, and --profile over both', async () => {
  const [server, other] = [
    await fakeServer({ 'GET /api/dashboard/me': { body: ME } }),
    await fakeServer({ 'GET /api/dashboard/me': { body: ME } }),
  ];
  const { commerce, config } = await user({ COMMERCE_API_KEY: 'key_env', COMMERCE_URL: other.url });
  const profiles = { default: { url: server.url, api_key: 'key_kept' } };
  await writeFile(config, JSON.stringify({ profiles }));
  await commerce(['whoami']);
  expect(other.seen[0]?.headers['x-api-key']).toBe('key_env');
  await commerce(['whoami', '--profile', 'default']);
  expect(server.seen[0]?.headers['x-api-key']).toBe('key_kept');
});

test('logout ends the session and removes the secrets', async () => {
  const server = await fakeServer({ [LOGIN]: { body: SESSION }, 'POST /api/dashboard/auth/logout': { status: 204 } });
  const { commerce, config } = await user();
  await commerce(['login', '--url', server.url, '--email', 'm@a.example'], { input: 'x' });
  expect(await commerce(['logout', '--json'])).toMatchObject({ code: 0, err: '' });
  expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer mch_secret');
  expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({ profiles: { default: { url: server.url } } });
  expect((await commerce(['whoami'])).code).toBe(3);
});

test('login rejects a damaged profiles file, and names it (exit code 2)', async () => {
  const { commerce, config } = await user();
  await writeFile(config, '{"profiles": ');
  const login = await commerce(['login', '--url', 'http://127.0.0.1:1', '--api-key'], { input: 'key_abc' });
  expect(login).toMatchObject({ code: 2 });
  expect(login.err).toContain(`${config} is damaged.`);
});
