import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { exportSite, importSite } from '../src/commands/site-move.ts';
import { receiveSite } from '../src/commands/site-receive.ts';
import { readConfig } from '../src/config.ts';
import type { ImportedSite } from '../src/shop/sites/import.ts';
import { openOtherServer } from './other-server.ts';
import { printedBy } from './printed.ts';
import { FILES_DIR, SECRET_KEY } from './server.ts';
import { databaseUrl } from './worker-database.ts';

/** The options of `site import` in most tests. */
export const IMPORT = { withoutHosts: false, withoutLimits: false, force: false, json: true };

/** Opens another server for a test file, and moves shops from the test server to it with the commands. */
export async function openMoves(settings: Parameters<typeof openOtherServer>[0] = {}) {
  /** The configuration of the test server. */
  const config = readConfig({ DATABASE_URL: databaseUrl(), DATA_DIR: FILES_DIR, SECRET_KEY });
  const dir = mkdtempSync(join(tmpdir(), 'commerce-moves-'));
  const other = await openOtherServer(settings);
  afterAll(async () => {
    await other.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    config,
    dir,
    other,
    /** Exports a shop. Returns the path of the file. */
    async exported({ site_id }: { site_id: string }, options: { final?: boolean; keepSecrets?: string } = {}) {
      const file = join(dir, `${randomUUID()}.site`);
      await printedBy(() => exportSite(config, site_id, file, { final: true, json: true, ...options }));
      return file;
    },
    async imported(file: string, options = IMPORT): Promise<ImportedSite> {
      return JSON.parse(await printedBy(() => importSite(other.config, file, options))) as ImportedSite;
    },
    /** Returns a new key of a server, with which exports can encrypt the secrets of a shop. */
    async receive(server = other.config): Promise<string> {
      return (await printedBy(() => receiveSite(server))).trim();
    },
  };
}
