import { join } from 'node:path';
import type { Config } from '../config.ts';
import { seedDemo } from '../demo/seed.ts';
import { withPool } from './database.ts';
import { printProgress } from './progress.ts';

/** Creates the demo shop, unless this data directory already has one, and prints the path of its credentials. */
export async function seed(config: Config): Promise<void> {
  const { seeded, demo } = await withPool(config, (db) => seedDemo({ ...config, db }));
  printProgress(
    seeded ? `Created the demo shop: site ${demo.site_id}.` : `The demo shop already exists: site ${demo.site_id}.`,
  );
  printProgress(`Its credentials are in ${join(config.dataDir, 'demo.json')}.`);
}
