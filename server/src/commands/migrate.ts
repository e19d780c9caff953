import type { Config } from '../config.ts';
import { shareDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { prepareSchema } from './schema.ts';

/** Brings the database to the schema of this release. Running it again changes nothing. */
export async function migrate(config: Config): Promise<void> {
  const database = await shareDatabase(config, printProgress);
  try {
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
