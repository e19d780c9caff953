import type { Config } from '../config.ts';
import { shareDatabase } from './database.ts';
import { prepareSchema } from './schema.ts';
import { tell } from './tell.ts';

/** Brings the database to the schema of this release. Running it again changes nothing. */
export async function migrate(config: Config): Promise<void> {
  const database = await shareDatabase(config, tell);
  try {
    const { applied, mended } = await prepareSchema(database.directUrl, {
      onWait: tell,
      seconds: config.migrationWaitSeconds,
    });
    if (applied.length > 0) tell(`Applied: ${applied.join(', ')}.`);
    if (mended.length > 0) tell(`Mended what was missing: ${mended.join(', ')}.`);
    if (applied.length + mended.length === 0) tell('The schema is up to date.');
  } finally {
    await database.stop();
  }
}
