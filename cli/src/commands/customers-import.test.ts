import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CustomerImport } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { type Answers, fakeServer, folder, loggedIn, refusal, type Seen } from '../testing.ts';

const IMPORT = 'POST /api/dashboard/customers/import';

/**
 * The responses of a fake shop that stores customers by e-mail, rejects customers in the city "Nowhere", and rejects
 * every call that contains the note "poison".
 */
function shop(known = new Set<string>()): Answers {
  return {
    [IMPORT]: ({ body }: Seen) => {
      const customers = body.customers as CustomerImport[];
      if (customers.some(({ note }) => note === 'poison')) return refusal(422, 'validation_error', 'Not this note.');
      const results = customers.map(({ email = '', addresses = [] }, index) => {
        const row = { index, email, customer_id: null, warnings: [] };
        if (addresses.some(({ city }) => city === 'Nowhere')) {
          const loc = ['body', 'customers', index, 'addresses', 0, 'city'];
          return { ...row, status: 'failed', errors: [{ loc, msg: 'No such city.', type: 'value_error' }] };
        }
        const status = known.has(email) ? 'unchanged' : 'created';
        if (!body.dry_run) known.add(email);
        return { ...row, status, errors: [] };
      });
      return { body: { dry_run: body.dry_run ?? false, counts: {}, results } };
    },
  };
}

async function fileOf(lines: unknown[], name = 'customers.jsonl'): Promise<string> {
  const path = join(await folder(), name);
  await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

const HEADER =
  'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,' +
  'Default Address Address2,Default Address City,Default Address Province Code,Default Address Country Code,' +
  'Default Address Zip,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags';

test("imports Shopify's customers CSV with addresses, consent, notes and tags, and reports each unsupported column once", async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const file = await fileOf(
    [
      HEADER,
      `'7001,Ada,Brandt,ada@example.com,yes,Alder,Gartenweg 3,,Leipzig,SN,DE,'04109,'+4930901820,'+4930901821,no,120.00,3,"Likes, tea",no,"vip, trade"`,
      "'7002,,,lin@example.com,no,,,,,,,,,,yes,0.00,0,,no,",
    ],
    'customers_export.csv',
  );
  const { code, out, err } = await commerce(['customers', 'import', file]);
  expect([code, out.trim()]).toEqual([0, 'Imported: 2 created, 0 updated, 0 unchanged, 0 failed.']);
  expect(err.trim().split('\n')).toEqual(
    [
      ['2', 'Customer ID', 2],
      ['3', 'Accepts SMS Marketing', 1],
      ['2', 'Total Spent', 1],
      ['2', 'Total Orders', 1],
    ].map(
      ([line, column, rows]) =>
        `line ${line}: warning: ${column}: this column has no place here and is left out; ${rows} rows have a value in it, this is the first.`,
    ),
  );
  const names = { first_name: 'Ada', last_name: 'Brandt' };
  const place = { company: 'Alder', address1: 'Gartenweg 3', city: 'Leipzig', state: 'SN', country: 'DE' };
  expect(server.seen[0]?.body).toEqual({
    customers: [
      {
        ...{ email: 'ada@example.com', ...names, phone: '+4930901821', note: 'Likes, tea' },
        ...{ marketing_opt_in: true, metadata: { tags: 'vip, trade' } },
        addresses: [{ ...names, ...place, postal_code: '04109', phone: '+4930901820', is_default: true }],
      },
      { email: 'lin@example.com' },
    ],
    dry_run: false,
    overwrite: false,
  });
});

test('reports each rejected line with the column names of the file, and imports the other lines', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const file = await fileOf(
    [
      'First Name,Email,Accepts Email Marketing,Default Address City',
      'Ada,ada@example.com,maybe,Leipzig',
      'Bob,,no,Leipzig',
      'Cy,cy@example.com,no,Nowhere',
      'Di,di@example.com,no,Leipzig',
      'Dian,DI@example.com,no,Leipzig',
    ],
    'export.csv',
  );
  const { code, out, err } = await commerce(['customers', 'import', file]);
  expect(code).toBe(5);
  expect(out).toBe('Imported: 1 created, 0 updated, 0 unchanged, 4 failed.\n');
  expect(err.split('\n').slice(0, 6)).toEqual([
    'line 2: Accepts Email Marketing: "maybe" is none of yes, no, true, false. (ada@example.com)',
    'line 3: Email: A customer needs an e-mail or a phone number. (Bob)',
    'line 6: Email: Line 5 has this e-mail already: make one line of the two. (di@example.com)',
    'line 4: Default Address City: No such city. (cy@example.com)',
    'Error: 4 of 5 customers were refused.',
    '  What to do: Fix the lines named above and run the same command again.',
  ]);
});

test('sends JSON Lines in calls of at most 100 rows, and finds the line that makes a call fail', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const many = Array.from({ length: 150 }, (_, i) => ({ email: `c${i}@example.com` }));
  const file = await fileOf(many);
  expect((await commerce(['customers', 'import', file, '--dry-run'])).out).toContain(
    'nothing was written: 150 created',
  );
  expect((await commerce(['customers', 'import', file])).out).toContain('150 created');
  expect((await commerce(['customers', 'import', file])).out).toContain('0 created, 0 updated, 150 unchanged');
  expect(server.seen.map(({ body }) => [body.customers.length, body.dry_run]).slice(0, 2)).toEqual([
    [100, true],
    [50, true],
  ]);

  const spoilt = await fileOf([many[0], '', '{"email": ', '[]', { email: 'p@example.com', note: 'poison' }, many[1]]);
  const { code, out, err } = await commerce(['customers', 'import', spoilt, '--json']);
  expect([code, JSON.parse(out).counts]).toEqual([5, { created: 0, updated: 0, unchanged: 2, failed: 3 }]);
  const reports = err
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(reports.slice(0, 3)).toMatchObject([
    { line: 3, field: 'json' },
    { line: 4, field: 'json', message: 'The line must hold one JSON object, a customer.' },
    { line: 5, field: 'customer', message: 'Not this note.', email: 'p@example.com' },
  ]);
});

test('imports the file of `customers export`, without the fields that the server computes', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const person = { first_name: 'Ada', last_name: null, phone: null, locale: 'de', note: null, metadata: {} };
  const since = '2025-01-01T00:00:00.000Z';
  const made = { id: '0197c0de-0000-7000-8000-000000000001', created_at: since, updated_at: since };
  const sums = { orders_count: 2, total_spent: '10.00', has_account: true, email_verified_at: since };
  const consent = { ...made, email: 'ada@example.com', source: 'checkout', order_id: null, wording: 'Mails?' };
  const marketing_consents = [{ ...consent, granted: true, recorded_at: since }];
  const addresses = [{ ...made, city: 'Leipzig', is_default: true }];
  const exported = { email: 'ada@example.com', ...person, ...made, ...sums, anonymized_at: null };
  const file = await fileOf([
    { ...exported, marketing_opt_in: true, marketing_consents, addresses },
    { ...exported, email: 'x@example.com', anonymized_at: since, marketing_consents: [], addresses: [] },
  ]);
  const { code, err } = await commerce(['customers', 'import', file]);
  expect([code, err]).toEqual([0, 'line 2: warning: The customer was anonymised, and is left out.\n']);
  expect(server.seen[0]?.body.customers).toEqual([
    {
      ...{ email: 'ada@example.com', ...person, created_at: since },
      ...{ marketing_opt_in: true, marketing_opt_in_at: since, marketing_wording: 'Mails?' },
      addresses: [{ city: 'Leipzig', is_default: true }],
    },
  ]);
});

test('rejects a file of customers in an unknown format before it sends a request', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  for (const [text, reason] of [
    ['', 'is empty'],
    ['[{"email": "ada@example.com"}]', 'is one JSON array'],
    ['Handle,Title,Variant SKU\nmug,Mug,M', 'is not recognised as a file of customers'],
  ]) {
    const { code, err } = await commerce(['customers', 'import', await fileOf([text])]);
    expect(code).toBe(2);
    expect(err).toContain(reason);
  }
  expect(server.seen).toEqual([]);
});
