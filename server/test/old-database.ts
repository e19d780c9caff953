import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';

/**
 * A dump, made by pg_dump, of a demo shop after migrations 0001 to 0195. `seedDemo` of commit 8ac8a862 had filled it.
 * Most search postings are left out.
 */
const DUMP = join(import.meta.dirname, 'fixtures/migrated-to-0195.sql.gz');
const OWNER_IN_DUMP = 'fixture_owner';

/** Restores the dump into an empty database, whose tables then belong to `owner`. `url` logs in as a superuser. */
export async function restoreOldDatabase(url: string, owner: string): Promise<void> {
  const dump = gunzipSync(readFileSync(DUMP)).toString();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(dump.replaceAll(OWNER_IN_DUMP, pg.escapeIdentifier(owner))).finally(() => client.end());
}
