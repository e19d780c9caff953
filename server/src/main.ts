import { Command } from 'commander';
import { printProgress } from './commands/progress.ts';
import type { SiteOptions } from './commands/site.ts';
import { inspectConfig, readConfig } from './config.ts';
import { document } from './http/contract/contract.ts';
import { ValidationError } from './shop/errors.ts';

// A command loads what it runs, and no more: the whole server takes a second of its own.
const program = new Command('commerce-server')
  .description('The commerce backend: catalogue, dashboard and storefront over HTTP, on PostgreSQL.')
  .version(document.info.version)
  .addHelpText('after', '\nSettings come from environment variables; docs/configuration.md lists them.')
  .showHelpAfterError();

program
  .command('start')
  .description('run the server; without DATABASE_URL, with a PostgreSQL of its own and a demo shop')
  .action(async () => {
    const { start } = await import('./commands/start.ts');
    await start(readConfig(process.env));
  });

program
  .command('migrate')
  .description('bring the database to the schema of this release, and its roles, grants and policies with it')
  .option('--roles', 'make the roles alone, for a dump that pg_restore is to load', false)
  .action(async (options: { roles: boolean }) => {
    const { migrate } = await import('./commands/migrate.ts');
    await migrate(readConfig(process.env), options);
  });

program
  .command('seed')
  .description('make the demo shop, and keep its credentials in DATA_DIR/demo.json')
  .action(async () => {
    const { seed } = await import('./commands/seed.ts');
    await seed(readConfig(process.env));
  });

const site = program.command('site').description('manage sites');

site
  .command('create')
  .description('make a merchant with its site, and print its credentials as JSON; the secrets are shown this once')
  .requiredOption('--name <name>', 'what the shop is called')
  .requiredOption('--currency <code>', 'the currency of its prices, by ISO 4217, such as EUR')
  .option('--staff-email <email>', 'who logs in to the dashboard; a login that exists gets this site, too')
  .option('--staff-name <name>', 'the name of that person')
  .addHelpText('after', '\nExample:\n  commerce-server site create --name "Alder & Finch" --currency EUR > site.json')
  .action(async (options: SiteOptions) => {
    const { createSite } = await import('./commands/site.ts');
    await createSite(readConfig(process.env), options);
  });

site
  .command('limits')
  .description('show the rate limits of a site, and change those that are named; docs/limits.md says what they count')
  .argument('<site_id>', 'the site')
  .option('--set <name=value...>', 'a limit and its number, or default; takes effect with the next request', [])
  .addHelpText(
    'after',
    '\nExample:\n  commerce-server site limits SITE_ID --set storefront_read=1200 cart_write=default',
  )
  .action(async (site_id: string, options: { set: string[] }) => {
    const { siteLimits } = await import('./commands/site-limits.ts');
    await siteLimits(readConfig(process.env), site_id, options);
  });

program
  .command('doctor')
  .description('look at the configuration, the database and Redis, and say how to mend what is wrong')
  .option('--json', 'print the findings as JSON', false)
  .action(async ({ json }: { json: boolean }) => {
    const { doctor } = await import('./commands/doctor.ts');
    if (!(await doctor(process.env, { json }))) process.exitCode = 1;
  });

program
  .command('backup')
  .description('write the whole database to a file, while the shops go on selling')
  .argument('<file>', 'where to; it is replaced once the new one is complete')
  .addHelpText('after', '\nExample:\n  commerce-server backup shop-$(date +%F).backup')
  .action(async (file: string) => {
    const { backup } = await import('./commands/backup.ts');
    await backup(readConfig(process.env), file);
  });

program
  .command('restore')
  .description('load a backup into an empty database')
  .argument('<file>', 'what `backup` has written')
  .option('--other-key', 'restore also where SECRET_KEY is not that of the backup', false)
  .action(async (file: string, options: { otherKey: boolean }) => {
    const { restore } = await import('./commands/restore.ts');
    // A key that is not there yet is not made: it has to be that of the backup.
    await restore(inspectConfig(process.env), file, options);
  });

program
  .command('rotate-secret-key')
  .description('seal what is kept under SECRET_KEY anew, under NEW_SECRET_KEY')
  .addHelpText('after', '\nWithout SECRET_KEY, the key in DATA_DIR is changed, and a new one made.')
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

/** What stopped a command, in the words of whoever threw it; a stack would help nobody at a terminal. */
function sentenceOf(error: unknown): string {
  if (error instanceof ValidationError) return error.detail.map(({ msg }) => msg).join('\n');
  const { code, message, port, severity } = error as NodeJS.ErrnoException & { port?: number; severity?: string };
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Stop what uses it, or set PORT to another one.`;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `${message}: nobody answers. Run commerce-server doctor.`;
  // knex puts the whole statement before PostgreSQL's own words.
  if (severity) return `PostgreSQL refused: ${message.split(' - ').at(-1)}. Run commerce-server doctor.`;
  return message || String(error);
}
