import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Config } from '../config.ts';
import { query } from '../db/connect.ts';
import type { RowOf } from '../db/row-of.ts';
import { inSentTransaction, queryAlone, withConnection } from '../db/transaction.ts';
import { readAuditKeys } from '../shop/audit/keys.ts';
import { type Head, type Keys, type Report, verifySite } from '../shop/audit/verify.ts';
import { withPool } from './database.ts';

export interface AuditVerifyOptions {
  site?: string;
  /** File with the last recorded seals. */
  head?: string;
}

/** The last seal of each site. */
type Heads = Record<string, Head>;

/**
 * Verifies the audit log of one site or of all, and prints the findings. With the file of `--head`, compares the chains
 * of seals with the recorded seals, and updates the file if there are no findings. Returns true if there are no
 * findings.
 */
export async function auditVerify(config: Config, { site, head: file }: AuditVerifyOptions): Promise<boolean> {
  const known = file ? await readHeads(file) : {};
  const reports = await withPool(config, (db) => verifyAll(db, config.secretKey, known, site));
  for (const report of reports) process.stdout.write(`${inWords(report)}\n`);
  const sound = reports.every(({ findings }) => findings.length === 0);
  process.stdout.write(`${summaryOf(reports, sound)}\n`);
  if (file && sound) await writeHeads(file, { ...known, ...headsOf(reports) });
  return sound;
}

/** Verifies all sites, or only one. Throws an Error for an unknown site. */
export async function verifyAll(
  db: Pool,
  secretKey: string,
  known: Heads,
  only: string | undefined,
): Promise<Report[]> {
  const keys = await withConnection(db, (connection) => readAuditKeys(connection, secretKey));
  const { rows } = await queryAlone<RowOf<'sites', 'site_id'>>(db, sql`select site_id from sites order by site_id`);
  const there = rows.map(({ site_id }) => site_id);
  if (only !== undefined && !there.includes(only) && !known[only]) throw new Error(`Site ${only} does not exist.`);
  const sites = only === undefined ? [...new Set([...there, ...Object.keys(known)])] : [only];
  const reports: Report[] = [];
  for (const site_id of sites) reports.push(await verifyOne(db, site_id, keys, known[site_id]));
  return reports;
}

function verifyOne(db: Pool, site_id: string, keys: Keys, known: Head | undefined): Promise<Report> {
  // `inTransaction` is not used here, because it reads the era before the isolation level is set.
  return inSentTransaction(db, async (connection, begun) => {
    await begun;
    await query(connection, sql`set transaction isolation level repeatable read, read only`);
    await query(
      connection,
      sql`select set_config('app.site_id', ${site_id}, true), set_config('statement_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', '0', true)`,
    );
    return { result: await verifySite(connection, site_id, keys, known), last: undefined };
  });
}

function inWords({ site_id, sealed, waiting, legacy, erased, deleted, findings }: Report): string {
  const counts = [
    `${sealed} sealed`,
    waiting > 0 && `${waiting} not sealed yet`,
    deleted > 0 && `${deleted} deleted for their age`,
    erased > 0 && `${erased} with erased details`,
    legacy > 0 && `${legacy} from before rows were signed, which cannot be verified`,
  ].filter(Boolean);
  return [
    `${findings.length > 0 ? '✗' : '✓'} ${site_id}: ${counts.join(', ')}`,
    ...findings.map((text) => `    ${text}`),
  ].join('\n');
}

function summaryOf(reports: Report[], sound: boolean): string {
  if (sound) return 'No row was changed or removed.';
  const broken = reports.filter(({ findings }) => findings.length > 0).length;
  return `Problems found in the audit of ${broken} ${broken === 1 ? 'site' : 'sites'}.`;
}

async function readHeads(file: string): Promise<Heads> {
  if (!existsSync(file)) return {};
  try {
    const { sites } = JSON.parse(await readFile(file, 'utf8')) as { sites: Heads };
    if (typeof sites === 'object' && sites !== null) return sites;
  } catch {
    // Not JSON. The error below covers this case and files with unexpected content.
  }
  throw new Error(`${file} was not written by --head. Choose another path; the file will be created.`);
}

function headsOf(reports: Report[]): Heads {
  return Object.fromEntries(reports.flatMap(({ site_id, head }) => (head ? [[site_id, head]] : [])));
}

/** Writes the heads atomically, because a later run could not read a partial file. */
async function writeHeads(file: string, sites: Heads): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify({ written_at: new Date().toISOString(), sites }, null, 2)}\n`, {
    flush: true,
  });
  await rename(draft, file);
}
