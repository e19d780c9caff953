import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeServer, folder, loggedIn } from './testing.ts';
import * as requests from './testing-requests.ts';

const { CASES, COMMANDS, SPECIAL } = requests;

test('no command has a flag with the name of a global flag', () => {
  const globals = ['--json', '--profile', '--url', '--version', '--help'];
  const taken = COMMANDS.filter(({ command }) => command.options.some(({ long }) => globals.includes(long ?? '')));
  expect(taken.map(({ path }) => path.join(' '))).toEqual([]);
});

test('every operation with parameters or a body has a command', () => {
  expect(CASES.filter(({ command }) => command === undefined).map(({ id }) => id)).toEqual([]);
});

test.each(CASES)('$path sends each field of $id in the format of the contract', async (one) => {
  const { id, operation, path, command } = one;
  const server = await fakeServer(requests.ANSWERS);
  const { commerce } = await loggedIn(server.url);
  const named = await requests.argumentsOf(one);
  for (const field of requests.flaggedFields(one)) {
    for (const [flags, value] of requests.flagsFor(id, field)) {
      const beside = requests.BESIDE[id]?.(flags[0] ?? '') ?? [];
      const yes = command?.options.some(({ long }) => long === '--yes') ? ['--yes'] : [];
      const args = [...path, ...named, ...flags, ...requests.requiredFlags(one, field.name), ...beside, ...yes];
      const { err } = await commerce([...args, '--json']);
      const url = requests.pathOf(operation.path);
      const sent = server.seen.findLast((call) => call.method === operation.method && call.path === url);
      const given = field.place === 'query' ? sent?.query.getAll(field.name) : sent?.body?.[field.name];
      const expected = field.place === 'query' ? [value].flat().map(String) : value;
      expect({ args, err, given }).toEqual({ args, err: '', given: expected });
    }
  }
});

/** Returns a text that the contract rejects for this field. */
function mistakenText(schema: requests.Field['schema']): string | undefined {
  const { type, enum: words, format, ref = '', additionalProperties } = requests.resolved(schema);
  if (words) return 'nonsense';
  if (/Money|Weight/.test(ref)) return '12,5,0';
  if (format === 'date-time') return 'soon';
  if ([type].flat().includes('integer')) return 'many';
  return additionalProperties ? 'without-a-value' : undefined;
}

const MISTAKES = CASES.flatMap((one) =>
  requests.flaggedFields(one).flatMap((field) => {
    const wrong = mistakenText(field.schema);
    if (wrong === undefined || SPECIAL[`${one.id}.${field.name}`]) return [];
    const [flag = ''] = requests.flagsFor(one.id, field)[0]?.[0] ?? [];
    return [{ one, at: one.path.join(' '), flag, wrong }];
  }),
);

test.each(MISTAKES)(
  '`$at` rejects the value $wrong, and names $flag and a valid format',
  async ({ one, flag, wrong }) => {
    const server = await fakeServer({});
    const { commerce } = await loggedIn(server.url);
    const { code, err } = await commerce([...one.path, ...(await requests.argumentsOf(one)), flag, wrong]);
    expect(code).toBe(2);
    expect(err).toMatch(
      new RegExp(`^Error: '${wrong}' cannot be the value of ${flag} <.*>. (?:Give|Write|Allowed|"12,5,0")`),
    );
    expect(err).toContain(`What to do: See the usage: commerce ${one.path.join(' ')} --help`);
    expect(server.seen).toEqual([]);
  },
);

test.each([
  { args: ['shipping-options', 'create', 'Parcel'], missing: 'Give --price <amount>.' },
  { args: ['api-keys', 'create'], missing: 'Give --description <description> and --scope <scope>.' },
  { args: ['inventory', 'adjust', requests.PRODUCT.id, '--delta', '3'], missing: 'Give --reason <reason>.' },
])('$args fails and names the missing flags', async ({ args, missing }) => {
  const server = await fakeServer({});
  const { commerce } = await loggedIn(server.url);
  const { code, err } = await commerce(args);
  expect(code).toBe(2);
  expect(err).toContain(missing);
  expect(err).toMatch(/What to do: See the usage: commerce [a-z-]+ [a-z]+ --help/);
  expect(server.seen).toEqual([]);
});

test('--input can contain required fields and fields without a flag, and flags override it', async () => {
  const server = await fakeServer(requests.ANSWERS);
  const { commerce } = await loggedIn(server.url);
  const file = join(await folder(), 'parcel.json');
  await writeFile(file, JSON.stringify({ price: '4.90', position: 2, later: [{ of: 'a newer server' }] }));
  const { code } = await commerce(['shipping-options', 'create', 'Parcel', '--input', file, '--position', '3']);
  expect(code).toBe(0);
  expect(server.seen.at(-1)?.body).toEqual({
    ...{ name: 'Parcel', price: '4.90', position: 3 },
    later: [{ of: 'a newer server' }],
  });
});

test.each([
  ['products list', '--to <when>', 'only products created until this day, inclusive, or until this time'],
  ['orders list', '--waiting-for <step>', 'only orders that wait to be paid in time, or to be shipped'],
  ['orders list', '--sort <order>', 'the sort order; ties are ordered by id'],
  ['audit list', '--request <id>', 'only the call with this request id'],
  ['audit list', '--cursor <cursor>', 'continues after the previous page'],
  ['variants create', '--option1 <value>', "the value of the product's first option"],
  ['variants create', '--weight <number>', 'the weight; none when unknown'],
])('the help of %s describes %s', (path, flags, help) => {
  const command = COMMANDS.find((one) => one.path.join(' ') === path)?.command;
  expect(command?.options.find((option) => option.flags === flags)?.description).toBe(help);
});

test('no command has a listed flag that only sets a default value, and no `rotate` command has --input', () => {
  const flags = COMMANDS.flatMap(({ path, command }) => command.options.map(({ long }) => `${path.join(' ')} ${long}`));
  const useless = /--no-(dry-run|by-hand|keep-prices|low-stock|out-of-stock)|--taxable|rotate --input/;
  expect(flags.filter((flag) => useless.test(flag))).toEqual([]);
});
