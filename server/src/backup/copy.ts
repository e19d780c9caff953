import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { encode, type Frame, RowCounter } from './format.ts';

/**
 * Progress of a backup: the current table, its number, the number of tables, and the bytes read from the table so far.
 */
export interface TableProgress {
  table: string;
  number: number;
  of: number;
  bytes: number;
}

export type OnRows = (progress: TableProgress) => void;

/** A table of a backup: its name and position. */
export interface CopiedTable {
  table: string;
  index: number;
  of: number;
}

/** Yields the frames of one table, with the rows that the query selects. */
export async function* copyOut(
  client: pg.ClientBase,
  { table, index, of }: CopiedTable,
  query: string,
  onRows: OnRows,
): AsyncGenerator<Buffer> {
  yield encode({ kind: 'table', index });
  const counter = new RowCounter();
  const stream = client.query(to(`copy (${query}) to stdout`));
  let bytes = 0;
  for await (const rows of stream as AsyncIterable<Buffer>) {
    counter.add(rows);
    bytes += rows.length;
    onRows({ table, number: index + 1, of, bytes });
    yield encode({ kind: 'rows', rows });
  }
  // PostgreSQL sends the row count after the rows, possibly in a later packet. The result of another statement arrives
  // after it.
  await client.query('select 1');
  const end = counter.end();
  if (end.rows !== stream.rowCount) {
    throw new Error(`PostgreSQL sent ${stream.rowCount} rows of ${table}, but ${end.rows} arrived.`);
  }
  yield encode({ kind: 'tableEnd', end });
}

/**
 * Loads the rows of one table from its frames with `copy`, and checks their number. `into` names the target table and
 * its columns. Returns the number of rows.
 */
export async function copyIn(
  client: pg.ClientBase,
  { table, index, of }: CopiedTable,
  into: string,
  frames: AsyncGenerator<Frame>,
  onRows: OnRows,
): Promise<number> {
  const target = client.query(from(`copy ${into} from stdin`));
  let bytes = 0;
  let expected = 0;
  await pipeline(async function* rowsOf() {
    for (;;) {
      const { value: frame } = await frames.next();
      if (frame?.kind === 'rows') {
        bytes += frame.rows.length;
        onRows({ table, number: index + 1, of, bytes });
        yield frame.rows;
        continue;
      }
      if (frame?.kind !== 'tableEnd') throw new Error(`The end of the rows of ${table} is missing.`);
      expected = frame.end.rows;
      return;
    }
  }, target);
  if (target.rowCount !== expected) {
    throw new Error(`PostgreSQL stored ${target.rowCount} of ${expected} rows of ${table}.`);
  }
  return expected;
}
