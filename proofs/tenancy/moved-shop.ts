import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { verify } from '../../server/src/backup/verify.ts';
import { withClient } from '../../server/src/db/client.ts';
import { ignoreLostConnections, openPool } from '../../server/src/db/connect.ts';
import { directoryStore } from '../../server/src/files/directory.ts';
import { openAuditKey } from '../../server/src/shop/audit/keys.ts';
import { exportSite } from '../../server/src/shop/sites/export.ts';
import { importSite } from '../../server/src/shop/sites/import.ts';
import { movedTables } from '../../server/src/shop/sites/moved-tables.ts';
import { FILES_DIR } from '../../server/test/server.ts';
import type { Trial } from '../testing/proof.ts';
import { withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { allRows, differences, filesIn, type Rows, rowsOf } from './whole-database.ts';

/**
 * Exports a shop and imports it into the database and the folder of another server, which has a shop already. Compares
 * its rows and files with the originals, and expects that no other row there changes. After `work`, the moved shop must
 * be unchanged.
 */
export function withMoved(
  { databaseUrl }: Trial,
  otherUrl: string,
  { violations }: World,
  shop: Tenant,
  work: () => Promise<void>,
): Promise<void> {
  return withDirectory(async (directory) => {
    await openTenant(otherUrl);
    const owner = ignoreLostConnections(new pg.Pool({ connectionString: otherUrl, max: 1 }));
    const before = await allRows(owner);
    await carry(databaseUrl, shop, otherUrl, directory);
    const leaving = await rowsThatMove(databaseUrl, shop);
    const arrived = await rowsThatMove(otherUrl, shop);
    for (const row of differences(leaving, arrived)) violations.add(`changed by the move: ${row}`);
    const after = await allRows(owner);
    await owner.end();
    const owns = rowsOf(shop, after);
    for (const row of differences(before, after)) {
      if (!owns(row) && !NOT_OF_SITES.test(row)) violations.add(`touched on the other server: ${row}`);
    }
    const files = filesIn(FILES_DIR, shop.site_id);
    if (files.size === 0) violations.add('The shop had no file, so the proof shows nothing about files.');
    await work();
    for (const row of differences(arrived, await rowsThatMove(otherUrl, shop)))
      violations.add(`on the other server, after the deletion: ${row}`);
    const moved = filesIn(directory, shop.site_id);
    for (const [path, bytes] of files) {
      if (moved.get(path) !== bytes) violations.add(`the file ${path} is missing or changed on the new server`);
    }
  });
}

/**
 * Rows that do not belong to the imported shop: the signing key that the first import creates, and the names of jobs
 * that are queued for the first time.
 */
const NOT_OF_SITES = /^new (?:commerce\.audit_keys|graphile_worker\._private_tasks) /;

async function carry(from: string, { site_id }: Tenant, to: string, directory: string): Promise<void> {
  const file = join(directory, 'moving.site');
  await withClient({ connectionString: from }, (client) => {
    const files = { store: directoryStore(FILES_DIR), onFile: () => undefined, onMissing: () => undefined };
    const about = { release: 'proof', secret_key: 'proof' };
    return pipeline(
      exportSite(client, site_id, { about, files, onRows: () => undefined }),
      createGzip(),
      createWriteStream(file),
    );
  });
  const { header } = await verify(file);
  const secretKey = randomBytes(32).toString('base64');
  const db = openPool({ url: to, max: 1, pooling: 'session' });
  const auditKey = await openAuditKey(db, secretKey);
  await db.end();
  await withClient({ connectionString: to }, (client) =>
    importSite(client, file, header, {
      ...{ store: directoryStore(directory), secretKey, auditKey, baseUrl: 'http://localhost' },
      ...{ hosts: true, limits: true, force: true, onRows: () => undefined, onFile: () => undefined },
    }),
  );
}

/** Columns that change intentionally: secrets, the ends of agents' tokens, and columns that a suspension changes. */
const NEW_BY_INTENT: Record<string, string[]> = {
  tokens: ['secret_prefix', 'last_used_at', 'revoked_at'],
  agent_tokens: ['revoked_by'],
  catalog_versions: ['version', 'stripe'],
  sites: ['suspended_at', 'suspended_reason'],
  staff_memberships: ['invited_by'],
};

/** Reads a shop's rows in all tables that move, except the logins of staff. */
function rowsThatMove(url: string, { site_id }: Tenant): Promise<Rows> {
  return withClient({ connectionString: url }, async (client) => {
    const found: Rows = new Map();
    for (const { table, columns } of await movedTables(client)) {
      if (table === 'commerce.staff') continue;
      const { rows } = await client.query<{ row: string }>(
        `select (to_jsonb(t) - $2::text[])::text as row from (select ${columns.join(', ')} from ${table}) t where site_id = $1`,
        [site_id, NEW_BY_INTENT[table.replace('commerce.', '')] ?? []],
      );
      found.set(table, new Set(rows.map(({ row }) => row)));
    }
    return found;
  });
}
