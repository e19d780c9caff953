import { createWriteStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import manifest from '../../package.json' with { type: 'json' };
import type { ExportedSite } from '../backup/format.ts';
import { type Contents, verify } from '../backup/verify.ts';
import type { Config } from '../config.ts';
import { withClient } from '../db/client.ts';
import { openStore } from '../files/open-store.ts';
import { fingerprintOf } from '../secret-key.ts';
import { openAuditKey } from '../shop/audit/keys.ts';
import { exportSite as dumpSite } from '../shop/sites/export.ts';
import { type ImportedSite, importSite as load } from '../shop/sites/import.ts';
import { inSite } from '../shop/sites/in-site.ts';
import { drainIfMoved, markMoved } from '../shop/sites/moving.ts';
import { withDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { ofFiles, ofTables, showProgress } from './progress-line.ts';
import { refuseNoSiteId } from './site-id.ts';
import { refuseNoDirectory, writeWhole } from './whole-file.ts';

export interface ExportOptions {
  /** Whether the site moves away: it is closed before the export and stays closed. */
  final: boolean;
  json: boolean;
}

/** Writes a site to a file. The file is verified before it gets its name. */
export async function exportSite(
  config: Config,
  site_id: string,
  file: string,
  { final, json }: ExportOptions,
): Promise<void> {
  refuseNoSiteId(site_id);
  refuseNoDirectory(file);
  if (final) await block(config, site_id);
  const { contents, missing } = await writeWhole(file, async (draft) => ({
    missing: await write(config, site_id, draft),
    contents: await verify(draft),
  }));
  const { size } = await stat(file);
  const { header, files } = contents;
  const told = { site_id, file, rows: total(contents), files: files.count, missing_files: missing, bytes: size };
  if (json) process.stdout.write(`${JSON.stringify({ ...told, made_at: header.made_at, site: header.site })}\n`);
  printProgress(
    `${file}: ${header.site?.name} with ${told.rows.toLocaleString('en')} rows and ${files.count.toLocaleString('en')} files ` +
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

async function block(config: Config, site_id: string): Promise<void> {
  await withDatabase(config, (_db, url) =>
    withClient({ connectionString: url, application_name: 'commerce site' }, (owner) =>
      inSite(owner, site_id, () => markMoved(owner, site_id)),
    ),
  );
}

/** Writes the site. Returns the number of files that were missing in the store. */
async function write(config: Config, site_id: string, draft: string): Promise<number> {
  const store = await openStore(config);
  let missing = 0;
  await withDatabase(config, (_db, url) =>
    withClient({ connectionString: url, application_name: 'commerce site export', keepAlive: true }, async (client) => {
      await drainIfMoved(client, site_id);
      const progress = showProgress();
      const source = dumpSite(client, site_id, {
        about: { release: manifest.version, secret_key: fingerprintOf(config.secretKey) },
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
        await pipeline(source, createGzip(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
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
  printProgress(`Verifying ${file}.`);
  const { header } = await verify(file);
  const store = await openStore(config);
  const imported = await withDatabase(config, async (db, url) => {
    const auditKey = await openAuditKey(db, config.secretKey);
    const { secretKey, baseUrl } = config;
    return withClient(
      { connectionString: url, application_name: 'commerce site import', keepAlive: true },
      async (client) => {
        const progress = showProgress();
        try {
          return await load(client, file, header, {
            ...{ store, secretKey, auditKey, baseUrl, force: options.force },
            ...{ hosts: !options.withoutHosts, limits: !options.withoutLimits },
            onRows: (done) => progress.update(ofTables(done)),
            onFile: (done) => progress.update(ofFiles(done)),
          });
        } finally {
          progress.end();
        }
      },
    );
  });
  process.stdout.write(`${options.json ? JSON.stringify(imported, null, 2) : inWords(imported)}\n`);
  for (const sentence of whatIsLeft(imported, header.site)) printProgress(sentence);
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
    ...staff.map(({ email, password }) => ['Login', `${email}  ${password ?? 'the existing password of this login'}`]),
  ];
  const width = Math.max(...lines.map(([label = '']) => label.length));
  return [
    `${name} was imported with ${rows.toLocaleString('en')} rows and ${files.toLocaleString('en')} files. Store the secrets: they are not shown again.`,
    '',
    ...lines.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`),
  ].join('\n');
}

/** What the operator and the merchant have to do next. */
function whatIsLeft({ site_id, suspended, hosts, limits }: ImportedSite, site: ExportedSite | undefined): string[] {
  const { has_payment_account: hasAccount = false, final = false } = site ?? {};
  return [
    'Credentials of the other server no longer work: keys, tokens, sessions, and links in mails.',
    'Customers keep their passwords, must log in again, and approve their agents again.',
    'Integrations read the catalogue from the beginning. Staff must set up their second factors again.',
    ...(hasAccount ? ['Enter again: the keys of the payment provider, and the secret of its webhook.'] : []),
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
