import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fakeServer, refusal, user } from '../testing.ts';

const SHOP = {
  id: '0192f3a0-2222-7000-8000-000000000001',
  site_id: '0192f3a0-3333-7000-8000-000000000001',
  name: 'Alder',
};
const STAFF = { id: '0192f3a0-1111-7000-8000-000000000001', email: 'mina@alder.example', name: 'Mina' };
const SESSION = {
  ...{ access_token: 'mch_first', token_type: 'Bearer', expires_at: '2026-03-02T20:15:00.000Z' },
  ...{ staff: STAFF, merchants: [SHOP] },
};
const LOGIN = 'POST /api/dashboard/auth/login';
const CONFIRM = 'POST /api/dashboard/auth/confirm';
const KEYS = 'POST /api/dashboard/api-keys';
const KEY = {
  ...{ id: SHOP.id, description: 'Warehouse', secret_prefix: 'key_abc', scopes: ['read'], secret: 'key_secret' },
  ...{ created_at: SESSION.expires_at, last_used_at: null, expires_at: null, revoked_at: null },
};

async function loggedIn(answers: Parameters<typeof fakeServer>[0]) {
  const server = await fakeServer({ [LOGIN]: { body: SESSION }, ...answers });
  const one = await user();
  await one.commerce(['login', '--url', server.url, '--email', STAFF.email], { input: 'pass word' });
  return { server, ...one };
}

test('login asks for an authenticator code if the server requires one, or reads it from standard input with --code', async () => {
  const server = await fakeServer({
    [LOGIN]: ({ body }) =>
      body.totp_code === '123456' ? { body: SESSION } : refusal(401, 'second_factor_required', 'Send totp_code.'),
  });
  const { commerce } = await user();
  const args = ['login', '--url', server.url, '--email', STAFF.email];

  expect((await commerce(args, { typed: 'pass word\n123456' })).code).toBe(0);
  expect((await commerce([...args, '--code'], { input: 'pass word\n123456\n' })).code).toBe(0);
  const without = await commerce(args, { input: 'pass word' });

  expect(without).toMatchObject({ code: 3, err: expect.stringContaining('commerce login --code') });
  expect(server.seen[0]?.headers['user-agent']).toMatch(/^commerce-cli\//);
});

test('a command that is rejected with step_up_required asks for the password and repeats its call, or fails if there is no terminal', async () => {
  let confirmed = false;
  const { server, commerce } = await loggedIn({
    [KEYS]: () => (confirmed ? { status: 201, body: KEY } : refusal(403, 'step_up_required', 'Confirm.')),
    [CONFIRM]: ({ body }) => {
      confirmed = body.password === 'pass word';
      return { body: { confirmed_until: SESSION.expires_at } };
    },
  });
  const create = ['api-keys', 'create', '--description', 'Warehouse', '--scope', 'read'];

  const script = await commerce(create);
  const person = await commerce(create, { typed: 'pass word' });

  expect(script).toMatchObject({ code: 1, err: expect.stringContaining('commerce account confirm') });
  expect(person).toMatchObject({ code: 0, out: expect.stringContaining('key_secret') });
  const calls = server.seen.map(({ method, path }) => `${method} ${path}`);
  expect(calls).toEqual([LOGIN, KEYS, KEYS, CONFIRM, KEYS]);
});

test('the CLI stays logged in with the new session after a password change', async () => {
  const { server, commerce, config } = await loggedIn({
    'POST /api/dashboard/account/password': { body: { ...SESSION, access_token: 'mch_second' } },
  });

  const { code } = await commerce(['account', 'password'], { input: 'pass word\na longer horse\n' });

  expect(code).toBe(0);
  expect(server.seen.at(-1)?.body).toEqual({ current_password: 'pass word', new_password: 'a longer horse' });
  expect(JSON.parse(await readFile(config, 'utf8')).profiles.default).toMatchObject({
    session_token: 'mch_second',
    email: STAFF.email,
    merchant_id: SHOP.id,
  });
});
