import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Pool } from 'pg';
import { verify } from '../../server/src/backup/verify.ts';
import { withClient } from '../../server/src/db/client.ts';
import { Connection } from '../../server/src/db/connect.ts';
import { inTransaction } from '../../server/src/db/transaction.ts';
import { directoryStore } from '../../server/src/files/directory.ts';
import { openAuditKey, readAuditKeys } from '../../server/src/shop/audit/keys.ts';
import { verifySite } from '../../server/src/shop/audit/verify.ts';
import { createSite, mintPassword } from '../../server/src/shop/merchant/sites.ts';
import { exportSite } from '../../server/src/shop/sites/export.ts';
import { importSite } from '../../server/src/shop/sites/import.ts';
import { movedTables } from '../../server/src/shop/sites/moved-tables.ts';
import { resumeSite } from '../../server/src/shop/sites/state.ts';
import { FILES_DIR, SECRET_KEY, startServer, stopServer } from '../../server/test/server.ts';
import { migratedTemplate } from '../../server/test/worker-database.ts';
import type { Trial } from '../testing/proof.ts';
import { type Call, send } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { allRows, differences, type Rows, rowsOf } from './whole-database.ts';

/** The server to which a shop moves, with its own database, file store, SECRET_KEY and another shop. */
interface OtherServer {
  baseUrl: string;
  url: string;
  db: Pool;
  owner: Pool;
  dataDir: string;
  secretKey: string;
  close(): Promise<void>;
}

async function openOther({ databaseUrl }: Trial, { owner: admin }: World): Promise<OtherServer> {
  const name = `moved_${randomBytes(6).toString('hex')}`;
  await admin.query(`create database ${name} template ${migratedTemplate(databaseUrl)}`);
  const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href;
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-moved-'));
  const secretKey = randomBytes(32).toString('base64');
  const server = await startServer(url, { secretKey, files: directoryStore(dataDir) }, url);
  const living = { name: 'Living', currency: 'EUR', staff: { email: 'living@example.com', name: 'Living' } };
  const password = await mintPassword();
  await inTransaction(server.db, (connection) => createSite(connection, { ...living, password }));
  return {
    ...{ ...server, url, dataDir, secretKey },
    async close() {
      await stopServer(server);
      await admin.query(`drop database ${name} with (force)`);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A shop that has moved to its new server. */
export interface Moved {
  /** Sends calls that the old server accepted and that the new one must reject. Returns their number. */
  refuses(calls: Call[]): Promise<number>;
  /** Expects that the shop's data are as they were after the import. */
  compare(when: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Exports a shop and imports it on another server. Compares its rows and files with the originals, and expects that no other
 * row of the new server changes.
 */
export async function moveAway(trial: Trial, world: World, victim: Tenant): Promise<Moved> {
  const { violations } = world;
  const other = await openOther(trial, world);
  try {
    const before = await allRows(other.owner);
    const leaving = await rowsThatMove(world.owner, trial.databaseUrl, victim);
    await carry(trial, victim, other);
    const arrived = await rowsThatMove(other.owner, other.url, victim);
    for (const row of differences(leaving, arrived)) violations.add(`changed by the move: ${row}`);
    const after = await allRows(other.owner);
    const owns = rowsOf(victim, after);
    for (const row of differences(before, after)) {
      if (!owns(row) && !NOT_OF_SITES.test(row)) violations.add(`touched on the other server: ${row}`);
    }
    judgeQueue(world, after, owns);
    compareFiles(world, victim, other);
    await judgeAudit(world, victim, other);
    return {
      refuses: (calls) => refuses(world, victim, other, calls),
      async compare(when) {
        const now = await rowsThatMove(other.owner, other.url, victim);
        for (const row of differences(arrived, now)) violations.add(`on the other server, ${when}: ${row}`);
        compareFiles(world, victim, other, when);
      },
      close: other.close,
    };
  } catch (error) {
    await other.close();
    throw error;
  }
}

/**
 * Rows that do not belong to the imported shop: the signing key that the first import creates, and the names of jobs
 * that are queued for the first time.
 */
const NOT_OF_SITES = /^new (?:commerce\.audit_keys|graphile_worker\._private_tasks) /;

async function carry({ databaseUrl }: Trial, { site_id }: Tenant, other: OtherServer): Promise<void> {
  const file = join(other.dataDir, 'moving.site');
  await withClient({ connectionString: databaseUrl }, (client) => {
    const files = { store: directoryStore(FILES_DIR), onFile: () => undefined, onMissing: () => undefined };
    const about = { release: 'proof', secret_key: 'proof' };
    return pipeline(
      exportSite(client, site_id, { about, files, onRows: () => undefined }),
      createGzip(),
      createWriteStream(file),
    );
  });
  const { header } = await verify(file);
  const auditKey = await openAuditKey(other.db, other.secretKey);
  await withClient({ connectionString: other.url }, async (client) => {
    await importSite(client, file, header, {
      ...{ store: directoryStore(other.dataDir), secretKey: other.secretKey, auditKey, baseUrl: 'http://localhost' },
      ...{ hosts: true, limits: true, force: true, onRows: () => undefined, onFile: () => undefined },
    });
    await resumeSite(client, site_id);
  });
}

/** Columns that change intentionally: secrets, the ends of agents' tokens, and columns that resuming a shop changes. */
const NEW_BY_INTENT: Record<string, string[]> = {
  tokens: ['secret_prefix', 'last_used_at', 'revoked_at'],
  agent_tokens: ['revoked_by'],
  catalog_versions: ['version', 'stripe'],
  sites: ['suspended_at', 'suspended_reason'],
  staff_memberships: ['invited_by'],
};

/** Reads a shop's rows in all tables that move, except the logins of staff. */
async function rowsThatMove(owner: Pool, url: string, { site_id }: Tenant): Promise<Rows> {
  const tables = await withClient({ connectionString: url }, movedTables);
  const found: Rows = new Map();
  for (const { table, columns } of tables.filter((one) => one.table !== 'commerce.staff')) {
    const { rows } = await owner.query<{ row: string }>(
      `select (to_jsonb(t) - $2::text[])::text as row from (select ${columns.join(', ')} from ${table}) t where site_id = $1`,
      [site_id, NEW_BY_INTENT[table.replace('commerce.', '')] ?? []],
    );
    found.set(table, new Set(rows.map(({ row }) => row)));
  }
  return found;
}

/** The import must not make the new server send anything. Only jobs for files and products may be queued. */
function judgeQueue({ violations }: World, after: Rows, owns: (row: string) => boolean): void {
  for (const table of ['graphile_worker._private_jobs', 'commerce.events', 'commerce.webhook_deliveries']) {
    for (const row of after.get(table) ?? []) {
      if (owns(row) && !row.includes('"file_id"') && !row.includes('"product_id"'))
        violations.add(`the arrival queued: ${table} ${row}`);
    }
  }
}

function compareFiles(
  { violations }: World,
  { site_id }: Tenant,
  { dataDir }: OtherServer,
  when = 'after the move',
): void {
  const [theirs, ours] = [join(FILES_DIR, 'files', site_id), join(dataDir, 'files', site_id)];
  const pathsIn = (folder: string) =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
          statSync(join(folder, path)).isFile(),
        )
      : [];
  if (pathsIn(ours).length === 0) violations.add(`${when} the shop had no file on its new server.`);
  for (const path of pathsIn(theirs)) {
    const same =
      existsSync(join(ours, path)) && readFileSync(join(ours, path)).equals(readFileSync(join(theirs, path)));
    if (!same) violations.add(`${when} the file ${path} was missing or changed on the new server`);
  }
}

async function judgeAudit(
  { violations }: World,
  { site_id }: Tenant,
  { owner, secretKey }: OtherServer,
): Promise<void> {
  const client = await owner.connect();
  const connection = new Connection(client);
  try {
    await client.query('set search_path = commerce, public');
    const { findings } = await verifySite(connection, site_id, await readAuditKeys(connection, secretKey));
    for (const finding of findings) violations.add(`the audit after the move: ${finding}`);
    const former = await verifySite(connection, site_id, await readAuditKeys(connection, SECRET_KEY));
    if (former.sealed > 0 && former.findings.length === 0) violations.add('The former SECRET_KEY verifies the audit.');
  } finally {
    client.release(true);
  }
}

async function refuses(
  { violations }: World,
  victim: Tenant,
  { baseUrl }: OtherServer,
  calls: Call[],
): Promise<number> {
  for (const call of calls) {
    const { status, text } = await send(baseUrl, call);
    if (status < 400 || status >= 500 || text.toLowerCase().includes(victim.canary))
      violations.add(`moved, ${call.operation.id} answered an old secret with ${status} ${text}`);
  }
  return calls.length;
}
