import type pg from 'pg';
import { BACKUP_ROLE } from '../db/access.ts';
import type { FileStore } from '../files/store.ts';
import { copyOut, type OnRows } from './copy.ts';
import { filesOut, type OnFile } from './files.ts';
import { encode, FORMAT, type Header, opening, type Sequence, type TableColumns } from './format.ts';

/** Header fields that are not in the database. */
export interface About {
  release: string;
  /** The fingerprint of SECRET_KEY. */
  secret_key: string;
}

/** The file store, if the backup contains files. */
export interface DumpedFiles {
  store: FileStore;
  onFile: OnFile;
  /** Called at the end with the number of files that are missing in the store. */
  onMissing(count: number): void;
}

/**
 * Yields the bytes of a backup, before compression. Reads all tables in one snapshot as commerce_backup, whose policies
 * show every row. A missing policy must not hide rows. `row_security = off` would raise an error instead, but it
 * rejects every role without BYPASSRLS. So the policies are checked first, and no tenant is set, so that a tenant
 * policy raises an error.
 */
export async function* dump(
  client: pg.ClientBase,
  about: About,
  onRows: OnRows,
  files?: DumpedFiles,
): AsyncGenerator<Buffer> {
  await beginSnapshot(client);
  await client.query(`set local role ${BACKUP_ROLE}`);
  const tables = await readTables(client);
  refuseClosed(tables);
  await client.query(`lock table ${tables.map(({ table }) => table).join(', ')} in access share mode`);
  const header = await headerOf(client, about, tables, files !== undefined);
  yield opening();
  yield encode({ kind: 'header', header });
  for (const [index, { table, columns }] of tables.entries()) {
    const place = { table, index, of: tables.length };
    yield* copyOut(client, place, `select ${columns.join(', ')} from ${table}`, onRows);
  }
  // Sequences are not part of a snapshot: read last, they are at least as high as the rows need.
  yield encode({ kind: 'sequences', sequences: await readSequences(client) });
  if (files) files.onMissing(yield* filesOut(client, files.store, files.onFile));
  yield encode({ kind: 'end', tables: tables.length });
  await client.query('commit');
}

/** Settings that make the text of values independent of the database and the login. */
const PLAIN = {
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
  lock_timeout: '10s',
  row_security: 'on',
  search_path: '',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  timezone: 'UTC',
};

/** Begins the transaction with one snapshot for all reads. */
export async function beginSnapshot(client: pg.ClientBase): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
  // transaction_timeout exists only since PostgreSQL 17.
  await client.query(
    `select set_config(name, ($2::text[])[array_position($1::text[], lower(name))], true)
      from pg_settings where lower(name) = any($1)`,
    [Object.keys(PLAIN), Object.values(PLAIN)],
  );
}

/**
 * SQL condition on pg_namespace `n` and pg_class `c` that selects the tables of a backup. Excludes the queue's schema
 * version, which is in the header, and the migration lock, which must be free after a restore.
 */
export const HELD = `(n.nspname = 'commerce' or (n.nspname = 'graphile_worker' and c.relname <> 'migrations')
  or (n.nspname = 'public' and c.relname = 'commerce_migrations'))`;

interface FoundTable extends TableColumns {
  /** Whether row-level security is off, or a policy shows every row to commerce_backup. */
  open: boolean;
}

async function readTables(client: pg.ClientBase): Promise<FoundTable[]> {
  const { rows } = await client.query<FoundTable>(
    `select format('%I.%I', n.nspname, c.relname) as table,
        array_agg(quote_ident(a.attname) order by a.attnum) as columns,
        not c.relrowsecurity or (
          exists (select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
            and to_regrole($1) = any(p.polroles) and pg_get_expr(p.polqual, p.polrelid) = 'true')
          and not exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive)) as open
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relkind in ('r', 'p') and not c.relispartition and ${HELD}
      group by n.nspname, c.relname, c.oid order by 1`,
    [BACKUP_ROLE],
  );
  return rows;
}

function refuseClosed(tables: FoundTable[]): void {
  const closed = tables.filter(({ open }) => !open).map(({ table }) => table);
  if (closed.length === 0) return;
  throw new Error(`Row-level security hides rows of ${closed.join(', ')} from backups. Run commerce-server migrate.`);
}

/** Reads the header of a backup or a site export in its snapshot. */
export async function headerOf(
  client: pg.ClientBase,
  about: About,
  tables: TableColumns[],
  files: boolean,
): Promise<Header> {
  const migrations = await client.query<{ name: string }>('select name from public.commerce_migrations order by id');
  const { rows } = await client.query<{ queue: number; postgresql: string; made_at: string }>(
    `select (select max(id) from graphile_worker.migrations) as queue, current_setting('server_version') as postgresql,
      now() as made_at`,
  );
  return {
    format: FORMAT,
    made_at: new Date(rows[0]?.made_at ?? 0).toISOString(),
    ...about,
    postgresql: rows[0]?.postgresql ?? '',
    queue: rows[0]?.queue ?? 0,
    migrations: migrations.rows.map(({ name }) => name),
    tables: tables.map(({ table, columns }) => ({ table, columns })),
    files,
  };
}

async function readSequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<{ sequence: string }>(
    `select format('%I.%I', n.nspname, c.relname) as sequence from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'S' and (n.nspname in ('commerce', 'graphile_worker')
        or (n.nspname, c.relname) = ('public', 'commerce_migrations_id_seq')) order by 1`,
  );
  const found: Sequence[] = [];
  for (const { sequence } of rows) {
    const state = await client.query<Omit<Sequence, 'sequence'>>(`select last_value::text, is_called from ${sequence}`);
    found.push(...state.rows.map((row) => ({ sequence, ...row })));
  }
  return found;
}
