import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../main.ts';
import { calledBy } from '../operations.ts';
import { type Answers, fakeServer, loggedIn } from '../testing.ts';

interface Operation {
  operationId?: string;
  responses: Record<
    string,
    { content?: Record<string, { examples?: Record<string, { $ref?: string; value?: unknown }> }> }
  >;
}

const ID = '0192f3a0-4444-7000-8000-000000000001';

/** Returns the contract's example of an operation's response. */
function exampleOf({ responses }: Operation): unknown {
  const [example] = Object.values(responses['200']?.content?.['application/json']?.examples ?? {});
  const name = example?.$ref?.split('/').at(-1) as keyof typeof contract.components.examples | undefined;
  return name ? contract.components.examples[name].value : example?.value;
}

const READS = Object.entries(contract.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
  ([path, { get }]) =>
    get?.operationId?.startsWith('dashboard.') ? [{ path, id: get.operationId, example: exampleOf(get) }] : [],
);

/** Lengthens texts to a realistic maximum. Keeps ids, dates, statuses and codes. */
function lengthened(value: unknown, key = ''): unknown {
  const long = /^(?:name|title|description|email|note|product_name|message|agent_name)$/.test(key);
  if (typeof value === 'string') return long ? `${value} ${'and so on '.repeat(6)}`.trim() : value;
  if (Array.isArray(value)) return value.map((element) => lengthened(element));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([own, inner]) => [own, lengthened(inner, own)]));
}

/** The ids in a list response. */
function idsIn(answer: unknown): string[] {
  const rows = Array.isArray(answer) ? answer : Object.values(answer as object).find(Array.isArray);
  return ((rows ?? []) as { id?: string }[]).flatMap(({ id }) => id ?? []);
}

const { env, cwd, stdin, stdout, stderr, once, off } = process;
const leaves = (command: Command, path: string[] = []): { args: string[]; reads: string[] }[] =>
  command.commands.length > 0
    ? command.commands.flatMap((child) => leaves(child, [...path, child.name()]))
    : [{ args: [...path, ...command.registeredArguments.map(() => ID)], reads: [...calledBy(command)] }];

const READ_IDS = new Set(READS.map(({ id }) => id));

/**
 * Every command that shows a list, found by its operations. Commands that also write are left out, because they use
 * lists only to find objects. Downloads are left out too.
 */
const LISTS = leaves(createProgram({ env, cwd, stdin, stdout, stderr, once, off })).filter(
  ({ args, reads }) =>
    reads.some((id) => /^dashboard\.(?:list|getOrderTimeline)/.test(id)) &&
    reads.every((id) => READ_IDS.has(id)) &&
    !args.some((name) => name === 'export' || name === 'download'),
);

const SHAPES = [
  { what: 'the examples', made: (value: unknown) => value },
  { what: 'long texts', made: lengthened },
];

test.each(SHAPES.flatMap((shape) => LISTS.map(({ args, reads }) => ({ ...shape, args, reads }))))(
  '$args prints $what within 80 columns, with complete ids',
  async ({ args, reads, made }) => {
    const answers = READS.map(({ path, example }) => [
      `GET ${path.replace(/\{[a-z_]+\}/g, ID)}`,
      { body: made(example) },
    ]);
    const order = { body: { ...contract.components.examples.OrderDetails.value, id: ID } };
    const server = await fakeServer({
      ...(Object.fromEntries(answers) as Answers),
      [`GET /api/dashboard/orders/${ID}`]: order,
    });
    const { commerce } = await loggedIn(server.url);
    const { code, out, err } = await commerce(args, { typed: '', columns: 80 });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains colour codes.
    const lines = out.replace(/\x1b\[\d+m/g, '').split('\n');
    // The line with the cursor may be longer than the terminal, because a cursor must be copied as a whole.
    const table = lines.filter((line) => !line.startsWith('Next: --cursor'));
    expect(table.filter((line) => [...line].length > 80)).toEqual([]);
    const shown = READS.find(({ id }) => id === reads[0])?.example;
    const withoutIds = /^(?:orders timeline|inventory movements|audit list|agents audit|discounts redemptions)/;
    if (!withoutIds.test(args.join(' '))) {
      for (const id of idsIn(shown)) expect(out).toContain(id);
    }
  },
);
