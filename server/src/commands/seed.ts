import { join } from 'node:path';
import type { Config } from '../config.ts';
import { seedDemo } from '../demo/seed.ts';
import { withPool } from './database.ts';
import { printProgress } from './progress.ts';

/** Makes the demo shop unless this data directory has one, and tells where its credentials are. */
export async function seed(config: Config): Promise<void> {
  const { seeded, demo } = await withPool(config, (db) => seedDemo({ ...config, db }));
  printProgress(
    seeded ? `The demo shop is made: site ${demo.site_id}.` : `The demo shop is there already: site ${demo.site_id}.`,
  );
  printProgress(`Its credentials are in ${join(config.dataDir, 'demo.json')}.`);
}
