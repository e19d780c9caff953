import type pg from 'pg';
import { copyOut, type OnRows } from '../../backup/copy.ts';
import { type About, beginSnapshot, type DumpedFiles, headerOf } from '../../backup/dump.ts';
import { filesOut } from '../../backup/files.ts';
import { type ExportedSite, encode, opening } from '../../backup/format.ts';
import { notFound, ShopError } from '../errors.ts';
import { owed } from './deletion.ts';
import { readDueDocuments } from './due-documents.ts';
import { readJobs, readSecrets } from './exported-secrets.ts';
import { movedTables, STAFF, STAFF_IDS } from './moved-tables.ts';

export interface ExportDeps {
  about: About;
  /** SECRET_KEY, for an encrypted export, which contains the secrets and jobs of the site. */
  secretKey?: string | undefined;
  files: DumpedFiles;
  onRows: OnRows;
}

/**
 * Returns the bytes of a site's export before compression: a backup with the site's rows and files, from one snapshot.
 * Uses the application's database role, for which row-level security hides other sites. Throws `not_found`, and
 * `conflict` for a site whose deletion has begun.
 */
export async function* exportSite(
  client: pg.ClientBase,
  site_id: string,
  { about, secretKey, files, onRows }: ExportDeps,
): AsyncGenerator<Buffer> {
  await beginSnapshot(client);
  await client.query('set local role none');
  const tables = await movedTables(client, secretKey !== undefined);
  const header = await headerOf(client, about, tables, true);
  const documents_due = await readDueDocuments(client, site_id);
  const jobs = secretKey === undefined ? [] : await readJobs(client, site_id);
  await client.query('set local role commerce_app');
  await client.query(`select set_config('app.site_id', $1::uuid::text, true)`, [site_id]);
  const site = await readSite(client, site_id);
  await client.query(`lock table ${tables.map(({ table }) => table).join(', ')} in access share mode`);
  const secrets = secretKey && { ...(await readSecrets(client, site_id, secretKey)), jobs };
  yield opening();
  yield encode({ kind: 'header', header: { ...header, site, documents_due, ...(secrets && { secrets }) } });
  for (const [index, { table, columns }] of tables.entries()) {
    yield* copyOut(client, { table, index, of: tables.length }, rowsOf(table, columns), onRows);
  }
  files.onMissing(yield* filesOut(client, files.store, files.onFile, site_id));
  yield encode({ kind: 'end', tables: tables.length });
  await client.query('commit');
}

const MEMBERS = `where id in (
  select staff_id from commerce.staff_memberships where site_id = (select commerce.current_site()))`;

const OF_SITE = 'where site_id = (select commerce.current_site())';

const ACTORS = STAFF_IDS.map(([table, column]) => `select ${column} from commerce.${table} ${OF_SITE}`).join(' union ');

/**
 * Names of former members who acted in the site, without credentials. Members of other sites who did not act here are
 * excluded.
 */
const FORMER = `select commerce.current_site() as site_id, a.id as staff_id, a.name from commerce.staff a
    where a.id in (${ACTORS}) and a.id not in (select staff_id from commerce.staff_memberships ${OF_SITE})
  union all select site_id, staff_id, name from commerce.former_staff
    ${OF_SITE} and staff_id not in (select id from commerce.staff)`;

function rowsOf(table: string, columns: string[]): string {
  const listed = columns.join(', ');
  if (table === 'commerce.former_staff') return `select ${listed} from (${FORMER}) as former`;
  const rows = table === STAFF.table ? MEMBERS : OF_SITE;
  return `select ${listed} from ${table} ${rows}`;
}

async function readSite(client: pg.ClientBase, site_id: string): Promise<ExportedSite> {
  const { rows } = await client.query<Omit<ExportedSite, 'open_payments'> & { begun: boolean }>(
    `select s.site_id, s.merchant_id, t.name, s.delete_begun_at is not null as begun, s.moved_at is not null as final,
        exists (select from commerce.payment_accounts a where a.site_id = s.site_id) as has_payment_account
      from commerce.sites s join commerce.site_settings t using (site_id) where s.site_id = $1`,
    [site_id],
  );
  const [found] = rows;
  if (!found) throw notFound('site');
  const { begun, ...site } = found;
  if (begun) throw new ShopError('conflict', 'The deletion of this site has begun, so it is incomplete.');
  const { open_payments } = await owed(client, site_id);
  return { ...site, open_payments };
}
