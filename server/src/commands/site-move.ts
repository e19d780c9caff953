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
  /** The site leaves this server: it is blocked before, and stays so. */
  final: boolean;
  json: boolean;
}

/** Writes a site to a file, which is read back before it has its name. */
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
      `as of ${header.made_at}, ${(size / 1e6).toFixed(1)} MB, verified. It holds all customers and orders: keep it like a backup.`,
  );
  if (missing > 0) printProgress(`${missing} files that the site names were not in the file store.`);
  for (const sentence of afterExport(site_id, header.site)) printProgress(sentence);
}

/** What the operator has to know besides. */
function afterExport(site_id: string, site: ExportedSite | undefined): string[] {
  const { final = false, open_payments = 0 } = site ?? {};
  const back = `commerce-server site resume ${site_id} --not-imported`;
  if (!final) {
    const payments = open_payments > 0 ? `, wait until its ${open_payments} open payments are settled,` : '';
    return [`The site goes on here. For the last export suspend it${payments} and add --final.`];
  }
  return [
    'The site has moved: it answers 503 here, and its jobs and mails do not run. Import the file, and delete the site here.',
    ...(open_payments > 0
      ? [`${open_payments} payments are open: they are settled on the new server (import --force).`]
      : []),
    `If nothing has imported the file, this takes it back: ${back}`,
  ];
}

async function block(config: Config, site_id: string): Promise<void> {
  await withDatabase(config, (_db, url) =>
    withClient({ connectionString: url, application_name: 'commerce site' }, (owner) =>
      inSite(owner, site_id, () => markMoved(owner, site_id)),
    ),
  );
}

/** Returns how many files were not in the store. */
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
        // It holds every customer and every order, so only its owner may read it.
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

/** Brings in a site, and prints its new secrets: it is the only time that they are shown. */
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
    ...staff.map(({ email, password }) => [
      'Login',
      `${email}  ${password ?? 'the password that this login has already'}`,
    ]),
  ];
  const width = Math.max(...lines.map(([label = '']) => label.length));
  return [
    `${name} has arrived, with ${rows.toLocaleString('en')} rows and ${files.toLocaleString('en')} files. Keep the secrets: they are not shown again.`,
    '',
    ...lines.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`),
  ].join('\n');
}

/** What an operator or the merchant has to do now. */
function whatIsLeft({ site_id, suspended, hosts, limits }: ImportedSite, site: ExportedSite | undefined): string[] {
  const { has_payment_account: hasAccount = false, final = false } = site ?? {};
  return [
    'What worked on the other server works no more: keys, tokens, logins, and links in mails.',
    'Customers keep their passwords, log in again, and allow their agents anew.',
    'Integrations read the catalogue from its beginning. Second factors of staff are set up again.',
    ...(hasAccount ? ['Enter again: the keys of the payment provider, and the secret of its webhook.'] : []),
    ...(hosts.length > 0 ? [`Let ${hosts.join(', ')} lead to this server.`] : []),
    ...(limits.left.length > 0
      ? [
          `The usual rate limits apply. Those that it had: commerce-server site limits ${site_id} --set ${limits.left.join(' ')}`,
        ]
      : []),
    ...(limits.invalid > 0 ? ['The file had rate limits that no site can have: they were left out.'] : []),
    ...(suspended ? [`It is suspended, as it was there: commerce-server site resume ${site_id}`] : []),
    final
      ? 'The other server serves the site no more. Delete it there with commerce-server site delete.'
      : 'The other server still serves the site, and cancels and mails what falls due there: the file was exported without --final.',
  ];
}

function total({ rows }: Contents): number {
  return rows.reduce((sum, count) => sum + count, 0);
}
