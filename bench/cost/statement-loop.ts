/**
 * Sends empty statements over the server's connection pool until the process is killed. Prints their number after each
 * thousand.
 */

import sql from 'sql-template-tag';
import { openPool, query, takeConnection, together } from '../../server/src/db/connect.ts';

const [url = '', group = '1'] = process.argv.slice(2);
const pool = openPool({ url, max: 1, pooling: 'session' });
const connection = await takeConnection(pool);
const size = Number(group);
for (let sent = size; ; sent += size) {
  await together(...Array.from({ length: size }, () => query(connection, sql`select 1`)));
  if (sent % 1_000 === 0) process.stdout.write(`${sent}\n`);
}
