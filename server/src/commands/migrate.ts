import type { Config } from '../config.ts';
import { describeNewer } from '../db/schema-release.ts';
import { shareDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { prepareRoles, prepareSchema } from './schema.ts';

/**
 * Migrates the database to the schema of this release, and creates missing roles, grants and policies. Repeating it
 * changes nothing. With `roles`, only creates the roles.
 */
export async function migrate(config: Config, { roles }: { roles: boolean }): Promise<void> {
  const database = await shareDatabase(config, printProgress);
  try {
    if (roles) return printRoles(await prepareRoles(database.directUrl));
    const { applied, mended, newer } = await prepareSchema(database.directUrl, {
      onWait: printProgress,
      seconds: config.migrationWaitSeconds,
      skippedNumbers: config.skippedNumbers,
    });
    if (newer) return printProgress(`${describeNewer(newer)} Nothing was changed.`);
    if (applied.length > 0) printProgress(`Applied: ${applied.join(', ')}.`);
    if (mended.length > 0) printProgress(`Restored missing objects: ${mended.join(', ')}.`);
    if (applied.length + mended.length === 0) printProgress('The schema is up to date.');
  } finally {
    await database.stop();
  }
}

function printRoles(created: string[]): void {
  printProgress(created.length > 0 ? `Created: ${created.join(', ')}.` : 'All roles exist.');
}
