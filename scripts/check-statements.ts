/**
 * Evaluates the texts of the server's statements from its sources and asks PostgreSQL to describe each; nothing runs.
 * Fails with a line for each statement that PostgreSQL rejects, and for each column that does not match its row type.
 * check-row-types.ts, after the tests, covers null in expressions and behind outer joins. `npm run check` runs this.
 *
 *   npm run check:statements -- --unresolved      lists the statements that cannot be followed
 *   … -- --source FILE --database URL             checks the statements of a file, in a database with the schema
 */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareSchema } from '../server/src/commands/schema.ts';
import { startEmbedded } from '../server/src/db/embedded.ts';
import { Claims } from './statements/claims.ts';
import { Describer } from './statements/describe.ts';
import { neverNull } from './statements/never-null.ts';
import { SERVER, Source } from './statements/program.ts';
import { type Sent, sentStatements } from './statements/statements.ts';

const { values } = parseArgs({
  options: { source: { type: 'string' }, database: { type: 'string' }, unresolved: { type: 'boolean' } },
});

/** Maximum number of statements whose text is only known at run time. Lower it when there are fewer. */
const MOST_UNRESOLVED = values.source ? 0 : 56;

const source = new Source(resolve(values.source ?? join(SERVER, 'src/main.ts')));
const claims = new Claims(source);
const sent = sentStatements(source);
const mistakes = await inDatabase(judgeAll);
const unresolved = sent.filter((one) => one.unresolved);
if (values.unresolved) for (const one of unresolved) console.log(`${one.place}: ${one.unresolved}`);
if (unresolved.length > MOST_UNRESOLVED) {
  mistakes.push(
    `Statements that cannot be followed: ${unresolved.length}, and ${MOST_UNRESOLVED} may be; npm run check:statements -- --unresolved lists them.`,
  );
}
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) {
  console.error(
    `Statements: ${sent.length}, of which ${unresolved.length} cannot be followed; ${mistakes.length} mistakes.`,
  );
  process.exitCode = 1;
} else if (values.unresolved) console.log(`${unresolved.length} of ${sent.length} statements.`);

async function judgeAll(describer: Describer): Promise<string[]> {
  const mistakes = new Set<string>();
  for (const one of sent) for (const mistake of await judge(one, describer)) mistakes.add(`${one.place}: ${mistake}`);
  return [...mistakes];
}

async function judge(one: Sent, describer: Describer): Promise<string[]> {
  const mistakes: string[] = [];
  for (const { text, claim } of one.texts) {
    const described = await describer.describe(text);
    if (described === undefined) {
      one.unresolved = 'PostgreSQL cannot describe it';
    } else if ('error' in described) {
      mistakes.push(described.error);
    } else if (claim) {
      const type = source.checker.getTypeFromTypeNode(claim);
      if (claims.isOpen(type)) continue;
      const columns = described.columns.map((column) => ({
        ...column,
        null: column.nullable && !neverNull(one.place, column, text),
      }));
      mistakes.push(...claims.compare(type, columns));
    }
  }
  return mistakes;
}

/** Connects to the given database, or to an embedded one with the schema. */
async function inDatabase<T>(work: (describer: Describer) => Promise<T>): Promise<T> {
  if (values.database) return described(values.database, work);
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-statements-'));
  // PostgreSQL may run as another user, who needs access to the folder.
  chmodSync(dataDir, 0o711);
  const cluster = await startEmbedded({ dataDir, durable: false });
  try {
    await prepareSchema(cluster.url);
    return await described(cluster.superuserUrl, work);
  } finally {
    await cluster.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function described<T>(url: string, work: (describer: Describer) => Promise<T>): Promise<T> {
  const describer = await Describer.connect(url);
  return work(describer).finally(() => describer.end());
}
