import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importByCli } from './cli-import.ts';
import { openDatabase } from './database.ts';
import { createSite, migrate, type Running, startCommerce, stop } from './processes.ts';
import { productOf } from './products.ts';
import { report, table, whole } from './report.ts';

/**
 * Measures an import of products with three variants each, from a JSONL file with the CLI over HTTP: first into an
 * empty shop, then again.
 */
export async function importing(products: number): Promise<void> {
  const database = await openDatabase();
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    const { api_key } = await createSite(database.url, database.dataDir, 'EUR');
    server = await startCommerce({ databaseUrl: database.url, dataDir: database.dataDir });
    const file = join(database.dataDir, 'products.jsonl');
    const lines = Array.from({ length: products }, (_, i) => JSON.stringify(productOf(i)));
    await writeFile(file, `${lines.join('\n')}\n`);

    const rows: (string | number)[][] = [];
    for (const [name, status] of [
      ['first import (all created)', 'created'],
      ['the same file again (nothing changes)', 'unchanged'],
    ] as const) {
      const { counts, seconds, ...memory } = await importByCli(file, server, api_key, `${file}.refused`);
      if (counts[status] !== products) throw new Error(`The ${name} ended with ${JSON.stringify(counts)}.`);
      const [ofServer, ofCli] = [memory.server, memory.cli].map(course);
      rows.push([name, seconds.toFixed(1), whole(products / seconds), ofServer ?? '', ofCli ?? '']);
    }
    const header = ['Import', 'seconds', 'products/s', 'server RSS MB', 'CLI RSS MB'];
    await report('import', database.version, [
      `${whole(products)} products with 3 variants each, in one JSONL file. Memory: after a tenth, half and nine tenths of the`,
      'time, and the most.',
      '',
      ...table(header, rows),
    ]);
  } finally {
    await stop(server);
    await database.drop();
  }
}

function course(samples: number[]): string {
  const at = (share: number) => Math.round(samples[Math.floor(samples.length * share)] ?? 0);
  return `${at(0.1)}, ${at(0.5)}, ${at(0.9)}; most ${Math.round(Math.max(...samples))}`;
}
