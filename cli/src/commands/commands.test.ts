import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../main.ts';
import { closedServer, fakeServer, loggedIn, pageOf, refusal, user } from '../testing.ts';

const ID = '0192f3a0-4444-7000-8000-000000000001';

const STOCK = {
  ...{ variant_id: ID, product_id: ID, product_name: 'Mug', variant_name: 'Sage', sku: 'MUG-1', image_url: null },
  ...{ on_hand: 12, reserved: 2, inventory_quantity: 10, track_inventory: true, inventory_policy: 'deny' },
  ...{ low_stock_threshold: 5, is_low_stock: false, is_out_of_stock: false, updated_at: '2026-03-02T20:15:00.000Z' },
};

test('a command without a login explains how to log in (exit code 3)', async () => {
  const { commerce } = await user();
  expect(await commerce(['products', 'list'])).toEqual({
    code: 3,
    out: '',
    err: 'Error: Profile "default" is not logged in.\n  What to do: commerce login, or set COMMERCE_API_KEY\n',
  });
});

test('a command reports an unreachable server (exit code 4)', async () => {
  const { url } = await closedServer();
  const { commerce } = await loggedIn(url);
  const { code, err } = await commerce(['whoami', '--json']);
  expect(code).toBe(4);
  expect(JSON.parse(err)).toMatchObject({ error: 'unreachable', exit_code: 4, retryable: true });
});

test('a command reports an invalid argument and the allowed values, in the requested format (exit code 2)', async () => {
  const { commerce } = await user();
  const people = await commerce(['products', 'list', '--status', 'gone']);
  expect(people.code).toBe(2);
  expect(people.err).toMatch(/^Error: .*Allowed choices are draft, active, archived\.\n/);
  const program = await commerce(['product', 'list', '--json']);
  expect(program.code).toBe(2);
  expect(JSON.parse(program.err)).toMatchObject({ error: 'usage', exit_code: 2 });
});

const { env, cwd, stdin, stdout, stderr, once, off } = process;

const leaves = (command: Command, path: string[] = []): string[][] =>
  command.commands.length === 0 ? [path] : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));

const COMMANDS = leaves(createProgram({ env, cwd, stdin, stdout, stderr, once, off }));

test.each(COMMANDS.map((path) => path.join(' ')))('shows help with examples for %s', async (command) => {
  const { commerce } = await user();
  const { code, out } = await commerce([...command.split(' '), '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`  $ commerce ${command}`);
  expect(out).toContain('--json');
});

test('reports each error of a 422 response with the option that caused it, and shows the request id', async () => {
  const detail = [{ loc: ['query', 'limit'], msg: 'Input should be at most 100.', type: 'less_than_equal' }];
  const server = await fakeServer({
    'GET /api/dashboard/products': refusal(422, 'validation_error', 'The request does not fit.', { detail }),
  });
  const { commerce } = await loggedIn(server.url);
  expect(await commerce(['products', 'list', '--limit', '1000'])).toEqual({
    code: 1,
    out: '',
    err:
      'Error: The request does not fit. (422 validation_error)\n  --limit: Input should be at most 100.\n' +
      '  What to do: Correct the fields named above.\n  Request id: req-1\n',
  });
});

test('shows the remedy from the contract for an error code that the CLI does not know', async () => {
  const server = await fakeServer({ 'GET /api/dashboard/me': refusal(409, 'currency_in_use', 'No.') });
  const { commerce } = await loggedIn(server.url);
  const { err } = await commerce(['whoami']);
  expect(err).toContain('What to do: Keep the currency, or start with an empty shop.');
});

test("lists stock as a table, and with --json as the server's response", async () => {
  const page = pageOf('inventory', [STOCK, { ...STOCK, sku: null, inventory_quantity: 0, is_out_of_stock: true }]);
  const server = await fakeServer({ 'GET /api/dashboard/inventory': { body: page } });
  const { commerce } = await loggedIn(server.url);
  const people = await commerce(['inventory', 'list', '--low-stock', '--out-of-stock', '--page', '1']);
  expect(people.out).toBe(
    [
      'SKU    PRODUCT  VARIANT  ON HAND  HELD  AVAILABLE  STATE  VARIANT ID',
      `MUG-1  Mug      Sage          12     2         10  ok     ${ID}`,
      `–      Mug      Sage          12     2          0  out    ${ID}`,
      '',
      '2 variants.',
      '',
    ].join('\n'),
  );
  expect(server.seen[0]?.query.toString()).toBe('page=1&low_stock=true&out_of_stock=true');
  const program = await commerce(['inventory', 'list', '--json']);
  expect(JSON.parse(program.out)).toEqual(page);
});

test('adjusts stock by SKU', async () => {
  const similar = { ...STOCK, sku: 'MUG-10', variant_id: '0192f3a0-4444-7000-8000-000000000002' };
  const path = `/api/dashboard/inventory/${ID}/adjust`;
  const server = await fakeServer({
    'GET /api/dashboard/inventory': { body: pageOf('inventory', [similar, STOCK]) },
    [`POST ${path}`]: { body: { ...STOCK, on_hand: 36, inventory_quantity: 34 } },
  });
  const { commerce } = await loggedIn(server.url);
  const { code } = await commerce(['inventory', 'adjust', 'MUG-1', '--delta', '24', '--reason', 'received']);
  expect(code).toBe(0);
  expect(server.seen.at(-1)).toMatchObject({ path, body: { delta: 24, reason: 'received' } });
});

test('rejects a stock change of 0 before it sends a request', async () => {
  const server = await fakeServer({});
  const { commerce } = await loggedIn(server.url);
  const { code, err } = await commerce(['inventory', 'adjust', ID, '--delta', '0', '--reason', 'correction']);
  expect(code).toBe(2);
  expect(err).toContain('--delta 0 changes nothing.');
  expect(server.seen).toHaveLength(0);
});

test('reports the current quantity if the stock has changed since the count', async () => {
  const refused = refusal(409, 'quantity_changed', 'The quantity is 9 by now.', { actual: 9 });
  const server = await fakeServer({ [`POST /api/dashboard/inventory/${ID}/adjust`]: refused });
  const { commerce } = await loggedIn(server.url);
  const args = ['inventory', 'adjust', ID, '--set-to', '8', '--reason', 'correction'];
  expect((await commerce(args)).code).toBe(2);
  const { code, err } = await commerce([...args, '--expected', '10']);
  expect(code).toBe(1);
  expect(err).toContain('There are 9 now.');
});

test('prints the secret after a sync key is created or rotated, lists the keys, and revokes a key by its id', async () => {
  const key = {
    ...{ id: ID, key_id: 'sync_1', secret_prefix: 'syk_abc', description: 'Search', secret: 'syk_abcdef' },
    ...{ created_at: '2026-03-02T20:15:00.000Z', last_used_at: null, expires_at: null, revoked_at: null },
  };
  const server = await fakeServer({
    'POST /api/dashboard/sync-keys': { status: 201, body: key },
    [`POST /api/dashboard/sync-keys/${ID}/rotate`]: { body: key },
    [`DELETE /api/dashboard/sync-keys/${ID}`]: { body: { ...key, revoked_at: key.created_at } },
    'GET /api/dashboard/sync-keys': { body: [key, { ...key, revoked_at: key.created_at }] },
  });
  const { commerce } = await loggedIn(server.url);
  for (const args of [
    ['create', '--description', 'Search'],
    ['rotate', ID],
  ]) {
    const { out } = await commerce(['sync-keys', ...args]);
    expect(out).toContain('Secret       syk_abcdef\n\nKeep the secret now: it is not shown again.\n');
  }
  expect((await commerce(['sync-keys', 'revoke', ID, '--yes'])).out).toBe('Revoked: Search (syk_abc…).\n');
  expect((await commerce(['sync-keys', 'list'])).out).toMatch(/syk_abc… {2}active .* never\n.*syk_abc… {2}revoked/);
  const wrong = await commerce(['sync-keys', 'revoke', 'sync_1']);
  expect(wrong.code).toBe(2);
  expect(server.seen).toHaveLength(4);
});

test('lists collections', async () => {
  const collection = {
    id: ID,
    title: 'On sale',
    handle: 'on-sale',
    type: 'automatic',
    products_count: 14,
    published: true,
  };
  const page = { ...pageOf('collections', [collection]), total: 21, pages: 2 };
  const server = await fakeServer({ 'GET /api/dashboard/collections': { body: page } });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['collections', 'list', '--type', 'automatic']);
  expect(out).toBe(
    [
      'TITLE    HANDLE   TYPE       PRODUCTS  STATE      ID',
      `On sale  on-sale  automatic        14  published  ${ID}`,
      '',
      '21 collections, page 1 of 2. Next: --page 2',
      '',
    ].join('\n'),
  );
});
