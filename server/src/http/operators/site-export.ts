import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Response } from 'express';
import type { Pool } from 'pg';
import manifest from '../../../package.json' with { type: 'json' };
import { giveBack, takeConnection } from '../../db/connect.ts';
import type { FileStore } from '../../files/store.ts';
import { fingerprintOf } from '../../secret-key.ts';
import { exportSite } from '../../shop/sites/export.ts';
import type { Notes } from '../pipeline/notes.ts';

/** The answer of the call that exports a site: its bytes are read as they are sent. */
export class SiteExport {
  readonly site_id: string;

  constructor(site_id: string) {
    this.site_id = site_id;
  }
}

export interface ExportingDeps {
  owner: Pool;
  files: FileStore;
  secretKey: string;
}

/**
 * Sends the export, once the call was recorded. It takes as long as the site is large, and holds one connection of operators
 * meanwhile. When it fails, the transfer is cut off, which shows, since the file has an end of its own.
 */
export async function sendExport(
  { owner, files: store, secretKey }: ExportingDeps,
  res: Response,
  { site_id }: SiteExport,
): Promise<void> {
  const connection = await takeConnection(owner);
  res.statusCode = 200;
  res.setHeader('Content-Type', 'application/octet-stream');
  res.setHeader('Content-Disposition', `attachment; filename="${site_id}.site"`);
  res.setHeader('Cache-Control', 'no-store');
  const source = exportSite(connection, site_id, {
    about: { release: manifest.version, secret_key: fingerprintOf(secretKey) },
    onRows: () => undefined,
    files: { store, onFile: () => undefined, onMissing: () => undefined },
  });
  try {
    await pipeline(source, createGzip(), res);
    giveBack(connection, undefined);
  } catch (error) {
    (res.locals as Notes).cause = error;
    giveBack(connection, error as Error);
    res.destroy();
  }
}
