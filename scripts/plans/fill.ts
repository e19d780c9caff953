/**
 * Fills each table with generated rows, so that the planner chooses plans as for a database with many shops. Tables and
 * columns are read from PostgreSQL's catalogue, so new ones need no change here.
 */

import pg from 'pg';

const SITES = 1_000;
const ROWS = 10_000;
/** Fill factor of pages. It is so low that a sequential scan costs as much as with ten times as many rows. */
const FILL_PERCENT = 10;

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  /** Whether the column is part of a foreign key to another table than sites. Then several rows have the same value. */
  refers: boolean;
  /** Values that a check constraint allows, if it lists them. */
  allowed: string[] | null;
  /** Whether the table has a deferrable key, which does not support `on conflict`. */
  deferrable: boolean;
}

const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
    exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any(k.conkey)) as refers,
    (select array_agg(value[1]) from pg_constraint k,
        regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') as value
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
        and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%') as allowed,
    exists (select from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u') and k.condeferrable) as deferrable
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'commerce'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
  order by c.relname, a.attnum`;

const CHECKS = `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
  from pg_constraint where contype = 'c' and connamespace = 'commerce'::regnamespace and conrelid <> 0`;

/** Fills the database. `url` must connect as superuser. */
export async function fill(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    // The rows exist only for plans, so foreign keys, triggers and checks across columns are disabled.
    await client.query('set session_replication_role = replica; set search_path = commerce, public');
    const { rows: checks } = await client.query<{ statement: string }>(CHECKS);
    const { rows: columns } = await client.query<Column>(COLUMNS);
    for (const { statement } of checks) await client.query(statement);
    for (const [table, of] of Map.groupBy(columns, (column) => column.table)) {
      await client.query(`alter table commerce.${client.escapeIdentifier(table)} set (fillfactor = ${FILL_PERCENT})`);
      await client.query(insertion(client, table, of ?? []));
    }
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

function insertion(client: pg.Client, table: string, columns: Column[]): string {
  const names = columns.map(({ name }) => client.escapeIdentifier(name)).join(', ');
  const values = columns.map((column) => expressionOf(client, column)).join(', ');
  const conflicts = columns.some(({ deferrable }) => deferrable) ? '' : 'on conflict do nothing';
  const rows = table === 'sites' ? SITES : ROWS;
  const into = `commerce.${client.escapeIdentifier(table)}`;
  return `insert into ${into} (${names}) select ${values} from generate_series(1, ${rows}) as i ${conflicts}`;
}

/** Returns an SQL expression for a column's value in row number `i`. */
function expressionOf(client: pg.Client, { name, type, nullable, refers, allowed }: Column): string {
  if (name === 'site_id') return uuid(`1 + i % ${SITES}`);
  const value = allowed ? oneOf(client, allowed) : VALUES[type.replace(/\(.*\)/, '')]?.(refers ? 'i / 3' : 'i', name);
  if (value === undefined) throw new Error(`There is no made-up value for ${name}, of type ${type}: add one.`);
  return `(${nullable ? `case when i % 5 > 0 then ${value} end` : value})::${type}`;
}

const VALUES: Record<string, (i: string, name: string) => string> = {
  uuid,
  text: (i, name) => `'${name}-' || ${i}`,
  bytea: (i) => `sha256((${i})::text::bytea)`,
  boolean: (i) => `${i} % 2 = 0`,
  smallint: (i) => `1 + ${i} % 3`,
  integer: (i) => `1 + ${i} % 3`,
  bigint: (i) => i,
  numeric: (i) => `${i} % 100`,
  real: (i) => `${i} % 1000`,
  jsonb: () => `'{}'`,
  inet: (i) => `inet '192.0.2.0' + ${i} % 250`,
  xid8: (i) => `(${i})::text::xid8`,
  tsvector: (i) => `to_tsvector('simple', 'word' || ${i} % 500)`,
  date: (i) => `date '2000-01-01' + (${i}) * interval '1 month'`,
  'timestamp with time zone': (i) => `now() + (${i} - ${ROWS / 2}) * interval '1 minute'`,
  'text[]': (i) => `array['item-' || ${i} % 50]`,
  'uuid[]': () => `'{}'`,
};

function uuid(i: string): string {
  return `lpad(to_hex(${i}), 32, '0')::uuid`;
}

function oneOf(client: pg.Client, values: string[]): string {
  return `(array[${values.map((value) => client.escapeLiteral(value)).join(', ')}])[1 + i / 7 % ${values.length}]`;
}
