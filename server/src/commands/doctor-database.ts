import pg from 'pg';
import type { Config } from '../config.ts';
import { recordedMigrations, remedyFor, versionBeforeBaseline } from '../db/baseline.ts';
import { accessGaps } from '../db/mend-access.ts';
import { pendingMigrations } from '../db/migrate.ts';
import { missingRoles } from '../db/roles.ts';
import type { RowOf } from '../db/row-of.ts';
import { describeNewer, findNewerSchema } from '../db/schema-release.ts';
import { type KeyUse, opens as opensKey } from '../shop/payments/accounts/sealed-keys.ts';
import { unseal } from '../shop/webhooks/secrets.ts';
import { checkBlocking, checkClock, checkStandbys, checkTrialWrite } from './doctor-activity.ts';
import { checkConnections } from './doctor-connections.ts';
import { checkQueue } from './doctor-queue.ts';
import { checkSkus } from './doctor-skus.ts';
import { unsafeDurability } from './durability.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { isTooOld, OLDEST_VERSION, versionOf } from './version.ts';

const ROLES = 'commerce_app, commerce_search, commerce_sweep';
const EXTENSIONS = ['pg_trgm', 'unaccent', 'fuzzystrmatch', 'btree_gin'];
type Check = (client: pg.Client, url: string, config: Config) => Promise<Finding>;

/** Runs the checks of the database. If it cannot be reached, returns only that finding. */
export async function checkDatabase(url: string, config: Config, processes = 1): Promise<Finding[]> {
  const limits = { connectionTimeoutMillis: 3_000, query_timeout: 7_000 };
  const client = new pg.Client({ connectionString: url, pipeline: true, ...limits });
  // A connection that breaks during a check is reported by that check.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    return [wrong('connection', (error as Error).message, mendFor(error as { code?: string }, config))];
  }
  try {
    const findings: Finding[] = [];
    for (const check of [
      checkVersion,
      checkExtensions,
      checkMigrations,
      checkRole,
      checkAccess,
      checkDurability,
      (one: pg.Client) => checkConnections(one, config, processes),
      checkSecrets,
      checkSkus,
      checkQueue,
      checkStandbys,
      checkBlocking,
      checkClock,
      checkTrialWrite,
    ]) {
      findings.push(await check(client, url, config));
    }
    return findings;
  } finally {
    await client.end();
  }
}

function mendFor({ code = '' }: { code?: string }, { databaseDirectUrl }: Config): string {
  const name = databaseDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  if (code.startsWith('28')) return `Correct the user and the password in ${name}.`;
  if (code === '3D000') return `Create the database that ${name} names.`;
  return `Start PostgreSQL, and check the host and port of ${name}.`;
}

const checkVersion: Check = async (client) => {
  const version = await versionOf(client);
  return isTooOld(version)
    ? wrong('version', `PostgreSQL ${version} is too old`, `Use PostgreSQL ${OLDEST_VERSION} or newer.`)
    : ok('version', `PostgreSQL ${version}`);
};

const checkExtensions: Check = async (client) => {
  const { rows } = await client.query<{ name: string }>(
    'select name from pg_available_extensions where name = any($1)',
    [EXTENSIONS],
  );
  const missing = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
  if (missing.length === 0) return ok('extensions', EXTENSIONS.join(', '));
  const mend = 'Install the contrib package of your PostgreSQL (on Debian it is part of postgresql).';
  return wrong('extensions', `${missing.join(', ')} cannot be installed`, mend);
};

const checkMigrations: Check = async (client, url) => {
  const recorded = await recordedMigrations(client);
  const old = versionBeforeBaseline(recorded);
  if (old) return wrong('migrations', `the database is at migration ${old}`, remedyFor('database'));
  try {
    const newer = await findNewerSchema(client);
    if (newer) return ok('migrations', describeNewer(newer));
  } catch (error) {
    return wrong('migrations', (error as Error).message, 'Run the release that migrated the database, or a newer one.');
  }
  const pending = recorded.length > 0 ? await pendingMigrations(url) : ['all'];
  return pending.length === 0
    ? ok('migrations', 'all applied')
    : wrong('migrations', `missing: ${pending.join(', ')}`, 'Run commerce-server migrate.');
};

const checkRole: Check = async (client) => {
  const { rows } = await client.query<{ login: string; unbound: boolean; member: boolean }>(
    `select current_user as login, rolsuper or rolbypassrls as unbound, pg_has_role(current_user, oid, 'member') as member
      from pg_roles where rolname = 'commerce_app'`,
  );
  const role = rows[0];
  if (!role) return missingRole(client);
  if (role.unbound) {
    return wrong(
      'role',
      'commerce_app bypasses row-level security',
      'As a superuser: alter role commerce_app nosuperuser nobypassrls;',
    );
  }
  return role.member
    ? ok('role', 'commerce_app, subject to row-level security')
    : wrong(
        'role',
        `${role.login} may not act as commerce_app`,
        `As a superuser: grant ${ROLES} to ${role.login} with admin option;`,
      );
};

async function missingRole(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ login: string; may_create: boolean }>(
    `select rolname as login, rolsuper or rolcreaterole as may_create from pg_roles where rolname = current_user`,
  );
  const login = rows[0];
  return login?.may_create
    ? wrong('role', 'commerce_app does not exist', 'Run commerce-server migrate.')
    : wrong(
        'role',
        `${login?.login} may not create commerce_app`,
        `As a superuser: alter role ${login?.login} createrole;`,
      );
}

/** Checks that the server's roles, grants and policies exist. A restored dump may lack them. */
const checkAccess: Check = async (client, _url, { migrates, role }) => {
  if (!migrates && role === 'api') return ok('access', 'not checked: run doctor with the login that owns the schema');
  const roles = await missingRoles(client);
  const gaps = await accessGaps(client);
  const missing = [...roles, ...gaps].map(({ text }) => text);
  if (missing.length === 0) return ok('access', 'every role has its grants and policies');
  const found = `${missing.length} missing, such as ${missing[0]}`;
  // Missing rights that only backups need do not stop the server.
  const onlyBackups = roles.every(({ needed }) => !needed) && gaps.length === 0;
  const mend = onlyBackups
    ? 'Run commerce-server migrate with a login that has CREATEROLE; until then backups fail.'
    : 'Run commerce-server migrate.';
  return onlyBackups ? warning('access', found, mend) : wrong('access', found, mend);
};

const checkDurability: Check = async (client) => {
  const unsafe = await unsafeDurability(client);
  if (unsafe.length === 0) return ok('durability', 'committed transactions survive a crash');
  return wrong(
    'durability',
    unsafe.join(', '),
    'Turn it on in postgresql.conf: a crash may lose committed transactions.',
  );
};

/**
 * Number of shops to check, oldest first. After a change of SECRET_KEY, new secrets can be decrypted, but old ones
 * cannot.
 */
const SHOPS = 200;

/** Checks whether the payment keys and one webhook secret of each of these shops can be decrypted. */
const checkSecrets: Check = async (client, _url, { secretKey }) => {
  const sealed = await webhookSecrets(client);
  const closed = sealed.filter(({ id, secret }) => !opens(secretKey, id, secret));
  const lost = await lostPaymentKey(client, secretKey);
  if (lost) {
    return wrong(
      'secrets',
      `the keys of payment accounts cannot be decrypted, such as that of site ${lost}`,
      'Set SECRET_KEY to the key that they were encrypted with, run rotate-secret-key with both keys, or set the keys of these accounts again.',
    );
  }
  if (closed.length === 0) return ok('secrets', `${sealed.length} webhook secrets can be decrypted`);
  return wrong(
    'secrets',
    `${closed.length} of ${sealed.length} webhook secrets cannot be decrypted, such as that of ${closed[0]?.id}`,
    'Set SECRET_KEY to the key that they were encrypted with, run rotate-secret-key with both keys, or rotate the secrets of these webhooks.',
  );
};

/** The id of the first site whose payment keys cannot be decrypted. */
async function lostPaymentKey(client: pg.Client, secretKey: string): Promise<string | undefined> {
  for (const site_id of await oldestSites(client, 'payment_accounts')) {
    await client.query(`select set_config('app.site_id', $1, false)`, [site_id]);
    const { rows } = await client.query<Record<KeyUse, Buffer | null>>(
      'select secret_key, webhook_secret from commerce.payment_accounts where site_id = $1',
      [site_id],
    );
    const sealed = Object.entries(rows[0] ?? {}) as [KeyUse, Buffer | null][];
    if (sealed.some(([use, key]) => key && !opensKey(secretKey, site_id, use, key))) return site_id;
  }
  return undefined;
}

/** The ids of the oldest sites; empty if the table does not exist. */
async function oldestSites(client: pg.Client, table: string): Promise<string[]> {
  const { rows: tables } = await client.query<{ made: boolean }>(`select to_regclass($1) is not null as made`, [
    `commerce.${table}`,
  ]);
  if (!tables[0]?.made) return [];
  const { rows } = await client.query<RowOf<'sites', 'site_id'>>(
    'select site_id from commerce.sites order by created_at limit $1',
    [SHOPS],
  );
  return rows.map(({ site_id }) => site_id);
}

type Sealed = RowOf<'webhooks', 'id' | 'secret'>;

/** Reads webhook secrets shop by shop, because row-level security shows the webhooks of only one shop at a time. */
async function webhookSecrets(client: pg.Client): Promise<Sealed[]> {
  const found: Sealed[] = [];
  for (const site_id of await oldestSites(client, 'webhooks')) {
    await client.query(`select set_config('app.site_id', $1, false)`, [site_id]);
    const first = await client.query<Sealed>(
      'select id, secret from commerce.webhooks where site_id = $1 order by id limit 1',
      [site_id],
    );
    found.push(...first.rows);
  }
  return found;
}

function opens(secretKey: string, webhook_id: string, sealed: Buffer): boolean {
  try {
    unseal(secretKey, webhook_id, sealed);
    return true;
  } catch {
    return false;
  }
}
