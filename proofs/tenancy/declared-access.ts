import type { Pool } from 'pg';
import {
  type ContractDocument,
  document,
  type Operation,
  operationTable,
} from '../../server/src/http/contract/contract.ts';
import { operatorDocument, operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { ABOUT_ALL, ask, operatorCall, settle, withListener } from '../testing/operators.ts';
import { DIRECTORY, tablesWithSite } from '../testing/owner-queries.ts';
import type { Figures, Proof, Trial } from '../testing/proof.ts';
import { watchStatements } from '../testing/statements.ts';
import type { World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/** Checks rules about the contract, the database schema and every SQL statement. */
export const A10: Proof = {
  id: 'A10',
  promise:
    'Every operation declares its callers, every tenant table has row-level security, every statement names the tenant.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      for (const operation of operationTable) judgeOperation(world, document, operation);
      for (const operation of operatorOperations) judgeOfOperators(world, operation);
      const tables = (await tablesWithSite(world.owner)).filter((table) => !DIRECTORY.includes(table));
      await judgeTables(world, tables);
      const statements = await statementsOfAll(world, trial);
      for (const statement of statements) judgeStatement(world, statement, tables);
      const operations = operationTable.length + operatorOperations.length;
      const tried = operations + tables.length + statements.length;
      const note = `${operations} operations, ${operatorOperations.length} of them of operators, ${tables.length} tables, ${statements.length} statements`;
      return { tried, unit: 'declarations', note, violations: world.violations.list } satisfies Figures;
    }),
};

/** Operations that need no credentials. Each addition is a deliberate decision. */
const PUBLIC = [
  'dashboard.login',
  'dashboard.getInvitation',
  'dashboard.registerStaff',
  'dashboard.requestStaffPasswordReset',
  'dashboard.resetStaffPassword',
  'agent.requestConsent',
  'agent.pollConsent',
];

/**
 * Operations for operators must accept only operator keys and have the operator rate limit. Their path must name the
 * site, except for the operations in ABOUT_ALL.
 */
function judgeOfOperators(world: World, operation: Operation): void {
  judgeOperation(world, operatorDocument, operation);
  const { id, path, security } = operation;
  if (JSON.stringify(security) !== '[["OperatorKey"]]')
    world.violations.add(`${id} accepts another credential than an operator's key`);
  if (operation.rateLimit !== 'operator') world.violations.add(`${id} has no operator rate limit`);
  if (!ABOUT_ALL.includes(id) && !path.startsWith('/api/operator/sites/{site_id}'))
    world.violations.add(`the path of ${id} has no site_id`);
}

function judgeOperation(
  { violations }: World,
  source: ContractDocument,
  { id, path, method, security, scope, rateLimit }: Operation,
): void {
  const declared = source.paths[path]?.[method] as Record<string, unknown>;
  if (!Array.isArray(declared.security)) violations.add(`${id} declares no security`);
  if (security.length === 0 && !PUBLIC.includes(id)) violations.add(`${id} is open to everybody`);
  const needsNone = declared['x-scope'] === 'none';
  if (security.length > 0 && !scope && !needsNone) violations.add(`${id} declares no x-scope`);
  if (rateLimit === 'undefined') violations.add(`${id} declares no x-rate-limit`);
}

async function judgeTables({ owner, violations }: World, tables: string[]): Promise<void> {
  const walls = await rowsOf<{ name: string; forced: boolean; policies: number }>(
    owner,
    `select relname as name, relrowsecurity and relforcerowsecurity as forced,
       (select count(*)::int from pg_policy where polrelid = c.oid) as policies
     from pg_class c where relnamespace = 'commerce'::regnamespace and relname = any($1)`,
    tables,
  );
  for (const { name, forced, policies } of walls) {
    if (!forced || policies === 0) violations.add(`the table ${name} has no forced row-level security`);
  }
  // The tenant must be the first column of each unique key, and one of the columns of each reference between tenant tables.
  const keys = await rowsOf<{ name: string; key: string }>(
    owner,
    `select c.relname as name, x.relname as key from pg_index i
     join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
     join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
     where c.relnamespace = 'commerce'::regnamespace and c.relname = any($1) and i.indisunique and a.attname <> 'site_id'`,
    tables,
  );
  for (const { name, key } of keys) violations.add(`the unique key ${key} of ${name} does not begin with site_id`);
  const references = await rowsOf<{ name: string; key: string }>(
    owner,
    `select c.relname as name, k.conname as key from pg_constraint k join pg_class c on c.oid = k.conrelid
     join pg_class target on target.oid = k.confrelid
     where k.contype = 'f' and c.relnamespace = 'commerce'::regnamespace and c.relname = any($1) and target.relname = any($1)
       and not exists (select from pg_attribute a
         where a.attrelid = c.oid and a.attnum = any(k.conkey) and a.attname = 'site_id')`,
    tables,
  );
  for (const { name, key } of references) violations.add(`the foreign key ${key} of ${name} does not include site_id`);
}

async function rowsOf<Row extends object>(owner: Pool, statement: string, tables: string[]): Promise<Row[]> {
  return (await owner.query<Row>(statement, [tables])).rows;
}

async function statementsOfAll(world: World, trial: Trial): Promise<string[]> {
  const seen = new Set<string>();
  const stop = watchStatements((text) => seen.add(text));
  for (const operation of operationTable) {
    for (const full of waysToAsk(operation)) {
      await world.send(await validCall(world, world.tenants[0], operation, { full }), world.tenants[0]);
    }
  }
  await withListener(world, trial, async (listener) => {
    for (const operation of operatorOperations) {
      for (const full of waysToAsk(operation)) {
        await ask(listener, await operatorCall(listener, world.tenants[0], operation, { full }), world.tenants[0]);
      }
      await settle(listener, world.tenants[0]);
    }
  });
  stop();
  return [...seen];
}

/** Returns the values of `full` to test: without query parameters and, if the operation has any, with all of them. */
function waysToAsk({ parameters }: Operation): boolean[] {
  return parameters.some((parameter) => parameter.in === 'query') ? [false, true] : [false];
}

/**
 * A statement must get the site as a parameter, and mention site_id at least as often as tenant tables. Then each table
 * has its own condition, or is joined by a key that begins with site_id.
 */
function judgeStatement({ violations }: World, text: string, tables: string[]): void {
  const named = [...text.matchAll(/\b(?:from|join|into|update)\s+(?:commerce\.)?(\w+)/gi)].filter(([, name]) =>
    tables.includes(name ?? ''),
  );
  if (named.length === 0) return;
  const bound = /site_id\s*=\s*(?:\(select )?\$\d|insert\s+into\s+\w+(?:\s+as\s+\w+)?\s*\(\s*site_id/i.test(text);
  if (!bound) violations.add(`a statement is not bound to a site: ${text.slice(0, 400)}`);
  const conditions = text.match(/site_id/g)?.length ?? 0;
  if (named.length > conditions) {
    violations.add(
      `a statement names ${named.length} tenant tables, and site_id ${conditions} times: ${text.slice(0, 400)}`,
    );
  }
}
