import type { Config } from '../config.ts';
import { shareDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { prepareRoles, prepareSchema } from './schema.ts';

/**
 * Brings the database to the schema of this release, and makes its roles whole. Running it again changes nothing. With
 * `roles`, the roles are made and no table.
 */
export async function migrate(config: Config, { roles }: { roles: boolean }): Promise<void> {
  const database = await shareDatabase(config, printProgress);
  try {
    if (roles) return tellRoles(await prepareRoles(database.directUrl));
    const { applied, mended } = await prepareSchema(database.directUrl, {
      onWait: printProgress,
      seconds: config.migrationWaitSeconds,
    });
    if (applied.length > 0) printProgress(`Applied: ${applied.join(', ')}.`);
    if (mended.length > 0) printProgress(`Mended what was missing: ${mended.join(', ')}.`);
    if (applied.length + mended.length === 0) printProgress('The schema is up to date.');
  } finally {
    await database.stop();
  }
}

function tellRoles(made: string[]): void {
  printProgress(made.length > 0 ? `Made: ${made.join(', ')}.` : 'The roles are there.');
}
