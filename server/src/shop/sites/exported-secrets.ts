/**
 * Secrets that are encrypted with SECRET_KEY, and the jobs of a site, for an encrypted export. The export contains the
 * secrets decrypted, so that neither server needs the SECRET_KEY of the other.
 */

import type { JsonWebKey } from 'node:crypto';
import type pg from 'pg';
import type { ExportedSecrets } from '../../backup/format.ts';
import { openFactor, sealFactor } from '../merchant/second-factor.ts';
import { openKey, sealKey } from '../payments/accounts/sealed-keys.ts';
import { hashSecret, seal, unseal } from '../webhooks/secrets.ts';
import { openPrivateKey, sealPrivateKey } from '../webhooks/signing-keys.ts';
import { IS_POSTPONED, POSTPONED } from './postponed-jobs.ts';
import { staged } from './staging.ts';

/**
 * The tasks whose jobs move with a site. From a file, only jobs of these tasks are accepted, and only for the site of
 * the file. The import itself queues jobs for unprocessed images, unmatched withdrawals, scheduled products and due
 * invoices.
 */
const MOVED_TASKS = [
  ...['send_mail', 'deliver_webhook', 'deliver_to_platform', 'move_money', 'apply_consent', 'tell_low_stock'],
  'remove_file',
];

/** Reads the jobs of a site with their times. Needs the owner of the tables. */
export async function readJobs(owner: pg.ClientBase, site_id: string): Promise<ExportedSecrets['jobs']> {
  const { rows } = await owner.query<ExportedSecrets['jobs'][number]>(
    `select t.identifier as task, j.payload, to_char((case when ${IS_POSTPONED.text} then run_at - ${POSTPONED.text} else run_at end)
          at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as run_at,
        j.max_attempts, j.priority
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where j.payload->>'site_id' = $1 and t.identifier = any($2) and j.attempts < j.max_attempts order by j.id`,
    [site_id.toLowerCase(), MOVED_TASKS],
  );
  return rows;
}

/**
 * Decrypts the secrets of the site that is the tenant. Throws if SECRET_KEY does not decrypt one, except a signing key.
 */
export async function readSecrets(
  client: pg.ClientBase,
  site_id: string,
  secretKey: string,
): Promise<Omit<ExportedSecrets, 'jobs'>> {
  const webhooks = await client.query<{ id: string; secret: Buffer; previous_secret: Buffer | null }>(
    'select id, secret, previous_secret from commerce.webhooks where site_id = $1 order by id',
    [site_id],
  );
  const accounts = await client.query<Record<'secret_key' | 'webhook_secret', Buffer | null>>(
    'select secret_key, webhook_secret from commerce.payment_accounts where site_id = $1',
    [site_id],
  );
  const signing = await client.query<SealedSigningKey>(
    'select kid, public_key, sealed, created_at from commerce.signing_keys where site_id = $1 order by kid',
    [site_id],
  );
  const staff = await client.query<ExportedStaff>(
    `select s.id, s.password_hash, f.secret, f.turned_on_at, f.last_step,
        array(select encode(c.code_hash, 'hex') from commerce.staff_recovery_codes c where c.staff_id = s.id and c.used_at is null) as codes
      from commerce.staff_memberships m join commerce.staff s on s.id = m.staff_id
      left join commerce.staff_second_factors f on f.staff_id = s.id where m.site_id = $1 order by s.id`,
    [site_id],
  );
  const [account] = accounts.rows;
  const openAll = (use: 'secret_key' | 'webhook_secret') =>
    account?.[use] ? openKey(secretKey, site_id, use, account[use]) : null;
  return {
    webhooks: webhooks.rows.map(({ id, secret, previous_secret }) => ({
      id,
      secret: unseal(secretKey, id, secret),
      previous_secret: previous_secret && unseal(secretKey, id, previous_secret),
    })),
    account: account ? { secret_key: openAll('secret_key'), webhook_secret: openAll('webhook_secret') } : null,
    // A key that SECRET_KEY does not decrypt signs nothing, and is left out.
    signing_keys: signing.rows.flatMap(({ sealed, ...key }) => {
      const pem = openPrivateKey(secretKey, site_id, key.kid, sealed);
      return pem === undefined ? [] : [{ ...key, pem }];
    }),
    staff: staff.rows.map(({ id, password_hash, secret, turned_on_at, last_step, codes }) => ({
      ...{ id, password_hash },
      second_factor: secret && {
        ...{
          secret: openFactor(secretKey, id, secret),
          turned_on_at,
          last_step: last_step ?? 0,
          recovery_codes: codes,
        },
      },
    })),
  };
}

interface SealedSigningKey {
  kid: string;
  public_key: JsonWebKey;
  sealed: Buffer;
  created_at: string;
}

interface ExportedStaff {
  id: string;
  password_hash: string;
  secret: Buffer | null;
  turned_on_at: string | null;
  last_step: number | null;
  codes: string[];
}

/** Encrypts the secrets for this server, in the temporary tables. */
export async function stageSecrets(
  client: pg.ClientBase,
  site_id: string,
  { webhooks, account }: ExportedSecrets,
  secretKey: string,
): Promise<void> {
  for (const { id, secret, previous_secret } of webhooks) {
    await client.query(
      `update ${staged('webhooks')} set secret = $2, secret_hash = $3, previous_secret = $4 where id = $1`,
      [id, seal(secretKey, id, secret), hashSecret(secret), previous_secret && seal(secretKey, id, previous_secret)],
    );
  }
  const sealed = (use: 'secret_key' | 'webhook_secret') =>
    account?.[use] ? sealKey(secretKey, site_id, use, account[use]) : null;
  await client.query(`update ${staged('payment_accounts')} set secret_key = $1, webhook_secret = $2`, [
    sealed('secret_key'),
    sealed('webhook_secret'),
  ]);
}

/** Stores the keys that sign requests to UCP platforms. */
export async function storeSigningKeys(
  client: pg.ClientBase,
  site_id: string,
  { signing_keys = [] }: ExportedSecrets,
  secretKey: string,
): Promise<void> {
  for (const { kid, public_key, pem, created_at } of signing_keys) {
    await client.query(
      `insert into commerce.signing_keys (site_id, kid, public_key, sealed, created_at) values ($1, $2, $3, $4, $5)`,
      [site_id, kid, JSON.stringify(public_key), sealPrivateKey(secretKey, site_id, kid, pem), created_at],
    );
  }
}

/** Stores the second factor of a new login. */
export async function storeFactor(
  client: pg.ClientBase,
  staff_id: string,
  factor: NonNullable<ExportedSecrets['staff'][number]['second_factor']>,
  secretKey: string,
): Promise<void> {
  await client.query(
    'insert into commerce.staff_second_factors (staff_id, secret, turned_on_at, last_step) values ($1, $2, $3, $4)',
    [staff_id, sealFactor(secretKey, staff_id, factor.secret), factor.turned_on_at, factor.last_step],
  );
  await client.query(
    `insert into commerce.staff_recovery_codes (staff_id, code_hash)
      select $1, decode(code, 'hex') from unnest($2::text[]) as code`,
    [staff_id, factor.recovery_codes],
  );
}

/** Queues the jobs of the imported site. They are queued without a job key, so none replaces a job of this server. */
export async function queueJobs(client: pg.ClientBase, site_id: string, { jobs }: ExportedSecrets): Promise<void> {
  await client.query(
    `select graphile_worker.add_job(j.task, (j.payload || jsonb_build_object('site_id', $2::text))::json, null, j.run_at,
        j.max_attempts, null, j.priority)
      from jsonb_to_recordset($1::jsonb) as j (task text, payload jsonb, run_at timestamptz, max_attempts int, priority int)
      where j.task = any($3)`,
    [JSON.stringify(jobs), site_id, MOVED_TASKS],
  );
}
