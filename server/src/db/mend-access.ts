import type pg from 'pg';
import {
  BACKUP_ROLE,
  backupPolicy,
  POLICIES,
  type Policy,
  REQUEST_FUNCTIONS,
  SEARCH_FUNCTIONS,
  tableRights,
} from './access.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';

type Client = pg.Client;

/** A grant, policy or owner that is missing, and the statement that adds it. */
export interface Gap {
  kind: 'grant' | 'policy' | 'owner';
  role: string;
  text: string;
  statement: string;
}

/**
 * Number of attempts to change a table. Each waits only briefly for the table's lock, because a waiting statement
 * blocks all later users of the table.
 */
const ATTEMPTS = 5;

/**
 * Adds missing grants and policies of roles, and sets the owner of the search functions. `only` limits this to one
 * role. Requires the roles, the migrated schema and the queue's schema. Returns what was missing and has been added.
 */
export async function mendAccess(client: Client, only?: string): Promise<Gap[]> {
  const gaps = (await accessGaps(client)).filter(({ role }) => only === undefined || role === only);
  const given: Gap[] = [];
  for (const gap of gaps) if (await give(client, gap)) given.push(gap);
  return given;
}

/**
 * Adds a missing grant, policy or owner. Returns false if another process has just created the policy, or if the table
 * stayed locked and only backups need the change. If the server needs it, throws instead.
 */
async function give(client: Client, { statement, role }: Gap): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin');
      await client.query(`set local lock_timeout = '2s'`);
      // Concurrent grants on the same table fail in PostgreSQL, so they run one after another.
      await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.access]);
      await client.query(statement);
      await client.query('commit');
      return true;
    } catch (error) {
      await client.query('rollback');
      const { code } = error as { code?: string };
      // Another process has just created the policy.
      if (code === '42710') return false;
      if (code !== '55P03') throw error;
      if (attempt === ATTEMPTS && role === BACKUP_ROLE) return false;
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Grants, policies and owners that migrations create but the database lacks. All statements are sent without waiting
 * for answers, so the client must have `pipeline`.
 */
export async function accessGaps(client: Client): Promise<Gap[]> {
  const [roles, relations, rights, defaults, policies, functions] = await Promise.all([
    knownRoles(client),
    relationsOf(client),
    heldRights(client),
    heldDefaults(client),
    heldPolicies(client),
    functionsOf(client),
  ]);
  return [
    ...missingRights(relations, roles, rights),
    ...missingDefaults(roles, defaults),
    ...missingPolicies(relations, roles, policies),
    ...functionGaps(functions, roles),
  ];
}

async function knownRoles(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select rolname as name from pg_roles where rolname like 'commerce\\_%'`,
  );
  return rows.map(({ name }) => name);
}

interface Relation {
  schema: string;
  name: string;
  kind: 'table' | 'sequence';
  has_row_security: boolean;
}

async function relationsOf(client: Client): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `select n.nspname as schema, c.relname as name, c.relrowsecurity as has_row_security,
        case c.relkind when 'S' then 'sequence' else 'table' end as kind
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'S') and (n.nspname in ('commerce', 'graphile_worker')
        or (n.nspname = 'public' and c.relname like 'commerce\\_migrations%'))
      order by 1, 2`,
  );
  return rows;
}

/** Missing grants, such as `SELECT on table commerce.orders to commerce_app`. */
function missingRights(relations: Relation[], roles: string[], held: Set<string>): Gap[] {
  return wantedRights(relations)
    .filter(({ role }) => roles.includes(role))
    .map((want) => ({ role: want.role, text: textOf(want) }))
    .filter(({ text }) => !held.has(text))
    .map(({ role, text }) => ({ kind: 'grant' as const, role, text, statement: `grant ${text}` }));
}

interface WantedRight {
  right: string;
  kind: 'table' | 'sequence' | 'schema';
  object: string;
  role: string;
}

function wantedRights(relations: Relation[]): WantedRight[] {
  const commerce = relations.filter(({ schema, kind }) => schema === 'commerce' && kind === 'table');
  const usage = ['commerce_app', 'commerce_search', 'commerce_sweep', BACKUP_ROLE].map((role) => ({
    right: 'USAGE',
    kind: 'schema' as const,
    object: 'commerce',
    role,
  }));
  const queue = { right: 'USAGE', kind: 'schema' as const, object: 'graphile_worker', role: BACKUP_ROLE };
  const tables = tableRights(commerce.map(({ name }) => name)).flatMap(({ role, table, rights }) =>
    rights.map((right) => ({ right, kind: 'table' as const, object: table, role })),
  );
  const version = {
    right: 'SELECT',
    kind: 'table' as const,
    object: 'public.commerce_migrations',
    role: 'commerce_app',
  };
  const backup = relations.map(({ schema, name, kind }) => ({
    right: 'SELECT',
    kind,
    object: `${schema}.${name}`,
    role: BACKUP_ROLE,
  }));
  const hasQueue = relations.some(({ schema }) => schema === 'graphile_worker');
  return [...usage, ...(hasQueue ? [queue] : []), ...tables, version, ...backup];
}

function textOf({ right, kind, object, role }: WantedRight): string {
  return `${right} on ${kind} ${object} to ${role}`;
}

/** The rights that all roles hold, as `textOf` writes them. */
async function heldRights(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ held: string }>(
    `select a.privilege_type || ' on ' || o.kind || ' ' || o.object || ' to ' || r.rolname as held
      from (
        select case c.relkind when 'S' then 'sequence' else 'table' end as kind,
          n.nspname || '.' || c.relname as object, c.relacl as acl
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('commerce', 'graphile_worker', 'public')
        union all
        select 'schema', nspname, nspacl from pg_namespace where nspname in ('commerce', 'graphile_worker')
      ) o, aclexplode(o.acl) a join pg_roles r on r.oid = a.grantee`,
  );
  return new Set(rows.map(({ held }) => held));
}

async function heldDefaults(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ type: string }>(
    `select distinct d.defaclobjtype as type from pg_default_acl d, aclexplode(d.defaclacl) a
      where d.defaclnamespace = to_regnamespace('commerce') and d.defaclrole = current_user::regrole
        and a.grantee = to_regrole('commerce_app')`,
  );
  return rows.map(({ type }) => type);
}

/** Missing default privileges, which give commerce_app access to tables that are created later. */
function missingDefaults(roles: string[], held: string[]): Gap[] {
  if (!roles.includes('commerce_app')) return [];
  const defaults = { r: 'select, insert, update, delete on tables', S: 'usage on sequences' };
  return Object.entries(defaults)
    .filter(([type]) => !held.includes(type))
    .map(([, rights]) => ({
      kind: 'grant' as const,
      role: 'commerce_app',
      text: `default ${rights} to commerce_app`,
      statement: `alter default privileges in schema commerce grant ${rights} to commerce_app`,
    }));
}

async function heldPolicies(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ policy: string }>(
    `select schemaname || '.' || tablename || ' ' || policyname as policy from pg_policies
      where schemaname in ('commerce', 'graphile_worker')`,
  );
  return new Set(rows.map(({ policy }) => policy));
}

function missingPolicies(relations: Relation[], roles: string[], held: Set<string>): Gap[] {
  const names = relations.map(({ schema, name }) => `${schema}.${name}`);
  const secured = relations
    .filter((relation) => relation.has_row_security)
    .map(({ schema, name }) => `${schema}.${name}`);
  const wanted = [...POLICIES.filter(({ table }) => names.includes(table)), ...secured.map(backupPolicy)];
  return wanted
    .filter(({ table, name, role }) => roles.includes(role) && !held.has(`${table} ${name}`))
    .map((policy) => ({
      kind: 'policy' as const,
      role: policy.role,
      text: `policy ${policy.name} on ${policy.table}`,
      statement: creationOf(policy),
    }));
}

function creationOf({ table, name, role, command, using }: Policy): string {
  return `create policy ${name} on ${table} for ${command} to ${role} using (${using})`;
}

interface FoundFunction {
  name: string;
  signature: string;
  owner: string;
  /** Whether the login may change the function's owner. */
  ours: boolean;
  open: boolean;
  callable: boolean;
  definition: string;
}

async function functionsOf(client: Client): Promise<FoundFunction[]> {
  const { rows } = await client.query<FoundFunction>(
    `select p.proname as name, p.oid::regprocedure::text as signature, pg_get_userbyid(p.proowner) as owner,
        pg_has_role(current_user, p.proowner, 'usage') as ours, pg_get_functiondef(p.oid) as definition,
        coalesce(bool_or(a.grantee = 0), false) as open,
        coalesce(bool_or(a.grantee = to_regrole('commerce_app')), false) as callable
      from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      where p.pronamespace = to_regnamespace('commerce') and p.proname = any($1) group by p.oid`,
    [[...REQUEST_FUNCTIONS, ...SEARCH_FUNCTIONS]],
  );
  return rows;
}

function functionGaps(rows: FoundFunction[], roles: string[]): Gap[] {
  const requests = rows.filter(({ name }) => !SEARCH_FUNCTIONS.includes(name));
  const search = rows.filter(({ name, owner }) => SEARCH_FUNCTIONS.includes(name) && owner !== 'commerce_search');
  return [
    ...requests.filter(({ open }) => open).map(({ signature }) => revoked(signature)),
    // The right to call a function is granted before its owner changes, because afterwards only the new owner may grant
    // it.
    ...rows
      .filter(({ callable, ours }) => !callable && ours && roles.includes('commerce_app'))
      .map(({ signature }) => called(signature)),
    ...(roles.includes('commerce_search') ? search.map(transferred) : []),
  ];
}

function revoked(signature: string): Gap {
  const text = `no EXECUTE on function ${signature} for everybody`;
  return { kind: 'grant', role: 'public', text, statement: `revoke execute on routine ${signature} from public` };
}

function called(signature: string): Gap {
  const right = `EXECUTE on routine ${signature} to commerce_app`;
  return { kind: 'grant', role: 'commerce_app', text: right, statement: `grant ${right}` };
}

/**
 * The statement that gives a function its intended owner. A login that does not own the function must drop and create
 * it again; as owner of the schema, it may do so. The definition sets a parameter of pg_trgm, which PostgreSQL allows
 * only after that extension is loaded.
 */
function transferred({ signature, ours, definition }: FoundFunction): Gap {
  const recreated = `select public.show_limit(); drop function ${signature}; ${definition}; grant execute on routine ${signature} to commerce_app;`;
  return {
    kind: 'owner',
    role: 'commerce_search',
    text: `owner of function ${signature}`,
    statement: `${ours ? '' : recreated} grant create on schema commerce to commerce_search;
      alter function ${signature} owner to commerce_search;
      revoke create on schema commerce from commerce_search`,
  };
}
