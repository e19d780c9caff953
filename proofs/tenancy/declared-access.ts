import {
  type ContractDocument,
  document,
  type Operation,
  operationTable,
} from '../../server/src/http/contract/contract.ts';
import { operatorDocument, operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { ABOUT_ALL, ask, operatorCall, settle, withListener } from '../testing/operators.ts';
import { DIRECTORY, tablesWithSite } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
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
      const tried = operationTable.length + operatorOperations.length + tables.length + statements.length;
      return { tried, unit: 'declarations', violations: world.violations.list } satisfies Figures;
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

const TABLES = `select c.oid, c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced from pg_class c
  where c.relnamespace = 'commerce'::regnamespace and c.relname = any($1)`;

/** Queries for mistakes in the tables of tenants. Each row has the name of a table, and of the key if one is wrong. */
const MISTAKES: [what: string, query: string][] = [
  [
    'has no forced row-level security',
    `select t.name from tables t where not t.forced or not exists (select from pg_policy where polrelid = t.oid)`,
  ],
  [
    'has a unique key that does not begin with site_id',
    `select t.name, i.indexrelid::regclass::text as key from tables t join pg_index i on i.indrelid = t.oid
     join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
     where i.indisunique and a.attname <> 'site_id'`,
  ],
  [
    'has a foreign key that does not include site_id',
    `select t.name, k.conname as key from tables t join pg_constraint k on k.conrelid = t.oid
     join tables target on target.oid = k.confrelid
     where k.contype = 'f' and not exists (select from pg_attribute a
       where a.attrelid = t.oid and a.attnum = any(k.conkey) and a.attname = 'site_id')`,
  ],
];

async function judgeTables({ owner, violations }: World, tables: string[]): Promise<void> {
  for (const [what, query] of MISTAKES) {
    const { rows } = await owner.query<{ name: string; key?: string }>(`with tables as (${TABLES}) ${query}`, [tables]);
    for (const { name, key = '' } of rows) violations.add(`the table ${name} ${what} ${key}`);
  }
}

/** Calls each operation with all query parameters and without, in the short form in one of these ways. */
async function statementsOfAll(world: World, trial: Trial): Promise<string[]> {
  const chance = chanceOf(trial.seed);
  const waysToAsk = ({ parameters }: Operation) => {
    const ways = parameters.some((parameter) => parameter.in === 'query') ? [false, true] : [false];
    return chance.some(ways, pick(trial.size, 1, 2));
  };
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
