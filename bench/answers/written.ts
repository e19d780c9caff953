import pg from 'pg';
import { formOf } from './differences.ts';

/**
 * Tables that are not compared: their rows depend on the time of the run, or are derived from other tables in the
 * background.
 */
const LEFT_OUT = ['audit_seals', 'catalog_versions', 'idempotency_keys', 'rate_counts', 'site_usage'].map(
  (name) => `commerce.${name}`,
);
const COLUMNS_LEFT_OUT = ['changed_in', 'last_used_at'];
/** Column types that are not compared: transaction ids. */
const TYPES_LEFT_OUT = ['xid8'];
/** The queue of jobs, such as mails and deliveries. */
const JOBS = 'graphile_worker._private_jobs';

/**
 * Reads the rows of the compared tables in both databases. Generated values are replaced by their kinds, and the
 * resulting rows are sorted. Only columns that both databases have are read.
 */
export async function rowsWritten(old: string, now: string): Promise<[table: string, old: string, now: string][]> {
  const [a, b] = [await connect(old), await connect(now)];
  try {
    const [columns, others] = [await columnsOf(a), await columnsOf(b)];
    const all: [string, string, string][] = [];
    for (const [table, names] of columns) {
      const common = names.filter((name) => others.get(table)?.includes(name));
      if (LEFT_OUT.includes(table) || common.length === 0) continue;
      all.push([table, await rowsOf(a, table, common), await rowsOf(b, table, common)]);
    }
    return all;
  } finally {
    await Promise.all([a.end(), b.end()]);
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

async function columnsOf(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select table_schema || '.' || table_name as table, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'commerce' and table_type = 'BASE TABLE' and column_name <> all ($1) and udt_name <> all ($2)
     group by 1 order by 1`,
    [COLUMNS_LEFT_OUT, TYPES_LEFT_OUT],
  );
  return new Map([
    ...rows.map(({ table, columns }) => [table, columns] as const),
    [JOBS, ['task_id', 'payload', 'key']],
  ]);
}

async function rowsOf(client: pg.Client, table: string, columns: string[]): Promise<string> {
  const list = columns.map((name) => client.escapeIdentifier(name)).join(', ');
  const { rows } = await client.query<Record<string, unknown>>(`select ${list} from ${table}`);
  return rows
    .map((row) => formOf(JSON.stringify(row, bytesAsHex)))
    .sort()
    .join('\n');
}

function bytesAsHex(_name: string, value: unknown): unknown {
  const bytes = value as { type?: string; data?: number[] } | null;
  return bytes?.type === 'Buffer' ? `<${bytes.data?.length} bytes>` : value;
}
