import type { Config } from '../config.ts';
import { beginEra } from '../db/era.ts';
import { withPool } from './database.ts';
import { printProgress } from './progress.ts';

/** Begins a new era even if the timeline is the same, for example after a disk snapshot was restored. */
export async function eraBegin(config: Config): Promise<void> {
  await withPool(config, (db) => beginEra(db, { forced: true }));
  const skipped = config.skippedNumbers.toLocaleString('en');
  printProgress(
    `A new era has begun: the next order number of each shop is its last one plus ${skipped}. Cursors of product changes and events have expired.`,
  );
}
