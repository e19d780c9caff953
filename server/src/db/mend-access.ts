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

/** A missing grant, policy or owner, with the statement that adds it. */
export interface Gap {
  kind: 'grant' | 'policy' | 'owner';
  role: string;
  text: string;
  statement: string;
}

/**
 * Number of attempts to change a table. The statement waits for the table's users and blocks others meanwhile, so it
 * must not wait long.
 */
const ATTEMPTS = 5;

/**
 * Adds the grants and policies that roles lack, and sets the owner of the search functions; with `only`, for that role
 * only. The roles, the migrated schema and the queue's schema must exist. Returns what it added.
 */
export async function mendAccess(client: Client, only?: string): Promise<Gap[]> {
  const gaps = (await accessGaps(client)).filter(({ role }) => only === undefined || role === only);
  const given: Gap[] = [];
  for (const gap of gaps) if (await give(client, gap)) given.push(gap);
  return given;
}

/**
 * Adds a missing grant, policy or owner. Returns whether it was added. A table that is locked for long may block
 * backups, but must not block the start of the server.
 */
async function give(client: Client, { statement, role }: Gap): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin');
      await client.query(`set local lock_timeout = '2s'`);
      // Two concurrent grants on the same table both fail.
      await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.access]);
      await client.query(statement);
      await client.query('commit');
      return true;
    } catch (error) {
      await client.query('rollback');
      const { code } = error as { code?: string };
      // Another process created the policy at the same time.
      if (code === '42710') return false;
      if (code !== '55P03') throw error;
      if (attempt === ATTEMPTS && role === BACKUP_ROLE) return false;
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** The grants, policies and owners that the database lacks compared with the migrations. */
export async function accessGaps(client: Client): Promise<Gap[]> {
  const roles = await knownRoles(client);
  const tables = await tablesOf(client);
  const rights = await missingRights(client, tables, roles);
  const policies = await missingPolicies(client, tables, roles);
  const functions = await functionGaps(client, roles);
  return [...rights, ...policies, ...functions];
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
  /** Whether row-level security is on. */
  walled: boolean;
}

async function tablesOf(client: Client): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `select n.nspname as schema, c.relname as name, c.relrowsecurity as walled,
        case c.relkind when 'S' then 'sequence' else 'table' end as kind
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'S') and (n.nspname in ('commerce', 'graphile_worker')
        or (n.nspname = 'public' and c.relname like 'commerce\\_migrations%'))
      order by 1, 2`,
  );
  return rows;
}

/** The missing grants, such as `SELECT on table commerce.orders to commerce_app`. */
async function missingRights(client: Client, relations: Relation[], roles: string[]): Promise<Gap[]> {
  const held = await heldRights(client);
  const wanted = wantedRights(relations).filter(({ role }) => roles.includes(role));
  const gaps = wanted
    .filter((want) => !held.has(textOf(want)))
    .map((want) => ({
      kind: 'grant' as const,
      role: want.role,
      text: textOf(want),
      statement: `grant ${textOf(want)}`,
    }));
  return [...gaps, ...(await missingDefaults(client, roles))];
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

async function heldRights(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<WantedRight>(
    `select a.privilege_type as right, r.rolname as role, o.kind, o.object
      from (
        select case c.relkind when 'S' then 'sequence' else 'table' end as kind,
          n.nspname || '.' || c.relname as object, c.relacl as acl
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('commerce', 'graphile_worker', 'public')
        union all
        select 'schema', nspname, nspacl from pg_namespace where nspname in ('commerce', 'graphile_worker')
      ) o, aclexplode(o.acl) a join pg_roles r on r.oid = a.grantee`,
  );
  return new Set(rows.map(textOf));
}

/** The missing default privileges, which give requests their rights to tables that are created later. */
async function missingDefaults(client: Client, roles: string[]): Promise<Gap[]> {
  if (!roles.includes('commerce_app')) return [];
  const { rows } = await client.query<{ type: string }>(
    `select distinct d.defaclobjtype as type from pg_default_acl d, aclexplode(d.defaclacl) a
      where d.defaclnamespace = to_regnamespace('commerce') and d.defaclrole = current_user::regrole
        and a.grantee = to_regrole('commerce_app')`,
  );
  const held = rows.map(({ type }) => type);
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

async function missingPolicies(client: Client, relations: Relation[], roles: string[]): Promise<Gap[]> {
  const { rows } = await client.query<{ policy: string }>(
    `select schemaname || '.' || tablename || ' ' || policyname as policy from pg_policies
      where schemaname in ('commerce', 'graphile_worker')`,
  );
  const held = new Set(rows.map(({ policy }) => policy));
  const names = relations.map(({ schema, name }) => `${schema}.${name}`);
  const walled = relations.filter((relation) => relation.walled).map(({ schema, name }) => `${schema}.${name}`);
  const wanted = [...POLICIES.filter(({ table }) => names.includes(table)), ...walled.map(backupPolicy)];
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
  /** Whether the login may change the owner. */
  ours: boolean;
  open: boolean;
  callable: boolean;
  definition: string;
}

async function functionGaps(client: Client, roles: string[]): Promise<Gap[]> {
  const { rows } = await client.query<FoundFunction>(
    `select p.proname as name, p.oid::regprocedure::text as signature, pg_get_userbyid(p.proowner) as owner,
        pg_has_role(current_user, p.proowner, 'usage') as ours, pg_get_functiondef(p.oid) as definition,
        coalesce(bool_or(a.grantee = 0), false) as open,
        coalesce(bool_or(a.grantee = to_regrole('commerce_app')), false) as callable
      from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      where p.pronamespace = to_regnamespace('commerce') and p.proname = any($1) group by p.oid`,
    [[...REQUEST_FUNCTIONS, ...SEARCH_FUNCTIONS]],
  );
  const requests = rows.filter(({ name }) => !SEARCH_FUNCTIONS.includes(name));
  const search = rows.filter(({ name, owner }) => SEARCH_FUNCTIONS.includes(name) && owner !== 'commerce_search');
  return [
    ...requests.filter(({ open }) => open).map(({ signature }) => revoked(signature)),
    // Before the owner changes, because afterwards only the new owner can grant rights to the function.
    ...rows
      .filter(({ callable, ours }) => !callable && ours && roles.includes('commerce_app'))
      .map(({ signature }) => called(signature)),
    ...(roles.includes('commerce_search') ? search.map(handedOn) : []),
  ];
}

function revoked(signature: string): Gap {
  const text = `no EXECUTE on function ${signature} for everybody`;
  return { kind: 'grant', role: 'public', text, statement: `revoke execute on function ${signature} from public` };
}

function called(signature: string): Gap {
  const right = `EXECUTE on function ${signature} to commerce_app`;
  return { kind: 'grant', role: 'commerce_app', text: right, statement: `grant ${right}` };
}

/**
 * The statement that gives a function its right owner if the login does not own it: the owner of the schema can drop
 * the function and create it again. Its definition sets a parameter of pg_trgm, which PostgreSQL allows once that
 * extension is loaded.
 */
function handedOn({ signature, ours, definition }: FoundFunction): Gap {
  const anew = `select public.show_limit(); drop function ${signature}; ${definition}; grant execute on function ${signature} to commerce_app;`;
  return {
    kind: 'owner',
    role: 'commerce_search',
    text: `owner of function ${signature}`,
    statement: `${ours ? '' : anew} grant create on schema commerce to commerce_search;
      alter function ${signature} owner to commerce_search;
      revoke create on schema commerce from commerce_search`,
  };
}
