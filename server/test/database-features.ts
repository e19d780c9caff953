import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';

/**
 * Lists the features of PostgreSQL that the server needs beyond plain tables and SQL, by their names in
 * docs/scaling.md. Reads a migrated database, statements in the sources and in database functions, and graphile-worker.
 */
export async function featuresUsed(client: Client): Promise<Record<string, string[]>> {
  const features: Record<string, string[]> = {};
  for (const [name, statement] of Object.entries(IN_THE_CATALOGUE)) {
    const { rows } = await client.query<{ item: string }>(statement);
    features[name] = sorted(rows.map(({ item }) => item));
  }
  const bodies = await client.query<{ prosrc: string }>(
    `select prosrc from pg_proc where pronamespace in ('commerce'::regnamespace, 'graphile_worker'::regnamespace)`,
  );
  const statements = [...sourcesIn(SOURCES), ...sourcesIn(WORKER), ...bodies.rows.map(({ prosrc }) => prosrc)];
  for (const [name, pattern] of Object.entries(IN_STATEMENTS)) features[name] = itemsIn(statements, pattern);
  return features;
}

const TABLES = `commerce_tables as (
    select c.oid, c.relname, (select attnum from pg_attribute where attrelid = c.oid and attname = 'site_id') as site_id
    from pg_class c where c.relnamespace = 'commerce'::regnamespace and c.relkind in ('r', 'p')
  ), unique_keys as (
    select t.oid as table_oid, i.indexrelid::regclass::text as name, t.site_id,
      coalesce(t.site_id = any(i.indkey::int2[]), false) as keeps_site, i.indpred, i.indexprs
    from pg_index i join commerce_tables t on t.oid = i.indrelid where i.indisunique
  ), whole_tables as (
    select distinct table_oid from unique_keys where not keeps_site
  )`;

function triggers(condition: string): string {
  return `select p.proname || '(' || string_agg(distinct c.relname, ', ' order by c.relname) || ')' as item
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = 'commerce'::regnamespace and not t.tgisinternal and ${condition} group by p.proname`;
}

function inCommerce(items: string): string {
  return `with ${TABLES} ${items}`;
}

const ROW = 't.tgtype & 1 = 1';
const TRANSITION = 'coalesce(t.tgoldtable, t.tgnewtable) is not null';

const IN_THE_CATALOGUE: Record<string, string> = {
  'Tables without `site_id`': inCommerce('select relname as item from commerce_tables where site_id is null'),
  'Tables outside `commerce`': `select relnamespace::regnamespace || '.' || relname as item from pg_class
    where relkind in ('r', 'p') and relnamespace::regnamespace::text not in ('commerce', 'information_schema')
      and relnamespace::regnamespace::text not like 'pg\\_%'`,
  'Unique keys without `site_id`': inCommerce(
    `select replace(name, 'commerce.', '') as item from unique_keys where site_id is not null and not keeps_site`,
  ),
  'Foreign keys without `site_id`': inCommerce(`select k.conname as item
    from pg_constraint k join commerce_tables t on t.oid = k.conrelid
    where k.contype = 'f' and (t.site_id = any(k.conkey)) is not true`),
  'Foreign keys from a non-distributable table to a distributed one': inCommerce(`select k.conname as item
    from pg_constraint k join whole_tables w on w.table_oid = k.conrelid
    where k.contype = 'f' and k.confrelid not in (select table_oid from whole_tables)`),
  'Actions of foreign keys': `select distinct 'on delete ' || case confdeltype when 'c' then 'cascade' when 'n' then 'set null'
      when 'd' then 'set default' when 'r' then 'restrict' end as item
    from pg_constraint where contype = 'f' and connamespace = 'commerce'::regnamespace and confdeltype <> 'a'
    union select 'on update ' || confupdtype::text from pg_constraint
    where contype = 'f' and connamespace = 'commerce'::regnamespace and confupdtype <> 'a'`,
  'Deferrable keys': `select conname as item from pg_constraint
    where contype <> 't' and condeferrable and connamespace = 'commerce'::regnamespace`,
  'Unique indexes, partial or of expressions': inCommerce(
    `select replace(name, 'commerce.', '') as item from unique_keys where indpred is not null or indexprs is not null`,
  ),
  'Index methods': `select distinct a.amname as item from pg_class x join pg_am a on a.oid = x.relam
    where x.relkind in ('i', 'I') and x.relnamespace = 'commerce'::regnamespace`,
  'Row triggers': triggers(`${ROW} and t.tgconstraint = 0 and not ${TRANSITION}`),
  'Statement triggers': triggers(`not ${ROW} and not (${TRANSITION})`),
  'Triggers with transition tables': triggers(TRANSITION),
  'Constraint triggers, at once': triggers('t.tgconstraint <> 0 and not t.tginitdeferred'),
  'Constraint triggers, deferred': triggers('t.tgconstraint <> 0 and t.tginitdeferred'),
  '`security definer`': `select distinct proname as item from pg_proc
    where prosecdef and pronamespace in ('commerce'::regnamespace, 'graphile_worker'::regnamespace)`,
  'Languages of functions': `select distinct l.lanname as item from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace in ('commerce'::regnamespace, 'graphile_worker'::regnamespace)`,
  Procedures: `select proname as item from pg_proc where prokind = 'p' and pronamespace = 'commerce'::regnamespace`,
  'Row-level security': `select distinct 'policy ' || polname as item from pg_policy p join pg_class c on c.oid = p.polrelid
    where c.relnamespace = 'commerce'::regnamespace
    union select 'forced' from pg_class where relnamespace = 'commerce'::regnamespace and relforcerowsecurity`,
  Roles: `select rolname as item from pg_roles where rolname like 'commerce\\_%' and not rolcanlogin`,
  Extensions: `select extname as item from pg_extension where extname <> 'plpgsql'`,
  Sequences: `select relnamespace::regnamespace || '.' || relname as item from pg_class where relkind = 'S'`,
  'Types of columns': `select distinct format_type(a.atttypid, null) as item
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'commerce'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`,
  'Other objects': `select relname as item from pg_class
      where relnamespace = 'commerce'::regnamespace and (relkind not in ('r', 'i') or relpersistence <> 'p')
    union all select conname from pg_constraint where contype = 'x' and connamespace = 'commerce'::regnamespace
    union all select t.typname from pg_type t where t.typnamespace = 'commerce'::regnamespace and t.typtype in ('e', 'd', 'r')
    union all select attname from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'commerce'::regnamespace and a.attnum > 0 and (a.attgenerated <> '' or a.attidentity <> '')
    union all select rulename from pg_rules where schemaname = 'commerce'
    union all select evtname from pg_event_trigger
    union all select pubname from pg_publication
    union all select collname from pg_collation where collnamespace = 'commerce'::regnamespace`,
};

const LOCKS = String.raw`pg_(?:try_)?advisory\w+`;

/** Matches the features in a statement. Each item is the group in the pattern, or the whole match. */
const IN_STATEMENTS: Record<string, RegExp> = {
  'Advisory locks': new RegExp(String.raw`\b(${LOCKS})\s*\(`, 'gi'),
  '`listen` and `notify`': /\b(listen\s+\\?"[\w:]+|pg_notify)\b/gi,
  'Row locks':
    /\bfor (?:no key update|update|key share|share)\b(?=\s*(?:`|'|"|\)|,|;|\$\{|$|of\b|skip\b|nowait\b|limit\b))/gim,
  '`skip locked`, `nowait`': /\b(?:skip locked|nowait)\b/gi,
  Savepoints: /(?<=['"`])(?:rollback to |release )?savepoint(?= \w+[;'"`])/gi,
  Settings:
    /\b(set_config|current_setting)\s*\(|\b(set (?:local|session)(?: role)?)(?= [\w$]+)|(?<=['"`;])(set role|reset role|set transaction)(?= )/gi,
  'Transaction modes': /\b(?:isolation level (?:repeatable read|serializable)|read only|set constraints)(?=['"`;, ])/gi,
  'Transaction ids and snapshots':
    /\b(pg_(?:current_(?:xact_id|snapshot)|snapshot_\w+|visible_in_snapshot|xact_\w+)|txid_\w+)\s*\(/gi,
  'Sessions of others':
    /\b(pg_(?:locks|stat_activity|prepared_xacts)|pg_(?:backend_pid|blocking_pids|terminate_backend|cancel_backend))\b/gi,
  'Kinds of statements':
    /\b(?:with recursive|on conflict|merge into|create temp\w* table|tablesample|grouping sets|declare \w+ (?:no scroll )?cursor)\b|(?<=['"`])(?:truncate|lock table|copy)(?= [\w$"])/gi,
};

const SOURCES = join(import.meta.dirname, '../src');
const WORKER = join(import.meta.dirname, '../../node_modules/graphile-worker/dist');

/** The texts of the source files. Migrations are excluded, because their objects are in the database. */
function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[tj]s$/.test(file) && !/\.test\.ts$|\.d\.ts$|migrations\/|generated/.test(file))
    .map((file) => withoutComments(readFileSync(join(folder, file), 'utf8')));
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function itemsIn(texts: string[], pattern: RegExp): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(pattern)]);
  return sorted(found.map(([all, ...groups]) => (groups.find(Boolean) ?? all).toLowerCase().replace(/\\|"/g, '')));
}

function sorted(items: string[]): string[] {
  return [...new Set(items)].sort();
}
