import { existsSync } from 'node:fs';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { AuditVerifyOptions } from './commands/audit-verify.ts';
import { printProgress } from './commands/progress.ts';
import type { SiteOptions } from './commands/site.ts';
import type { DeleteOptions } from './commands/site-life.ts';
import type { SiteListOptions } from './commands/site-list.ts';
import type { ExportOptions, ImportOptions } from './commands/site-move.ts';
import type { SitePaymentsOptions } from './commands/site-payments.ts';
import { inspectConfig, readConfig } from './config.ts';
import { ValidationError } from './shop/errors.ts';

// Settings of the folder. Variables that are set already take precedence.
if (existsSync('.env')) process.loadEnvFile('.env');

// Each command imports only what it needs: loading the whole server takes a second.
const program = new Command('commerce-server')
  .description('The commerce backend: catalogue, dashboard and storefront over HTTP, on PostgreSQL.')
  .version(manifest.version)
  .addHelpText(
    'after',
    '\nSettings come from environment variables, and from a file .env in the current folder; docs/configuration.md lists them.',
  )
  .showHelpAfterError();

program
  .command('start')
  .description('run the server; without DATABASE_URL, with an embedded PostgreSQL and a demo shop')
  .action(async () => {
    const { start } = await import('./commands/start.ts');
    await start(readConfig(process.env));
  });

program
  .command('migrate')
  .description('migrate the database to the schema of this release, and add missing roles, grants and policies')
  .option('--roles', 'only create the roles, before pg_restore loads a dump', false)
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
    'open a shop: asks for missing values on a terminal; prints its credentials, whose secrets are shown only once',
  )
  .option('--name <name>', 'the name of the shop')
  .option('--currency <code>', 'the currency of its prices as an ISO 4217 code, such as EUR')
  .option(
    '--file <file>',
    'the shop as JSON: name, currency, country, staff, settings, shipping_options, products; of many, one in each line of a .jsonl',
  )
  .option('--staff-email <email>', 'the login for the dashboard; an existing one gets access to this site as well')
  .option('--staff-name <name>', 'the name of the person who logs in')
  .option('--no-input', 'ask nothing, also on a terminal')
  .addHelpText(
    'after',
    '\nWithout a terminal, or with --file, nothing is asked and the credentials are printed as JSON.\n\nExamples:\n  commerce-server site create\n  commerce-server site create --file shop.json > site.json\n  commerce-server site create --file shops.jsonl > sites.jsonl\n  commerce-server site create --name "Alder & Finch" --currency EUR --no-input > site.json',
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
  .description('show all sites with their contents, usage and problems')
  .option('--sort <order>', 'name, created, products, orders, last-order, storage, calls or health', 'name')
  .option('--status <status>', 'only those that are open, suspended or deleting')
  .option('--problem <problem>', 'only those with this problem: cannot-sell, webhooks-failing or suspended')
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
  .description('show how a site is doing: what it holds, what waits, which webhooks fail, what it lacks')
  .argument('<site_id>', 'the site')
  .action(async (site_id: string) => {
    const { siteShow } = await import('./commands/site-show.ts');
    await siteShow(readConfig(process.env), site_id);
  });

site
  .command('usage')
  .description('show what a site has used in each month: calls, orders, deliveries, products, storage')
  .argument('<site_id>', 'the site')
  .option('--months <number>', 'how many months, this one included', '12')
  .option('--json', 'print them as JSON', false)
  .action(async (site_id: string, options: { months: string; json: boolean }) => {
    const { siteUsage } = await import('./commands/site-usage.ts');
    await siteUsage(readConfig(process.env), site_id, options);
  });

site
  .command('limits')
  .description('show the rate limits of a site, and change those given; docs/limits.md explains them')
  .argument('<site_id>', 'the site')
  .option('--set <name=value...>', 'a limit and its number, or default; applies from the next request on', [])
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
  .description(
    'show which account a site is paid through, or have it paid through a connected account of STRIPE_PLATFORM_KEY',
  )
  .argument('<site_id>', 'the site')
  .option('--account <id>', 'the connected account, such as acct_1032D82eZvKYlo2C; none removes it')
  .option('--webhook-secret-file <file>', "a file with the signing secret of that account's webhook endpoint")
  .addHelpText('after', '\nExample:\n  commerce-server site payments SITE_ID --account acct_1032D82eZvKYlo2C')
  .action(async (site_id: string, options: SitePaymentsOptions) => {
    const { sitePayments } = await import('./commands/site-payments.ts');
    await sitePayments(readConfig(process.env), site_id, options);
  });

site
  .command('suspend')
  .description('let a site answer 403 site_suspended to all but its payment provider and the exports of its staff')
  .argument('<site_id>', 'the site')
  .option('--reason <text>', 'kept with the site, for operators')
  .action(async (site_id: string, options: { reason?: string }) => {
    const { suspend } = await import('./commands/site-life.ts');
    await suspend(readConfig(process.env), site_id, options);
  });

site
  .command('resume')
  .description('open a suspended site again; cancels a planned deletion')
  .argument('<site_id>', 'the site')
  .option('--not-imported', 'also a site that was exported with --final, if no other server has imported it', false)
  .action(async (site_id: string, options: { notImported: boolean }) => {
    const { resume } = await import('./commands/site-life.ts');
    await resume(readConfig(process.env), site_id, options);
  });

site
  .command('delete')
  .description('suspend a site, and delete it with all its rows, files and jobs after 30 days')
  .argument('<site_id>', 'the site')
  .option('--now', 'delete it at once', false)
  .option('--force', 'although payments are open, bank transfers awaited or refunds due', false)
  .option('--cancel', 'take the deletion back; the site stays suspended until it is resumed', false)
  .option('--yes', 'do not ask', false)
  .action(async (site_id: string, options: DeleteOptions) => {
    const { deleteSite } = await import('./commands/site-life.ts');
    await deleteSite(readConfig(process.env), site_id, options);
  });

site
  .command('export')
  .description('write a site with its files to a file, while it sells, for another server to import')
  .argument('<site_id>', 'the site')
  .argument('<file>', 'the file; an existing one is replaced when the new one is complete')
  .option('--final', 'the site leaves this server: it answers 503 site_moved from now on, and its jobs end', false)
  .option('--json', 'print what was written as JSON', false)
  .addHelpText('after', '\nExample:\n  commerce-server site export SITE_ID shop.site --final')
  .action(async (site_id: string, file: string, options: ExportOptions) => {
    const { exportSite } = await import('./commands/site-move.ts');
    await exportSite(readConfig(process.env), site_id, file, options);
  });

site
  .command('import')
  .description(
    'bring in a site that another server has exported, with its ids and new secrets, which are shown only once',
  )
  .argument('<file>', 'what `site export` has written')
  .option('--without-hosts', 'leave the hosts of the site where they are', false)
  .option('--without-limits', 'leave out the rate limits that the site had there: the usual ones apply', false)
  .option('--force', 'even if payments were pending when it was exported', false)
  .option('--json', 'print the new secrets as JSON', false)
  .addHelpText('after', '\nExample:\n  commerce-server site import shop.site --json > shop.json')
  .action(async (file: string, options: ImportOptions) => {
    const { importSite } = await import('./commands/site-move.ts');
    await importSite(readConfig(process.env), file, options);
  });

const domain = site
  .command('domain')
  .description('manage the hosts of sites; docs/production.md explains them')
  .addHelpText(
    'after',
    '\nExamples:\n  commerce-server site domain add SITE_ID shop.example --primary\n  commerce-server site domain list SITE_ID\n  commerce-server site domain remove SITE_ID shop.example',
  );

domain
  .command('add')
  .description('serve the pages of a site at a host of its own')
  .argument('<site_id>', 'the site')
  .argument('<host>', 'the host, such as shop.example')
  .option('--primary', 'pages and links of the site lead there', false)
  .action(async (site_id: string, host: string, { primary }: { primary: boolean }) => {
    const { siteDomains } = await import('./commands/site-domains.ts');
    await siteDomains(readConfig(process.env), site_id, { change: 'add', host, primary });
  });

domain
  .command('remove')
  .description('take a host away from a site')
  .argument('<site_id>', 'the site')
  .argument('<host>', 'the host')
  .action(async (site_id: string, host: string) => {
    const { siteDomains } = await import('./commands/site-domains.ts');
    await siteDomains(readConfig(process.env), site_id, { change: 'remove', host });
  });

domain
  .command('list')
  .description('show the hosts of a site')
  .argument('<site_id>', 'the site')
  .action(async (site_id: string) => {
    const { siteDomains } = await import('./commands/site-domains.ts');
    await siteDomains(readConfig(process.env), site_id, { change: 'list' });
  });

const keys = program
  .command('operator-keys')
  .description('manage the keys for the listener of operators; docs/operators.md explains them');

keys
  .command('create')
  .description('make a key; its secret is shown only once')
  .requiredOption('--description <text>', 'who uses it, and for what')
  .option('--days <days>', 'after how many days it ends', '90')
  .action(async ({ description, days }: { description: string; days: string }) => {
    const { operatorKeys } = await import('./commands/operator-keys.ts');
    await operatorKeys(readConfig(process.env), { change: 'create', description, days });
  });

keys
  .command('list')
  .description('show all keys, without their secrets')
  .action(async () => {
    const { operatorKeys } = await import('./commands/operator-keys.ts');
    await operatorKeys(readConfig(process.env), { change: 'list' });
  });

keys
  .command('revoke')
  .description('end a key: its next call is refused')
  .argument('<id>', 'the id of the key')
  .action(async (id: string) => {
    const { operatorKeys } = await import('./commands/operator-keys.ts');
    await operatorKeys(readConfig(process.env), { change: 'revoke', id });
  });

program
  .command('doctor')
  .description('check the configuration, the database and Redis, and report problems with their remedy')
  .option('--json', 'print the findings as JSON', false)
  .action(async ({ json }: { json: boolean }) => {
    const { doctor } = await import('./commands/doctor.ts');
    if (!(await doctor(process.env, { json }))) process.exitCode = 1;
  });

program
  .command('backup')
  .description('write the whole database and the files of its store to a file, while the server runs')
  .argument('<file>', 'the file; an existing one is replaced when the new one is complete')
  .option('--without-files', 'leave the files out, where the file store is backed up in another way', false)
  .addHelpText('after', '\nExample:\n  commerce-server backup shop-$(date +%F).backup')
  .action(async (file: string, { withoutFiles }: { withoutFiles: boolean }) => {
    const { backup } = await import('./commands/backup.ts');
    await backup(readConfig(process.env), file, { files: !withoutFiles });
  });

program
  .command('restore')
  .description('load a backup into an empty database')
  .argument('<file>', 'what `backup` has written')
  .option('--other-key', 'restore even if SECRET_KEY is not that of the backup', false)
  .action(async (file: string, options: { otherKey: boolean }) => {
    const { restore } = await import('./commands/restore.ts');
    // A missing key is not created: it must be that of the backup.
    await restore(inspectConfig(process.env), file, options);
  });

program
  .command('audit')
  .description('look after the audit')
  .command('verify')
  .description('find what somebody with access to the database has changed, removed or cut off in the audit')
  .option('--site <id>', 'only the audit of this site')
  .option('--head <file>', 'compare with the last seals in this file, and write them to it when nothing is wrong')
  .addHelpText(
    'after',
    '\nExits with 0 if nothing is wrong, with 2 if something was found, and with 1 if it could not be verified.\nKeep the file of --head on another machine: without it, what was cut off at the end cannot be seen.\n\nExample:\n  commerce-server audit verify --head /mnt/elsewhere/audit-head.json',
  )
  .action(async (options: AuditVerifyOptions) => {
    const { auditVerify } = await import('./commands/audit-verify.ts');
    if (!(await auditVerify(inspectConfig(process.env), options))) process.exitCode = 2;
  });

program
  .command('rotate-secret-key')
  .description('replace SECRET_KEY by NEW_SECRET_KEY, and encrypt stored secrets again')
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

/** The message of what stopped a command; a stack trace would not help anyone at a terminal. */
function sentenceOf(error: unknown): string {
  if (error instanceof ValidationError) return error.detail.map(({ msg }) => msg).join('\n');
  const { code, message, port, severity } = error as NodeJS.ErrnoException & { port?: number; severity?: string };
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Stop what uses it, or set PORT to another one.`;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `${message}: nothing answers there. Run commerce-server doctor.`;
  // knex puts the whole statement in front of PostgreSQL's own message.
  if (severity) return `PostgreSQL refused: ${message.split(' - ').at(-1)}. Run commerce-server doctor.`;
  return message || String(error);
}
