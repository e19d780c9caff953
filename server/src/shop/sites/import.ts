/**
 * Imports a site from another server and keeps its ids:
 * 1. `refuse` checks whether the import is possible.
 * 2. Rows are loaded into temporary tables, and files into the file store.
 * 3. In the temporary tables, secrets are replaced, the audit events are signed with this server's key, image URLs get
 * this server's base URL, and HTML is sanitized as in the API.
 * 4. One transaction inserts all rows under all constraints, webhooks last, so that triggers send no events.
 * After a failure before the commit, nothing remains: the files are deleted too.
 */

import type pg from 'pg';
import { copyIn, type OnRows } from '../../backup/copy.ts';
import type { FileKey } from '../../backup/encryption.ts';
import { fileIn, type OnFile } from '../../backup/files.ts';
import type { ExportedSecrets, ExportedSite, Header, TableColumns } from '../../backup/format.ts';
import { checkedFrames } from '../../backup/verify.ts';
import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts';
import { withoutReplaced } from '../../db/baseline.ts';
import type { RowOf } from '../../db/row-of.ts';
import type { FileStore } from '../../files/store.ts';
import { addChain, type NewChain, signAgain } from '../audit/adoption.ts';
import type { AuditKey } from '../audit/keys.ts';
import { checkoutToken } from '../links.ts';
import { mintPassword } from '../merchant/sites.ts';
import { limitIn, type SiteLimits } from '../site-limits.ts';
import { hashToken } from '../tokens.ts';
import { queueDueDocuments } from './due-documents.ts';
import { queueJobs, stageSecrets, storeFactor, storeSigningKeys } from './exported-secrets.ts';
import { bareName, movedTables, STAFF } from './moved-tables.ts';
import { makeSecrets, type NewSecrets } from './new-secrets.ts';
import { useReceiver } from './receivers.ts';
import { type ArrivingStaff, cleanTexts, insertStaged, matchStaff, moveAddresses, stage, staged } from './staging.ts';

export interface ImportDeps {
  store: FileStore;
  secretKey: string;
  auditKey: AuditKey;
  baseUrl: string;
  /** Whether to import the hosts of the site. */
  hosts: boolean;
  /** Whether to import the site's rate limits. */
  limits: boolean;
  /** The key of an encrypted file, and the one-time key of this server to which it is encrypted. */
  encrypted?: { key: FileKey; receiver: Buffer } | undefined;
  /** Whether to import despite payments that were pending during the export. */
  force: boolean;
  onRows: OnRows;
  onFile: OnFile;
}

export interface ImportedSite extends NewSecrets {
  site_id: string;
  merchant_id: string;
  name: string;
  suspended: boolean;
  /** Whether secrets, sessions and links of the other server stay valid. */
  keeps_secrets: boolean;
  /** `password` is null for a person who keeps a password: that of the login here, or the one in the file. */
  staff: { email: string; password: string | null }[];
  hosts: string[];
  /** The rate limits in the file: those that were imported, those that were not, and the number of invalid ones. */
  limits: { kept: string[]; left: string[]; invalid: number };
  rows: number;
  files: number;
}

const NO_NEW_SECRETS: NewSecrets = { storefront_tokens: [], api_keys: [], sync_keys: [], webhooks: [] };

/** Imports a verified file. Throws an Error that explains what to do if the site cannot be imported. */
export async function importSite(
  client: pg.Client,
  file: string,
  header: Header,
  deps: ImportDeps,
): Promise<ImportedSite> {
  const { site } = header;
  if (!site) throw new Error(`${file} is the backup of a whole server. Load it with commerce-server restore.`);
  await settle(client, site);
  await refuse(client, header, site, deps);
  const imported = await receive(client, file, site.site_id, deps)
    .then((arrived) => insert(client, header, site, arrived, deps))
    .catch(async (error: unknown) => {
      await client.query('rollback').catch(() => undefined);
      await deps.store.removeAll(site.site_id);
      throw error;
    });
  // COMMIT is not part of the chain above, which deletes the files after an error: if the response to COMMIT is lost,
  // the site may exist and need its files.
  await client.query('commit');
  return imported;
}

/**
 * Prepares the connection. Takes an advisory lock, so that the second of two concurrent imports of a site is rejected.
 */
async function settle(client: pg.Client, { site_id, name }: ExportedSite): Promise<void> {
  await client.query(`set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC';
    set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'`);
  const { rows } = await client.query<{ held: boolean }>(
    `select set_config('app.site_id', $2::uuid::text, false), pg_try_advisory_lock($1, hashtext($2::uuid::text)) as held`,
    [ADVISORY_LOCKS.siteImport, site_id],
  );
  if (!rows[0]?.held) throw new Error(`${name} (${site_id}) is being imported already.`);
}

async function refuse(client: pg.Client, header: Header, site: ExportedSite, deps: ImportDeps): Promise<void> {
  const { site_id, merchant_id, name, open_payments } = site;
  const { rows } = await client.query<{ migrations: string[]; there: boolean }>(
    `select array(select name::text from public.commerce_migrations order by id) as migrations,
      exists (select from commerce.sites where site_id = $1 or merchant_id = $2) as there`,
    [site_id, merchant_id],
  );
  const { migrations = [], there = false } = rows[0] ?? {};
  if (there) throw new Error(`${name} (${site_id}) already exists on this server. Nothing was changed.`);
  refuseOtherSchema(header, migrations);
  if ((header.secrets === undefined) !== (deps.encrypted === undefined)) {
    throw new Error('Only an encrypted file may contain secrets. Export the site again.');
  }
  const expected = await movedTables(client, header.secrets !== undefined);
  if (JSON.stringify(expected) !== JSON.stringify(header.tables)) {
    throw new Error('The tables or columns of the file differ from this server. Export it again with this release.');
  }
  if (open_payments > 0 && !deps.force) {
    const payments = open_payments === 1 ? '1 payment' : `${open_payments} payments`;
    throw new Error(
      `${name} had ${payments} pending when it was exported. Suspend it there, wait until they are settled, and export it ` +
        'again. With --force it is imported anyway, and they are settled here once its payment account is entered.',
    );
  }
}

function refuseOtherSchema(header: Header, recorded: string[]): void {
  const { release } = header;
  const [theirs, ours] = [header.migrations.at(-1), recorded.at(-1)];
  // A server that ran the migrations before the baseline replaced them has the same schema.
  const [migrations, own] = [withoutReplaced(header.migrations), withoutReplaced(recorded)];
  if (migrations.length === own.length && migrations.every((name, i) => own[i] === name)) return;
  const isOlder = migrations.length < own.length && migrations.every((name, i) => own[i] === name);
  throw new Error(
    isOlder
      ? `The file was written by release ${release} with the schema ${theirs}; this server has ${ours}. Upgrade the other server and export the site again.`
      : `The file was written by release ${release} with the schema ${theirs}, which this server, with ${ours}, does not have. Upgrade this server.`,
  );
}

interface Arrived {
  rows: number;
  files: number;
}

async function receive(client: pg.Client, file: string, site_id: string, deps: ImportDeps): Promise<Arrived> {
  const sum = { rows: 0, files: 0 };
  const kept = { count: 0, bytes: 0 };
  const frames = checkedFrames(file, deps.encrypted?.key);
  let tables: TableColumns[] = [];
  for await (const frame of frames) {
    if (frame.kind === 'header') tables = frame.header.tables;
    if (frame.kind === 'table') {
      const { table, columns } = tables[frame.index] as TableColumns;
      await stage(client, table);
      const place = { table: bareName(table), index: frame.index, of: tables.length };
      sum.rows += await copyIn(client, place, `${staged(table)} (${columns.join(', ')})`, frames, deps.onRows);
    }
    if (frame.kind === 'file') {
      kept.bytes += await fileIn(deps.store, frame.file, frames, site_id);
      kept.count += 1;
      deps.onFile(kept);
    }
  }
  return { ...sum, files: kept.count };
}

/** Inserts the whole site without committing. */
async function insert(
  client: pg.Client,
  { tables, documents_due = [], secrets: kept }: Header,
  { site_id, merchant_id, name }: ExportedSite,
  arrived: Arrived,
  { secretKey, auditKey, baseUrl, hosts, limits, encrypted }: ImportDeps,
): Promise<ImportedSite> {
  if (!hosts) await client.query(`delete from ${staged('site_domains')}`);
  const members = await matchStaff(client, kept !== undefined);
  await moveAddresses(client, site_id, baseUrl);
  await cleanTexts(client);
  const settled = await settleLimits(client, limits);
  if (kept) await stageSecrets(client, site_id, kept, secretKey);
  const secrets = kept ? NO_NEW_SECRETS : await makeSecrets(client, secretKey);
  const chain = await signAgain(client, auditKey, site_id, staged('audit_events'));
  const staff = await passwordsFor(members, kept);
  const domains = await domainsOf(client);
  await client.query('begin');
  if (encrypted) await useReceiver(client, encrypted.receiver);
  await hire(client, staff, secretKey);
  if (kept) await dropInvitationsOfStrangers(client);
  await insertAll(client, tables, chain, kept !== undefined);
  if (kept) await storeSigningKeys(client, site_id, kept, secretKey);
  const suspended = await finish(client, { site_id, secretKey });
  await queueDueDocuments(client, site_id, documents_due);
  if (kept) await queueJobs(client, site_id, kept);
  return {
    ...{ site_id, merchant_id, name, suspended, ...secrets, hosts: domains, limits: settled, ...arrived },
    keeps_secrets: kept !== undefined,
    staff: staff.map(({ email, password }) => ({ email, password: password?.text ?? null })),
  };
}

/** Keeps only valid rate limits that this server supports, because the file is not trusted. */
async function settleLimits(client: pg.Client, keep: boolean): Promise<ImportedSite['limits']> {
  const { rows } = await client.query<{ limits: Record<string, unknown> }>(
    `select coalesce(limits, '{}') as limits from ${staged('sites')} where jsonb_typeof(limits) = 'object'`,
  );
  const settled: ImportedSite['limits'] = { kept: [], left: [], invalid: 0 };
  const own: SiteLimits = {};
  for (const [name, points] of rows.flatMap(({ limits }) => Object.entries(limits))) {
    const limit = limitIn(name, points);
    if (!limit) settled.invalid += 1;
    else (keep ? settled.kept : settled.left).push(`${name}=${points}`);
    if (keep) Object.assign(own, limit);
  }
  await client.query(`update ${staged('sites')} set limits = $1`, [own]);
  return settled;
}

interface Hired extends ArrivingStaff {
  /** Null for a login that already exists here. `text` is null for a password from the file. */
  password: { text: string | null; hash: string } | null;
  second_factor: ExportedSecrets['staff'][number]['second_factor'];
}

/**
 * Prepares the passwords of new logins: the password and second factor from an encrypted file, otherwise a generated
 * password.
 */
async function passwordsFor(members: ArrivingStaff[], kept: ExportedSecrets | undefined): Promise<Hired[]> {
  const hired: Hired[] = [];
  for (const member of members) {
    const former = kept?.staff.find(({ id }) => id === member.former_id);
    const brought = former && { text: null, hash: former.password_hash };
    const password = member.known ? null : (brought ?? (await mintPassword()));
    hired.push({ ...member, password, second_factor: (!member.known && former?.second_factor) || null });
  }
  return hired;
}

/** Returns the hosts of the imported site. Throws an Error if another site has one of them. */
async function domainsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ host: string; taken: boolean }>(
    `select a.host, d.host is not null as taken from ${staged('site_domains')} a
      left join commerce.site_domains d on d.host = a.host order by a.is_primary desc, a.host`,
  );
  const taken = rows.find((row) => row.taken)?.host;
  if (taken === undefined) return rows.map(({ host }) => host);
  throw new Error(
    `The host ${taken} belongs to another site on this server. Remove it there first, or import the site with --without-hosts.`,
  );
}

async function hire(client: pg.Client, staff: Hired[], secretKey: string): Promise<void> {
  for (const { id, email, name, password, second_factor } of staff) {
    if (!password) continue;
    await client.query('insert into commerce.staff (id, email, name, password_hash) values ($1, $2, $3, $4)', [
      ...[id, email, name, password.hash],
    ]);
    if (second_factor) await storeFactor(client, id, second_factor, secretKey);
  }
  // A former member who invited others has no login here.
  await client.query(
    `update ${staged('staff_memberships')} set invited_by = null
      where invited_by not in (select id from commerce.staff)`,
  );
}

async function dropInvitationsOfStrangers(client: pg.Client): Promise<void> {
  await client.query(
    `delete from ${staged('staff_invitations')} where invited_by not in (select id from commerce.staff)`,
  );
}

async function insertAll(
  client: pg.Client,
  tables: TableColumns[],
  chain: NewChain,
  keepsSecrets: boolean,
): Promise<void> {
  const webhooks = ({ table }: TableColumns) => /^(?:webhook|agent_profiles$)/.test(bareName(table));
  const rows = tables.filter((table) => table.table !== STAFF.table);
  await insertStaged(
    client,
    rows.filter((table) => !webhooks(table)),
    keepsSecrets,
  );
  await addChain(client, chain);
  // Runs deferred triggers before the webhooks and platforms are inserted, so that none is notified.
  await client.query('set constraints all immediate');
  await insertStaged(client, rows.filter(webhooks), keepsSecrets);
}

/**
 * Resumes background work: processes images, finds the orders of withdrawals, and creates links for open checkouts.
 * Returns whether the site is suspended.
 */
async function finish(
  client: pg.Client,
  { site_id, secretKey }: { site_id: string; secretKey: string },
): Promise<boolean> {
  // Places the files in the queue as `enqueue_file` does: the first images of other shops come before the second image
  // of this one.
  await client.query(
    `select commerce.add_jobs('process_file', array_agg(job order by place), now(), 12, array_agg(place order by place))
      from (
        select json_build_object('site_id', site_id, 'file_id', id) as job,
          least(row_number() over (order by id) - 1, 1000)::smallint as place
        from commerce.files where site_id = $1 and status = 'processing'
      ) as waiting having count(*) > 0`,
    [site_id],
  );
  await client.query(
    `select commerce.enqueue('match_withdrawal', json_build_object('site_id', site_id, 'withdrawal_id', id), now())
      from commerce.withdrawals where site_id = $1 and status = 'received'`,
    [site_id],
  );
  const { rows: open } = await client.query<RowOf<'checkouts', 'id'>>(
    `select id from commerce.checkouts where site_id = $1 and status in ('open', 'ready', 'requires_escalation')`,
    [site_id],
  );
  const ids = open.map(({ id }) => id);
  await client.query(
    `insert into commerce.checkout_links (site_id, checkout_id, token_hash)
      select $1, t.id, t.hash from unnest($2::uuid[], $3::bytea[]) as t (id, hash) on conflict do nothing`,
    [site_id, ids, ids.map((id) => hashToken(checkoutToken({ siteId: site_id }, { secretKey }, id)))],
  );
  const { rows } = await client.query<{ suspended: boolean }>(
    'select suspended_at is not null as suspended from commerce.sites where site_id = $1',
    [site_id],
  );
  return rows[0]?.suspended ?? false;
}
