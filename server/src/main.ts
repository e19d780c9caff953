import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { AuditVerifyOptions } from './commands/audit-verify.ts';
import type { LostOptions } from './commands/lost.ts';
import { printProgress } from './commands/progress.ts';
import type { SiteOptions } from './commands/site.ts';
import type { DeleteOptions } from './commands/site-life.ts';
import type { SiteListOptions } from './commands/site-list.ts';
import type { ExportOptions, ImportOptions } from './commands/site-move.ts';
import type { SitePaymentsOptions } from './commands/site-payments.ts';
import { inspectConfig, readConfig } from './config.ts';
import { ValidationError } from './shop/errors.ts';

// Variables that are already set take precedence over .env.
if (existsSync('.env')) process.loadEnvFile('.env');

// Each command imports only the modules that it needs, because loading the whole server takes a second.
const program = new Command('commerce-server')
  .description('Commerce backend: dashboard, storefront and agent APIs on PostgreSQL.')
  .version(manifest.version)
  .addHelpText(
    'after',
    '\nSettings come from environment variables, and from a file .env in the current folder; docs/configuration.md lists them.',
  )
  .showHelpAfterError();

program
  .command('start')
  .description('run the server; without DATABASE_URL, uses an embedded PostgreSQL and creates a demo shop')
  .option(
    '--processes <number>',
    'number of processes that share PORT on this machine; more than one needs Redis',
    wholeNumber,
    1,
  )
  .action(async ({ processes }: { processes: number }) => {
    const config = readConfig(process.env);
    const isOneOfMany = processes > 1 && (await import('node:cluster')).default.isWorker;
    if (processes > 1 && !isOneOfMany) {
      const { refuseMany, startMany } = await import('./commands/start-many.ts');
      refuseMany(processes, config);
      return startMany(processes, config);
    }
    const { start } = await import('./commands/start.ts');
    await start(config, { isOneOfMany });
  });

program
  .command('migrate')
  .description('migrate the database to the schema of this release, and add missing roles, grants and policies')
  .option('--roles', 'create only the roles, to load a dump with pg_restore afterwards', false)
  .action(async (options: { roles: boolean }) => {
    const { migrate } = await import('./commands/migrate.ts');
    await migrate(readConfig(process.env), options);
  });

program
  .command('seed')
  .description('create the demo shop, and write its credentials to DATA_DIR/demo.json')
  .action(async () => {
    const { seed } = await import('./commands/seed.ts');
    await seed(readConfig(process.env));
  });

const site = program.command('site').description('manage sites');

site
  .command('create')
  .description(
    'create a shop and print its credentials (secrets are shown only once); at a terminal, asks for missing values',
  )
  .option('--name <name>', 'the name of the shop')
  .option('--currency <code>', 'the currency of all prices, as an ISO 4217 code such as EUR')
  .option(
    '--file <file>',
    'a JSON file with name, currency, country, staff, settings, shipping_options and products; a .jsonl file with one shop per line creates many',
  )
  .option('--staff-email <email>', 'the login for the dashboard; an existing login gets access to this site too')
  .option('--staff-name <name>', 'the name of the person who logs in')
  .option('--no-input', 'never ask for values')
  .addHelpText(
    'after',
    '\nWithout a terminal, or with --file, the command asks nothing and prints the credentials as JSON.\n\nExamples:\n  commerce-server site create\n  commerce-server site create --file shop.json > site.json\n  commerce-server site create --file shops.jsonl > sites.jsonl\n  commerce-server site create --name "Alder & Finch" --currency EUR --no-input > site.json',
  )
  .action(async (options: SiteOptions) => {
    if (options.file?.endsWith('.jsonl')) {
      const { openMany } = await import('./commands/opening/open-many.ts');
      if (!(await openMany(readConfig(process.env), options.file))) process.exitCode = 1;
      return;
    }
    const { createSite } = await import('./commands/site.ts');
    await createSite(readConfig(process.env), options);
  });

site
  .command('list')
  .description('list all sites with their contents, usage and problems')
  .option('--sort <order>', 'sort by name, created, products, orders, last-order, storage, calls or health', 'name')
  .option('--status <status>', 'only sites with this status: open, suspended or deleting')
  .option('--problem <problem>', 'only sites with this problem: cannot-sell, webhooks-failing or suspended')
  .option('--json', 'print them as JSON', false)
  .addHelpText(
    'after',
    '\nExamples:\n  commerce-server site list --sort last-order\n  commerce-server site list --problem cannot-sell --status open',
  )
  .action(async (options: SiteListOptions) => {
    const { siteList } = await import('./commands/site-list.ts');
    await siteList(readConfig(process.env), options);
  });

site
  .command('show')
  .description('show the health of a site: contents, pending work, failing webhooks and missing settings')
  .argument('<site_id>', 'the site')
  .action(async (site_id: string) => {
    const { siteShow } = await import('./commands/site-show.ts');
    await siteShow(readConfig(process.env), site_id);
  });

site
  .command('usage')
  .description('show the usage of a site by month: calls, orders, deliveries, products, storage')
  .argument('<site_id>', 'the site')
  .option('--months <number>', 'number of months, including the current one', '12')
  .option('--json', 'print them as JSON', false)
  .action(async (site_id: string, options: { months: string; json: boolean }) => {
    const { siteUsage } = await import('./commands/site-usage.ts');
    await siteUsage(readConfig(process.env), site_id, options);
  });

site
  .command('limits')
  .description('show or change the rate limits of a site (docs/limits.md)')
  .argument('<site_id>', 'the site')
  .option('--set <name=value...>', 'set a limit to a number or to default; applies to the next request', [])
  .addHelpText(
    'after',
    '\nExample:\n  commerce-server site limits SITE_ID --set storefront_read=1200 cart_write=default',
  )
  .action(async (site_id: string, options: { set: string[] }) => {
    const { siteLimits } = await import('./commands/site-limits.ts');
    await siteLimits(readConfig(process.env), site_id, options);
  });

site
  .command('payments')
  .description('show the payment account of a site, or set it to a connected account of STRIPE_PLATFORM_KEY')
  .argument('<site_id>', 'the site')
  .option('--account <id>', 'the connected account, such as acct_1032D82eZvKYlo2C, or none to remove it')
  .option('--webhook-secret-file <file>', "a file with the signing secret of the account's webhook endpoint")
  .addHelpText('after', '\nExample:\n  commerce-server site payments SITE_ID --account acct_1032D82eZvKYlo2C')
  .action(async (site_id: string, options: SitePaymentsOptions) => {
    const { sitePayments } = await import('./commands/site-payments.ts');
    await sitePayments(readConfig(process.env), site_id, options);
  });

site
  .command('suspend')
  .description(
    'suspend a site: it answers 403 site_suspended, except to its payment provider and to exports by its staff',
  )
  .argument('<site_id>', 'the site')
  .option('--reason <text>', 'a note for operators, stored with the site')
  .action(async (site_id: string, options: { reason?: string }) => {
    const { suspend } = await import('./commands/site-life.ts');
    await suspend(readConfig(process.env), site_id, options);
  });

site
  .command('resume')
  .description('reopen a suspended site, and cancel its scheduled deletion')
  .argument('<site_id>', 'the site')
  .option(
    '--not-imported',
    'also reopen a site that was exported with --final; confirms that no other server has imported it',
    false,
  )
  .action(async (site_id: string, options: { notImported: boolean }) => {
    const { resume } = await import('./commands/site-life.ts');
    await resume(readConfig(process.env), site_id, options);
  });

site
  .command('delete')
  .description('suspend a site, and delete it with all its rows, files and jobs in 30 days')
  .argument('<site_id>', 'the site')
  .option('--now', 'delete it immediately', false)
  .option('--force', 'delete it even if payments are pending, bank transfers are expected or refunds are due', false)
  .option('--cancel', 'cancel the scheduled deletion; the site stays suspended until it is resumed', false)
  .option('--yes', 'do not ask for confirmation', false)
  .action(async (site_id: string, options: DeleteOptions) => {
    const { deleteSite } = await import('./commands/site-life.ts');
    await deleteSite(readConfig(process.env), site_id, options);
  });

site
  .command('export')
  .description('export a site with its files for another server to import; the site stays open')
  .argument('<site_id>', 'the site')
  .argument('<file>', 'the file; an existing one is replaced when the new one is complete')
  .option('--final', 'close the site here: it answers 503 site_moved from now on, and its jobs stop', false)
  .option(
    '--keep-secrets <key>',
    'include secrets, sessions and queued jobs, encrypted to the key that `site receive` printed',
  )
  .option('--json', 'print the result as JSON', false)
  .addHelpText('after', '\nExample:\n  commerce-server site export SITE_ID shop.site --final')
  .action(async (site_id: string, file: string, options: ExportOptions) => {
    const { exportSite } = await import('./commands/site-move.ts');
    await exportSite(readConfig(process.env), site_id, file, options);
  });

site
  .command('receive')
  .description('print a one-time key for an export with secrets on another server (--keep-secrets)')
  .action(async () => {
    const { receiveSite } = await import('./commands/site-receive.ts');
    await receiveSite(readConfig(process.env));
  });

site
  .command('import')
  .description(
    'import a site from another server with its ids; without --keep-secrets in the export, prints new secrets, which are shown only once',
  )
  .argument('<file>', 'the file that `site export` wrote')
  .option('--without-hosts', 'do not import the hosts of the site', false)
  .option('--without-limits', 'do not import the rate limits of the site; the defaults apply', false)
  .option('--force', 'import it even if payments were pending during the export', false)
  .option('--json', 'print the new secrets as JSON', false)
  .addHelpText('after', '\nExample:\n  commerce-server site import shop.site --json > shop.json')
  .action(async (file: string, options: ImportOptions) => {
    const { importSite } = await import('./commands/site-move.ts');
    await importSite(readConfig(process.env), file, options);
  });

const domain = site
  .command('domain')
  .description('manage the hosts of sites (docs/production.md)')
  .addHelpText(
    'after',
    '\nExamples:\n  commerce-server site domain add SITE_ID shop.example --primary\n  commerce-server site domain list SITE_ID\n  commerce-server site domain remove SITE_ID shop.example',
  );

domain
  .command('add')
  .description('serve the pages of a site at its own host')
  .argument('<site_id>', 'the site')
  .argument('<host>', 'the host, such as shop.example')
  .option('--primary', 'use this host in links to the pages of the site', false)
  .action(async (site_id: string, host: string, { primary }: { primary: boolean }) => {
    const { siteDomains } = await import('./commands/site-domains.ts');
    await siteDomains(readConfig(process.env), site_id, { change: 'add', host, primary });
  });

domain
  .command('remove')
  .description('remove a host from a site')
  .argument('<site_id>', 'the site')
  .argument('<host>', 'the host')
  .action(async (site_id: string, host: string) => {
    const { siteDomains } = await import('./commands/site-domains.ts');
    await siteDomains(readConfig(process.env), site_id, { change: 'remove', host });
  });

domain
  .command('list')
  .description('list the hosts of a site')
  .argument('<site_id>', 'the site')
  .action(async (site_id: string) => {
    const { siteDomains } = await import('./commands/site-domains.ts');
    await siteDomains(readConfig(process.env), site_id, { change: 'list' });
  });

const keys = program.command('operator-keys').description('manage the keys of the operator API (docs/operators.md)');

keys
  .command('create')
  .description('create a key; its secret is shown only once')
  .requiredOption('--description <text>', 'who will use the key, and for what')
  .option('--days <days>', 'number of days until it expires', '90')
  .action(async ({ description, days }: { description: string; days: string }) => {
    const { operatorKeys } = await import('./commands/operator-keys.ts');
    await operatorKeys(readConfig(process.env), { change: 'create', description, days });
  });

keys
  .command('list')
  .description('list all keys, without their secrets')
  .action(async () => {
    const { operatorKeys } = await import('./commands/operator-keys.ts');
    await operatorKeys(readConfig(process.env), { change: 'list' });
  });

keys
  .command('revoke')
  .description('revoke a key; it stops working at once')
  .argument('<id>', 'the id of the key')
  .action(async (id: string) => {
    const { operatorKeys } = await import('./commands/operator-keys.ts');
    await operatorKeys(readConfig(process.env), { change: 'revoke', id });
  });

program
  .command('doctor')
  .description('check the configuration, the database and Redis, and report problems with their remedy')
  .option('--json', 'print the findings as JSON', false)
  .option('--processes <number>', 'number of processes that answer requests and share the database', wholeNumber, 1)
  .action(async (options: { json: boolean; processes: number }) => {
    const { doctor } = await import('./commands/doctor.ts');
    if (!(await doctor(process.env, options))) process.exitCode = 1;
  });

program
  .command('backup')
  .description('write the database and all stored files to one file; the server can keep running')
  .argument('<file>', 'the file; an existing one is replaced when the new one is complete')
  .option('--without-files', 'omit the stored files, if they have their own backup', false)
  .addHelpText('after', '\nExample:\n  commerce-server backup shop-$(date +%F).backup')
  .action(async (file: string, { withoutFiles }: { withoutFiles: boolean }) => {
    const { backup } = await import('./commands/backup.ts');
    await backup(readConfig(process.env), file, { files: !withoutFiles });
  });

program
  .command('restore')
  .description('load a backup into an empty database')
  .argument('<file>', 'the file that `backup` wrote')
  .option('--other-key', 'restore even if the backup was written with another SECRET_KEY', false)
  .option('--moved <site_id...>', 'sites that moved to another server since the backup, or none; they are closed', [])
  .addHelpText('after', '\nExample:\n  commerce-server restore shop-2026-11-29.backup --moved none')
  .action(async (file: string, options: { otherKey: boolean; moved: string[] }) => {
    const { restore } = await import('./commands/restore.ts');
    // A missing secret key is not generated, because the server needs the key that it had when the backup was made.
    await restore(inspectConfig(process.env), file, options);
  });

program
  .command('lost')
  .description('after a failover, list confirmed orders and payments that the database has lost')
  .requiredOption('--log <file>', 'the log of the server, beginning before the first lost transaction')
  .option('--site <id>', 'check only this site')
  .option('--since <time>', 'check payments since this time; default: the first line of the log')
  .addHelpText(
    'after',
    '\nExits with 0 if nothing is missing, with 2 if something is, and with 1 if the check failed.\n\nExample:\n  journalctl -u commerce-server -o cat --since -1h > server.log\n  commerce-server lost --log server.log',
  )
  .action(async (options: LostOptions) => {
    const { lost } = await import('./commands/lost.ts');
    if (!(await lost(readConfig(process.env), options))) process.exitCode = 2;
  });

program
  .command('era')
  .description('manage the eras of the database (docs/high-availability.md)')
  .command('begin')
  .description('begin a new era after a disk snapshot was restored, which PostgreSQL cannot detect')
  .addHelpText(
    'after',
    '\nOrder numbers of all shops advance by SKIPPED_NUMBERS, caches are dropped, and cursors of product changes and events expire.\nAfter a failover or a restored backup the server does this itself.',
  )
  .action(async () => {
    const { eraBegin } = await import('./commands/era.ts');
    await eraBegin(readConfig(process.env));
  });

program
  .command('audit')
  .description('manage the audit log')
  .command('verify')
  .description('find audit rows that were changed, removed or added directly in the database')
  .option('--site <id>', 'verify only this site')
  .option('--head <file>', 'compare with the seals in this file, and update it if there are no findings')
  .addHelpText(
    'after',
    '\nExits with 0 if there are no findings, with 2 if there are, and with 1 if the audit could not be verified.\nKeep the --head file on another machine: only it can reveal that the newest rows were removed.\n\nExample:\n  commerce-server audit verify --head /mnt/elsewhere/audit-head.json',
  )
  .action(async (options: AuditVerifyOptions) => {
    const { auditVerify } = await import('./commands/audit-verify.ts');
    if (!(await auditVerify(inspectConfig(process.env), options))) process.exitCode = 2;
  });

program
  .command('rotate-secret-key')
  .description('replace SECRET_KEY with NEW_SECRET_KEY, and re-encrypt the stored secrets')
  .addHelpText('after', '\nWithout SECRET_KEY, the key in DATA_DIR is replaced by a generated one.')
  .action(async () => {
    const { rotateSecretKey } = await import('./commands/rotate-secret-key.ts');
    await rotateSecretKey(readConfig(process.env));
  });

try {
  await program.parseAsync();
} catch (error) {
  printProgress(sentenceOf(error));
  process.exit(1);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99.');
  return Number(text);
}

/** The message of an error that ended a command. A stack trace would not help the user. */
function sentenceOf(error: unknown): string {
  if (error instanceof ValidationError) return error.detail.map(({ msg }) => msg).join('\n');
  const { code, message, port, severity } = error as NodeJS.ErrnoException & { port?: number; severity?: string };
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Stop the program that uses it, or set PORT to another port.`;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `${message}: no server answers at this address. Run commerce-server doctor.`;
  if (code === '25006')
    return 'The database is read-only. Set DATABASE_URL and DATABASE_DIRECT_URL to the primary, and run commerce-server doctor.';
  // knex puts the whole statement before PostgreSQL's message.
  if (severity) return `PostgreSQL error: ${message.split(' - ').at(-1)}. Run commerce-server doctor.`;
  return message || String(error);
}
