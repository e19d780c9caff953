/**
 * Verifies that a change of the code changes no responses:
 *
 *   npm run compare-answers -- REF [--list] [--show REGEX]
 *
 * sends the recorded requests to the server of commit REF and to the one of this checkout, each on a copy of the same
 * database, and compares responses and written rows. additions.json declares intended differences, by operation: JSON
 * pointers into its responses (`*` for each element of a list), or names of headers.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOut } from '../checkout.ts';
import { dropAll } from '../database.ts';
import { sweepLeftovers } from '../leftovers.ts';
import { endAll } from '../processes.ts';
import { Comparison } from './differences.ts';
import { publishProfile } from './profile.ts';
import { operationsOf, recordedRequests, refusedRequests } from './requests.ts';
import { textOf } from './send.ts';
import { openTemplate, Side } from './sides.ts';
import { prepare } from './template.ts';
import { rowsWritten } from './written.ts';

const DECLARED = JSON.parse(readFileSync(join(import.meta.dirname, 'additions.json'), 'utf8')) as Record<
  string,
  string[]
>;

const MOST_LINES = 12;
const WIDTH = 240;

for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
  process.once(signal, () => void leave(code));
}
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, show: { type: 'string' } },
});
const [ref] = positionals;
const shown = values.show === undefined ? undefined : new RegExp(values.show);
if (!ref) throw new Error('Name the commit to compare with: npm run compare-answers -- REF');
await sweepLeftovers();
const { root, commit, remove } = await checkOut(ref);
try {
  process.exitCode = (await compare(root, commit)) ? 0 : 1;
} finally {
  await endAll();
  await dropAll();
  await remove();
}

async function compare(root: string, commit: string): Promise<boolean> {
  const profile = await publishProfile();
  const template = await openTemplate(root, prepare);
  template.names.profile = { url: profile.url };
  const [old, now] = [await Side.open(template, 'old', root), await Side.open(template, 'new')];
  const { callers, requests } = recordedRequests();
  const contracts = ['openapi', 'operator'].map((name) => contractOf(root, name));
  const operations = contracts.flatMap(operationsOf);
  const unanswered = new Set(operations.map(({ id }) => id));
  const comparison = new Comparison();
  const counts = { identical: 0, differing: 0 };
  const count = (what: string, differing: string[]) => {
    counts[differing.length === 0 ? 'identical' : 'differing'] += 1;
    if (differing.length > 0) print(what, differing);
  };
  const all = [...requests, ...contracts.flatMap(refusedRequests)];
  for (const [number, request] of all.entries()) {
    const { place, caller, method, path } = request;
    const credentials = callers.get(caller);
    if (!credentials) throw new Error(`${place}: no line defines the caller @${caller}.`);
    const answers = await Promise.all([old.play(request, number, credentials), now.play(request, number, credentials)]);
    const operation = operations.find((one) => one.method === method && one.pattern.test(path))?.id ?? '';
    const declared = DECLARED[operation] ?? [];
    if (answers[0].status < 300) unanswered.delete(operation);
    const [a, b] = answers.map((answer) => textOf(answer, declared));
    const what = `${place}: ${caller} ${method} ${path}`;
    count(what, comparison.difference(a ?? '', b ?? ''));
    if (values.list) console.log(`${answers[0].status} ${what}`);
    if (shown?.test(what)) console.log(`${what}\n${a}\n`);
  }
  for (const [table, a, b] of await rowsWritten(old.database, now.database)) {
    count(`rows of ${table}`, comparison.difference(a, b));
  }
  await Promise.all([old.close(), now.close(), profile.close()]);
  const total = counts.identical + counts.differing;
  console.log(`${total} compared with ${commit}: ${counts.identical} identical, ${counts.differing} differing`);
  for (const reference of now.unresolved) console.log(`No answer had ${reference}`);
  for (const id of unanswered) console.log(`No recorded request succeeds at ${id}.`);
  return counts.differing === 0 && unanswered.size === 0;
}

function contractOf(root: string, name: string) {
  return JSON.parse(readFileSync(join(root, 'spec/generated', `${name}.json`), 'utf8'));
}

/** Prints the differing lines. Of a long line, prints only the part around the first difference. */
function print(what: string, differing: string[]): void {
  const from = Math.max(1, commonLength(differing[0] ?? '', differing[1] ?? '') - WIDTH / 4);
  const cut = (line: string) => (line.length > WIDTH ? `${line[0]}…${line.slice(from, from + WIDTH)}…` : line);
  const more = differing.length > MOST_LINES ? [`… and ${differing.length - MOST_LINES} lines more`] : [];
  console.log(
    `${what}\n${[...differing.slice(0, MOST_LINES).map(cut), ...more].map((line) => `    ${line}`).join('\n')}\n`,
  );
}

function commonLength(a: string, b: string): number {
  let length = 1;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

async function leave(code: number): Promise<never> {
  process.on('uncaughtException', () => undefined).on('unhandledRejection', () => undefined);
  await endAll().catch(() => undefined);
  await dropAll();
  await remove();
  process.exit(code);
}
