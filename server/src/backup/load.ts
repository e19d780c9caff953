import type pg from 'pg';
import type { FileStore } from '../files/store.ts';
import { copyIn, type OnRows } from './copy.ts';
import { HELD } from './dump.ts';
import { fileIn, type OnFile } from './files.ts';
import type { Header, Sequence, TableColumns } from './format.ts';
import { checkedFrames } from './verify.ts';

export interface LoadOptions {
  onRows: OnRows;
  onFile: OnFile;
  /**
   * Checks the loaded rows before the commit, while row-level security is off. If it throws, everything is rolled back.
   */
  beforeCommit: () => Promise<void>;
}

/**
 * Empties the tables, and loads a backup of the same version into them, in one transaction. Forced row-level security,
 * triggers and foreign keys are turned off first and restored in the same transaction: rows are loaded by table, not in
 * the order of their references, and the backup already contains rows written by triggers. Foreign keys are checked
 * when they are restored. Files are stored before the commit; a retry replaces the files of a failed restore.
 */
export async function load(
  client: pg.Client,
  store: FileStore,
  file: string,
  { onRows, onFile, beforeCommit }: LoadOptions,
): Promise<void> {
  await client.query('begin');
  await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'`);
  const before = await openTables(client);
  const frames = checkedFrames(file);
  let header: Header | undefined;
  const files = { count: 0, bytes: 0 };
  for await (const frame of frames) {
    if (frame.kind === 'header') {
      header = frame.header;
      await refuseUnknown(client, header.tables);
    }
    if (frame.kind === 'table') {
      const { table, columns } = (header as Header).tables[frame.index] as TableColumns;
      const place = { table, index: frame.index, of: (header as Header).tables.length };
      await copyIn(client, place, `${table} (${columns.join(', ')})`, frames, onRows);
    }
    if (frame.kind === 'file') {
      files.bytes += await fileIn(store, frame.file, frames);
      files.count += 1;
      onFile(files);
    }
    if (frame.kind === 'sequences') await setSequences(client, frame.sequences);
  }
  await beforeCommit();
  await beginEra(client, header?.made_at ?? '');
  await closeTables(client, before);
  await client.query('commit');
}

interface OpenedTable {
  table: string;
  forced: boolean;
  keys: { name: string; definition: string }[];
}

/**
 * Turns off forced row-level security, triggers and foreign keys, and empties the tables. Returns the definitions that
 * `closeTables` restores.
 */
async function openTables(client: pg.Client): Promise<OpenedTable[]> {
  const { rows } = await client.query<OpenedTable>(
    `select c.oid::regclass::text as table, c.relforcerowsecurity as forced,
        coalesce((select json_agg(json_build_object('name', quote_ident(k.conname), 'definition', pg_get_constraintdef(k.oid)))
          from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0), '[]') as keys
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and ${HELD}`,
  );
  for (const { table, keys } of rows) {
    await client.query(`alter table ${table} no force row level security, disable trigger user`);
    for (const { name } of keys) await client.query(`alter table ${table} drop constraint ${name}`);
  }
  await client.query(`truncate ${rows.map(({ table }) => table).join(', ')}`);
  return rows;
}

async function closeTables(client: pg.Client, tables: OpenedTable[]): Promise<void> {
  for (const { table, keys } of tables) {
    for (const { name, definition } of keys) {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    }
  }
  for (const { table, forced } of tables) {
    await client.query(`alter table ${table} enable trigger user`);
    if (forced) await client.query(`alter table ${table} force row level security`);
  }
}

async function refuseUnknown(client: pg.Client, tables: TableColumns[]): Promise<void> {
  const { rows } = await client.query<{ column: string }>(
    `select t."table" || '.' || c.name as column from jsonb_to_recordset($1) as t("table" text, columns text[]),
        unnest(t.columns) as c(name)
      where not exists (select from pg_attribute a where a.attrelid = to_regclass(t."table")
        and quote_ident(a.attname) = c.name and not a.attisdropped)`,
    [JSON.stringify(tables)],
  );
  if (rows.length === 0) return;
  throw new Error(
    `The backup contains ${rows[0]?.column}, which this release does not know. Restore it with the release that wrote it, then upgrade.`,
  );
}

async function setSequences(client: pg.Client, sequences: Sequence[]): Promise<void> {
  for (const { sequence, last_value, is_called } of sequences) {
    await client.query('select setval($1::regclass, $2::bigint, $3)', [sequence, last_value, is_called]);
  }
}

/**
 * Product changes are numbered by transaction ids, which are comparable only within one history of a cluster
 * (`commerce.change_eras`). A restored database starts a new history, even in the same cluster.
 */
async function beginEra(client: pg.Client, made_at: string): Promise<void> {
  await client.query(
    `insert into commerce.change_eras (era, history)
      select coalesce(max(era), 0) + 1, 'restored from a backup of ' || $1 from commerce.change_eras`,
    [made_at],
  );
}
