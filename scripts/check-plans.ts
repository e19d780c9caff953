/**
 * Asks an embedded PostgreSQL for the plan of each statement that the server sent while the tests ran, in a database of
 * many shops, and fails with a line for each that reads a tenant table without its `site_id`, or a table without an
 * index. Run after the tests. Reads by triggers and functions in the database are not covered.
 *
 *   npm run check:plans
 *   npm run check:plans -- --statement "select from carts where id = \$1"     that statement alone, to try the check
 */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { prepareSchema } from '../server/src/commands/schema.ts';
import { startEmbedded } from '../server/src/db/embedded.ts';
import { readStatements } from '../server/test/sent-statements.ts';
import { COMMANDS, EXCEPTIONS, type Exception, OWNERS, SWEEPS } from './plans/exceptions.ts';
import { fill } from './plans/fill.ts';
import { type Finding, keptFromIndex, type PlanNode, type Tables, withoutIndex, withoutSite } from './plans/judge.ts';

const { values } = parseArgs({ options: { statement: { type: 'string' } } });
const statements = values.statement ? new Map([[values.statement, new Set(['given:0'])]]) : readStatements();

/** The minimum number of statements. With fewer, not all tests have run. */
const LEAST_STATEMENTS = 500;
const SITE = '00000000-0000-0000-0000-000000000001';

const dataDir = mkdtempSync(join(tmpdir(), 'commerce-plans-'));
// PostgreSQL may run as another user, who needs access to the folder.
chmodSync(dataDir, 0o711);
const cluster = await startEmbedded({ dataDir, durable: false });
try {
  await prepareSchema(cluster.url);
  await fill(cluster.superuserUrl);
  report(await judgeAll(cluster.superuserUrl));
} finally {
  await cluster.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

interface Judged {
  text: string;
  places: string[];
  findings: Finding[];
}

async function judgeAll(url: string): Promise<Judged[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`set search_path = commerce, public; set app.site_id = '${SITE}'`);
    const tables = await tablesIn(client);
    const judged: Judged[] = [];
    for (const [text, places] of statements) {
      if (!/^\s*(?:select|insert|update|delete|merge|with)\b/i.test(text)) continue;
      // Temporary tables of an import contain only one site.
      if (/\bpg_temp\./.test(text)) continue;
      const serving = [...places].filter((place) => !COMMANDS.some((folder) => place.startsWith(folder)));
      if (serving.length === 0) continue;
      judged.push({ text, places: serving, findings: await judge(client, text, serving, tables) });
    }
    return judged;
  } finally {
    await client.end();
  }
}

/** Checks a statement. It must compare `site_id` itself, and find rows by an index even under row-level security. */
async function judge(client: pg.Client, text: string, places: string[], tables: Tables): Promise<Finding[]> {
  const sweeps = places.some((place) => SWEEPS.some((file) => place.startsWith(file)));
  const bare = await planAs(client, undefined, text);
  // Planned without row-level security: the queue belongs to the server's login, and only operators change sites'
  // hosts.
  const isOwners = places.every((place) => OWNERS.some((file) => place.startsWith(file)));
  const guarded =
    isOwners || /graphile_worker|(?:update|into|from) commerce\.site_domains/.test(text)
      ? bare
      : await planAs(client, sweeps ? 'commerce_sweep' : 'commerce_app', text);
  return [...withoutSite(bare, tables), ...withoutIndex(guarded, tables), ...keptFromIndex(bare, guarded)];
}

async function planAs(client: pg.Client, role: string | undefined, text: string): Promise<PlanNode> {
  if (role) await client.query(`set role ${role}`);
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (generic_plan, verbose, format json) ${text}`,
    );
    if (!rows[0]) throw new Error('EXPLAIN answered nothing.');
    return rows[0]['QUERY PLAN'][0].Plan;
  } catch (error) {
    throw new Error(`There is no plan for: ${text}`, { cause: error });
  } finally {
    await client.query('reset role');
  }
}

function report(judged: Judged[]): void {
  const unused = new Set(EXCEPTIONS);
  let failures = 0;
  for (const { text, places, findings } of judged) {
    const wrong = findings.filter((finding) => !excused(finding, places, unused));
    for (const { table, what } of wrong)
      console.error(`${places.join(', ')}: ${table}: ${what}\n  ${text.replace(/\s+/g, ' ')}`);
    failures += wrong.length;
  }
  if (!values.statement) {
    for (const { from, why } of unused)
      console.error(`No statement needs this exception any more: ${from.join(', ')}: ${why}`);
    failures += unused.size;
    if (judged.length < LEAST_STATEMENTS) {
      console.error(`Only ${judged.length} statements were seen: run npm test as a whole.`);
      failures += 1;
    }
  }
  console.error(`Plans: ${judged.length} statements, ${failures} mistakes.`);
  if (failures > 0) process.exitCode = 1;
}

/** Whether there is an exception for every file that sends the statement. */
function excused({ table, kind }: Finding, places: string[], unused: Set<Exception>): boolean {
  const found = places.map((place) =>
    EXCEPTIONS.find(
      ({ from, kinds, tables }) =>
        from.some((file) => place.startsWith(`${file}:`)) &&
        kinds.includes(kind) &&
        (!tables || tables.includes(table)),
    ),
  );
  for (const exception of found) if (exception) unused.delete(exception);
  return found.every(Boolean);
}

async function tablesIn(client: pg.Client): Promise<Tables> {
  const tenants = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'commerce'::regnamespace and c.relkind = 'r' and a.attname = 'site_id'`,
  );
  const indexes = await client.query<{ name: string; table: string; unique: boolean }>(
    `select i.relname as name, c.relname as table, x.indisunique and not exists (select from pg_attribute a
       where a.attrelid = i.oid and a.attname = 'site_id') as unique
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
     where c.relnamespace = 'commerce'::regnamespace`,
  );
  return {
    tenants: new Set(tenants.rows.map(({ name }) => name)),
    indexes: new Map(indexes.rows.map(({ name, table, unique }) => [name, { table, unique }])),
  };
}
