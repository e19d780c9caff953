import { createWriteStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import manifest from '../../package.json' with { type: 'json' };
import {
  encrypted,
  type FileKey,
  keyOfText,
  newFileKey,
  openFileKey,
  receiverOf,
  textOfKey,
} from '../backup/encryption.ts';
import type { ExportedSite } from '../backup/format.ts';
import { type Contents, verify } from '../backup/verify.ts';
import type { Config } from '../config.ts';
import { withClient } from '../db/client.ts';
import { openStore } from '../files/open-store.ts';
import { fingerprintOf } from '../secret-key.ts';
import { openAuditKey } from '../shop/audit/keys.ts';
import { openAccounts } from '../shop/payments/accounts/providers.ts';
import { exportSite as dumpSite } from '../shop/sites/export.ts';
import { type ImportedSite, importSite as load } from '../shop/sites/import.ts';
import { inSite } from '../shop/sites/in-site.ts';
import { drainIfMoved, markMoved } from '../shop/sites/moving.ts';
import { findReceiver } from '../shop/sites/receivers.ts';
import { verifyAll as verifyAudit } from './audit-verify.ts';
import { withDatabase, withPool } from './database.ts';
import { printProgress } from './progress.ts';
import { ofFiles, ofTables, showProgress } from './progress-line.ts';
import { refuseNoSiteId } from './site-id.ts';
import { refuseNoDirectory, writeWhole } from './whole-file.ts';

export interface ExportOptions {
  /**
   * Whether this is the final export before the site moves to another server. If so, the site is closed before the
   * export, and stays closed unless an operator runs `site resume`.
   */
  final: boolean;
  /** The one-time key of the other server (`site receive`), to which the file is encrypted with all secrets. */
  keepSecrets?: string;
  json: boolean;
}

/** Writes a site to a file. The file is verified before it gets its name. */
export async function exportSite(
  config: Config,
  site_id: string,
  file: string,
  { final, keepSecrets, json }: ExportOptions,
): Promise<void> {
  refuseNoSiteId(site_id);
  refuseNoDirectory(file);
  const key = keepSecrets === undefined ? undefined : newFileKey(keyOfText(keepSecrets));
  if (key) await prepareSecrets(config, site_id, final);
  if (final) await block(config, site_id);
  const { contents, missing } = await writeWhole(file, async (draft) => ({
    missing: await write(config, site_id, draft, key),
    contents: await verify(draft, key),
  }));
  const { size } = await stat(file);
  const { header, files } = contents;
  const summary = { site_id, file, rows: total(contents), files: files.count, missing_files: missing, bytes: size };
  if (json) process.stdout.write(`${JSON.stringify({ ...summary, made_at: header.made_at, site: header.site })}\n`);
  printProgress(
    `${file}: ${header.site?.name} with ${summary.rows.toLocaleString('en')} rows and ${files.count.toLocaleString('en')} files ` +
      `as of ${header.made_at}, ${(size / 1e6).toFixed(1)} MB, verified. It contains all customers and orders: store it like a backup.`,
  );
  if (missing > 0) printProgress(`${missing} files of the site were missing in the file store.`);
  for (const sentence of afterExport(site_id, header.site)) printProgress(sentence);
}

/** Further instructions for the operator after an export. */
function afterExport(site_id: string, site: ExportedSite | undefined): string[] {
  const { final = false, open_payments = 0 } = site ?? {};
  const back = `commerce-server site resume ${site_id} --not-imported`;
  if (!final) {
    const payments = open_payments > 0 ? `, wait until its ${open_payments} pending payments are settled,` : '';
    return [`The site is still active here. For the final export suspend it${payments} and add --final.`];
  }
  return [
    'The site is closed here: it answers 503, and its jobs and mails do not run. Import the file, then delete the site here.',
    ...(open_payments > 0
      ? [`${open_payments} payments are pending: they are settled on the new server (import --force).`]
      : []),
    `If no server has imported the file, reopen the site with: ${back}`,
  ];
}

/**
 * Rejects an export with secrets if the site would stay open, or if verifying its audit log finds a problem. The
 * importing server signs the log with its own key.
 */
async function prepareSecrets(config: Config, site_id: string, final: boolean): Promise<void> {
  if (!final) {
    throw new Error('--keep-secrets needs --final: otherwise the secrets would be valid on both servers.');
  }
  const [report] = await withPool(config, (db) => verifyAudit(db, config.secretKey, {}, site_id));
  if (!report || report.findings.length === 0) return;
  throw new Error(
    `The audit of the site has problems (${report.findings[0]}). See commerce-server audit verify --site ${site_id}.`,
  );
}

async function block(config: Config, site_id: string): Promise<void> {
  await withDatabase(config, (_db, url) =>
    withClient({ connectionString: url, application_name: 'commerce site' }, (owner) =>
      inSite(owner, site_id, () => markMoved(owner, site_id)),
    ),
  );
}

/** Writes the site. Returns the number of files that were missing in the store. */
async function write(config: Config, site_id: string, draft: string, key: FileKey | undefined): Promise<number> {
  const store = await openStore(config);
  let missing = 0;
  await withDatabase(config, (_db, url) =>
    withClient({ connectionString: url, application_name: 'commerce site export', keepAlive: true }, async (client) => {
      await drainIfMoved(client, site_id);
      const progress = showProgress();
      const source = dumpSite(client, site_id, {
        about: { release: manifest.version, secret_key: fingerprintOf(config.secretKey) },
        secretKey: key && config.secretKey,
        onRows: (done) => progress.update(ofTables(done)),
        files: {
          store,
          onFile: (done) => progress.update(ofFiles(done)),
          onMissing: (count) => {
            missing = count;
          },
        },
      });
      try {
        // The file contains all customers and orders, so only its owner may read it.
        const to = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
        if (key) await pipeline(source, createGzip(), (zipped) => encrypted(key, zipped), to);
        else await pipeline(source, createGzip(), to);
      } finally {
        progress.end();
      }
    }),
  );
  return missing;
}

export interface ImportOptions {
  withoutHosts: boolean;
  withoutLimits: boolean;
  force: boolean;
  json: boolean;
}

/** Imports a site and prints its new secrets, which are shown only once. */
export async function importSite(config: Config, file: string, options: ImportOptions): Promise<void> {
  if (!existsSync(file)) throw new Error(`The file ${file} does not exist.`);
  const store = await openStore(config);
  const { imported, site } = await withDatabase(config, async (db, url) => {
    const auditKey = await openAuditKey(db, config.secretKey);
    const { secretKey, baseUrl } = config;
    return withClient(
      { connectionString: url, application_name: 'commerce site import', keepAlive: true },
      async (client) => {
        const decryption = await openEncrypted(client, file, secretKey);
        printProgress(`Verifying ${file}.`);
        const { header } = await verify(file, decryption?.key);
        const progress = showProgress();
        try {
          const imported = await load(client, file, header, {
            ...{ store, secretKey, auditKey, baseUrl, force: options.force, encrypted: decryption },
            ...{ hosts: !options.withoutHosts, limits: !options.withoutLimits },
            onRows: (done) => progress.update(ofTables(done)),
            onFile: (done) => progress.update(ofFiles(done)),
          });
          return { imported, site: header.site };
        } finally {
          progress.end();
        }
      },
    );
  });
  process.stdout.write(`${options.json ? JSON.stringify(imported, null, 2) : inWords(imported)}\n`);
  for (const sentence of whatIsLeft(imported, site)) printProgress(sentence);
  if (site?.has_payment_account && imported.keeps_secrets) printProgress(await moveWebhook(config, imported.site_id));
}

/**
 * Changes the URL of the payment provider's webhook to this server, after the import has committed. If that fails, the
 * message asks the operator to do it. Until then, the jobs poll the provider for pending payments.
 */
async function moveWebhook(config: Config, site_id: string): Promise<string> {
  const url = `${config.baseUrl}/webhooks/stripe/${site_id}`;
  const byHand = `Change the address of the payment provider’s webhook to ${url}. Its secret stays.`;
  try {
    const isMoved = await withPool(config, (db) => openAccounts(db, config).moveWebhook(site_id, url));
    return isMoved ? `The payment provider’s webhook now sends to ${url}.` : byHand;
  } catch (error) {
    return `${byHand} Changing it failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * The key of an encrypted file; undefined if the file is not encrypted. Throws an Error with instructions if it is
 * encrypted to a key that cannot be used.
 */
async function openEncrypted(client: pg.Client, file: string, secretKey: string) {
  const receiver = await receiverOf(file);
  if (!receiver) return undefined;
  const privateKey = await findReceiver(client, receiver, secretKey);
  if (privateKey) return { receiver, key: await openFileKey(file, privateKey) };
  throw new Error(
    `${file} is encrypted to ${textOfKey(receiver)}, which is not a key of this server, was used already, or is older than 7 days. ` +
      'Run commerce-server site receive here, and export the site again with the key that it prints.',
  );
}

function inWords(imported: ImportedSite): string {
  const { name, site_id, rows, files, hosts, staff } = imported;
  const secrets = (title: string, list: { description: string; secret: string }[]) =>
    list.map(({ description, secret }) => [title, `${secret}  ${description}`]);
  const lines = [
    ['Site id', site_id],
    ...hosts.map((host) => ['Host', host]),
    ...secrets('Storefront token', imported.storefront_tokens),
    ...secrets('API key', imported.api_keys),
    ...secrets('Sync secret', imported.sync_keys),
    ...imported.webhooks.map(({ url, secret }) => ['Webhook', `${secret}  ${url}`]),
    ...staff.map(({ email, password }) => ['Login', `${email}  ${password ?? 'the existing password'}`]),
  ];
  const width = Math.max(...lines.map(([label = '']) => label.length));
  return [
    `${name} was imported with ${rows.toLocaleString('en')} rows and ${files.toLocaleString('en')} files. Store the secrets: they are not shown again.`,
    '',
    ...lines.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`),
  ].join('\n');
}

/** Returns the remaining steps for the operator and the merchant. */
function whatIsLeft(
  { site_id, suspended, keeps_secrets, hosts, limits }: ImportedSite,
  site: ExportedSite | undefined,
): string[] {
  const { has_payment_account: hasAccount = false, final = false } = site ?? {};
  return [
    ...(keeps_secrets
      ? [
          'Credentials, sessions, webhook secrets and links of the other server stay valid here.',
          'Integrations read the catalogue and events from the beginning. Staff log in again.',
        ]
      : [
          'Credentials of the other server no longer work: keys, tokens, sessions, and links in mails.',
          'Customers keep their passwords, must log in again, and approve their agents again.',
          'Integrations read the catalogue from the beginning. Staff must set up their second factors again.',
        ]),
    ...(hasAccount && !keeps_secrets
      ? ['Enter again: the keys of the payment provider, and the secret of its webhook.']
      : []),
    ...(hosts.length > 0 ? [`Point the DNS of ${hosts.join(', ')} to this server.`] : []),
    ...(limits.left.length > 0
      ? [
          `The default rate limits apply. To restore its own: commerce-server site limits ${site_id} --set ${limits.left.join(' ')}`,
        ]
      : []),
    ...(limits.invalid > 0 ? ['The file contained invalid rate limits, which were left out.'] : []),
    ...(suspended ? [`It is suspended, as on the other server: commerce-server site resume ${site_id}`] : []),
    final
      ? 'The site is closed on the other server. Delete it there with commerce-server site delete.'
      : 'The site is still active on the other server, which cancels orders and sends mails: the file was exported without --final.',
  ];
}

function total({ rows }: Contents): number {
  return rows.reduce((sum, count) => sum + count, 0);
}
