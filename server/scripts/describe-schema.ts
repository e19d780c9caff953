/**
 * Writes src/db/schema.sql, the schema after all migrations, and src/db/tables.ts, the types of its rows: `npm run
 * schema --workspace server`. Both are committed; db/schema.test.ts fails if they are outdated.
 */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { prepareSchema } from '../src/commands/schema.ts';
import { startEmbedded } from '../src/db/embedded.ts';

export const SCHEMA_FILE = join(import.meta.dirname, '../src/db/schema.sql');
export const TYPES_FILE = join(import.meta.dirname, '../src/db/tables.ts');

const HEADER = 'Generated from the migrations by `npm run schema --workspace server`. Do not edit.';

export interface Described {
  sql: string;
  types: string;
}

/** Describes the schema of a migrated database. The connection needs read access to the catalogue. */
export async function describeSchema(client: pg.Client): Promise<Described> {
  await client.query(`set search_path = ''`);
  const parts = [
    await lines(client, FUNCTIONS),
    ...(await tables(client)),
    await lines(client, VIEWS),
    await lines(client, TRIGGERS),
    await lines(client, POLICIES),
    await lines(client, GRANTS),
  ];
  return { sql: `-- ${HEADER}\n\n${parts.filter(Boolean).join('\n\n')}\n`, types: await rowTypes(client) };
}

const OURS = `n.nspname = 'commerce'`;

const FUNCTIONS = `select pg_get_functiondef(p.oid) || ';' as line from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where ${OURS} and p.prokind in ('f', 'p')
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname, pg_get_function_identity_arguments(p.oid)`;

const VIEWS = `select format('create view %I.%I as%s%s', n.nspname, c.relname, E'\\n', pg_get_viewdef(c.oid)) as line
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} and c.relkind = 'v' order by c.relname`;

const TRIGGERS = `select pg_get_triggerdef(t.oid) || ';' as line
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where ${OURS} and not t.tgisinternal order by c.relname, t.tgname`;

const POLICIES = `select format('create policy %I on %I.%I as %s for %s to %s%s%s;', p.policyname, p.schemaname, p.tablename,
    lower(p.permissive), lower(p.cmd), array_to_string(p.roles, ', '),
    E'\\n  using (' || p.qual || ')', E'\\n  with check (' || p.with_check || ')') as line
  from pg_policies p where p.schemaname = 'commerce' order by p.tablename, p.policyname`;

const GRANTS = `select format('grant %s on %s to %s;', string_agg(lower(g.privilege_type), ', ' order by g.privilege_type),
    format('%I.%I', g.table_schema, g.table_name), g.grantee) as line
  from information_schema.role_table_grants g
  where g.table_schema = 'commerce' and g.grantee like 'commerce\\_%'
  group by g.table_schema, g.table_name, g.grantee order by g.table_name, g.grantee`;

async function lines(client: pg.Client, statement: string): Promise<string> {
  const { rows } = await client.query<{ line: string }>(statement);
  return rows.map(({ line }) => line.trim()).join('\n\n');
}

interface Column {
  table: string;
  name: string;
  type: string;
  /** The type of the column or, for an array, of its elements. */
  base: string;
  array: boolean;
  nullable: boolean;
  default: string | null;
  generated: boolean;
}

async function columnsOf(client: pg.Client): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<Column>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
        format_type(coalesce(nullif(t.typelem, 0), t.oid), null) as base, t.typcategory = 'A' as array,
        not a.attnotnull as nullable, pg_get_expr(d.adbin, d.adrelid) as default, a.attgenerated <> '' as generated
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where ${OURS} and c.relkind in ('r', 'p') order by c.relname, a.attnum`,
  );
  return Map.groupBy(rows, ({ table }) => table);
}

async function tables(client: pg.Client): Promise<string[]> {
  const columns = await columnsOf(client);
  const constraints = await grouped(
    client,
    // Excludes not-null constraints, which are written with their columns.
    `select c.relname as table, format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) as line
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where ${OURS} and k.contype in ('p', 'u', 'f', 'c', 'x')
      order by c.relname, array_position(array['p', 'u', 'f', 'c', 'x'], k.contype::text), k.conname collate "C"`,
  );
  const indexes = await grouped(
    client,
    `select c.relname as table, pg_get_indexdef(i.indexrelid) || ';' as line
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace
      where ${OURS} and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      order by c.relname, x.relname`,
  );
  const walls = await grouped(
    client,
    `select c.relname as table, format('alter table %I.%I enable row level security%s;', n.nspname, c.relname,
        case when c.relforcerowsecurity then ', force row level security' else '' end) as line
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} and c.relrowsecurity order by c.relname`,
  );
  const storage = await grouped(
    client,
    `select c.relname as table, format(' with (%s)', array_to_string(c.reloptions, ', ')) as line
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where ${OURS} and c.relkind in ('r', 'p') and c.reloptions is not null order by c.relname`,
  );
  return [...columns].map(([table, own]) => {
    const inside = [...own.map(columnLine), ...(constraints.get(table) ?? [])].map((line) => `  ${line}`).join(',\n');
    return [
      `create table commerce.${table} (\n${inside}\n)${storage.get(table) ?? ''};`,
      ...(indexes.get(table) ?? []),
      ...(walls.get(table) ?? []),
    ].join('\n');
  });
}

function columnLine({ name, type, nullable, default: value, generated }: Column): string {
  const filled = value === null ? '' : generated ? ` generated always as (${value}) stored` : ` default ${value}`;
  return `${name} ${type}${nullable ? '' : ' not null'}${filled}`;
}

async function grouped(client: pg.Client, statement: string): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; line: string }>(statement);
  return new Map(
    [...Map.groupBy(rows, ({ table }) => table)].map(([table, own]) => [table, own.map(({ line }) => line)]),
  );
}

/**
 * The types that `pg` returns with the parsers of connect.ts: decimal amounts and times are strings, whole numbers are
 * numbers.
 */
const TYPES: Record<string, string> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  real: 'number',
  'double precision': 'number',
  bytea: 'Buffer',
  json: 'unknown',
  jsonb: 'unknown',
};

async function rowTypes(client: pg.Client): Promise<string> {
  const columns = await columnsOf(client);
  const choices = await choicesOf(client);
  const interfaces = [...columns].map(([table, own]) => {
    const fields = own.map(({ name, base, array, nullable }) => {
      const type = choices.get(`${table}.${name}`) ?? `${TYPES[base] ?? 'string'}${array ? '[]' : ''}`;
      return `    ${name}: ${type}${nullable && type !== 'unknown' ? ' | null' : ''};`;
    });
    return `  ${table}: {\n${fields.join('\n')}\n  };`;
  });
  return `// ${HEADER}\n\n/** The rows of each table, as \`pg\` reads them: decimal amounts and times are strings. */\nexport interface Tables {\n${interfaces.join('\n')}\n}\n`;
}

/** The values that a check constraint allows in a column, as a union of literals, by `table.column`. */
async function choicesOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ column: string; check: string }>(
    `select c.relname || '.' || a.attname as column, pg_get_constraintdef(k.oid) as check
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
      where ${OURS} and k.contype = 'c' and cardinality(k.conkey) = 1`,
  );
  return new Map(
    rows.flatMap(({ column, check }) => {
      const list = /^CHECK \(\(\w+ = ANY \(ARRAY\[(.*)\]\)\)\)$/.exec(check)?.[1];
      const values = list?.split(', ').map((value) => value.replace(/::text$/, ''));
      return values ? [[column, values.join(' | ')]] : [];
    }),
  );
}

/** Migrates a temporary database and describes it. */
async function describeMigrations(): Promise<Described> {
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-schema-'));
  // PostgreSQL may run as another user, who must be able to enter the directory.
  chmodSync(dataDir, 0o711);
  const { url, stop } = await startEmbedded({ dataDir, durable: false });
  try {
    await prepareSchema(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return await describeSchema(client).finally(() => client.end());
  } finally {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { sql, types } = await describeMigrations();
  writeFileSync(SCHEMA_FILE, sql);
  writeFileSync(TYPES_FILE, types);
}
