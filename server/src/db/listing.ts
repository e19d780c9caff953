import type { Sql } from 'sql-template-tag';
import { type AskedRows, type Connection, query } from './connect.ts';

/** Describes how rows of a tenant are read by key: the statement for several keys, and the key of a row. */
export interface Listing<Row> {
  statement(site_id: string, keys: string[]): Sql;
  keyOf(row: Row): string;
}

/**
 * Reads the row with a key. All keys requested in the same tick are read by one statement, because a second statement
 * usually costs more than another key.
 */
export async function rowOf<Row extends object>(
  connection: Connection,
  site_id: string,
  listing: Listing<Row>,
  key: string,
): Promise<Row | undefined> {
  const ofSite = connection.asked.get(site_id) ?? new Map<object, AskedRows>();
  connection.asked.set(site_id, ofSite);
  let together = ofSite.get(listing);
  if (!together) {
    const keys = new Set<string>();
    const read = async () => {
      ofSite.delete(listing);
      const { rows } = await query<Row>(connection, listing.statement(site_id, [...keys]));
      return new Map(rows.map((row) => [listing.keyOf(row), row]));
    };
    together = { keys, rows: Promise.resolve().then(read) };
    ofSite.set(listing, together);
  }
  together.keys.add(key);
  return (await together.rows).get(key) as Row | undefined;
}
