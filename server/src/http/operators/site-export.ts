import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import manifest from '../../../package.json' with { type: 'json' };
import { withClient } from '../../db/client.ts';
import type { FileStore } from '../../files/store.ts';
import { fingerprintOf } from '../../secret-key.ts';
import { ShopError } from '../../shop/errors.ts';
import { exportSite } from '../../shop/sites/export.ts';
import { drainIfMoved } from '../../shop/sites/moving.ts';
import { contextOf } from '../express/context.ts';
import { send } from '../express/send.ts';
import { answerTo } from '../pipeline/errors.ts';

/** Response of a site export. The bytes are produced while they are sent. */
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

/** Maximum number of concurrent exports per process, because each reads and compresses a whole site. */
const AT_ONCE = 2;
let running = 0;
/** A client that reads nothing for this long is disconnected, because the export's snapshot blocks vacuuming. */
const SILENCE_MS = 120_000;

/**
 * Sends the export after the call was recorded. A large site takes long, so it uses a connection without the pool's
 * time limits. If the export fails, the response ends early; the client notices the missing end frame.
 */
export async function sendExport(
  deps: ExportingDeps,
  req: Request,
  res: Response,
  { site_id }: SiteExport,
): Promise<void> {
  const context = contextOf(res);
  if (running >= AT_ONCE) {
    const busy = new ShopError('unavailable', `${AT_ONCE} sites are being exported already. Retry later.`);
    return send(req, res, answerTo(busy, context.request_id));
  }
  running += 1;
  try {
    await write(deps, req, res, site_id);
  } finally {
    running -= 1;
  }
}

async function write(
  { owner, files: store, secretKey }: ExportingDeps,
  req: Request,
  res: Response,
  site_id: string,
): Promise<void> {
  const { connectionString } = owner.options;
  const connection = { connectionString, application_name: 'commerce site export', keepAlive: true };
  try {
    await withClient(connection, async (client) => {
      await drainIfMoved(client, site_id);
      sendHead(res, site_id);
      const source = exportSite(client, site_id, {
        about: { release: manifest.version, secret_key: fingerprintOf(secretKey) },
        onRows: () => undefined,
        files: { store, onFile: () => undefined, onMissing: () => undefined },
      });
      await pipeline(source, createGzip(), res);
    });
  } catch (error) {
    const context = contextOf(res);
    if (error instanceof ShopError && !res.headersSent) return send(req, res, answerTo(error, context.request_id));
    context.cause = error;
    res.destroy();
  }
}

function sendHead(res: Response, site_id: string): void {
  res.setTimeout(SILENCE_MS, () => res.destroy());
  res.statusCode = 200;
  res.setHeader('Content-Type', 'application/octet-stream');
  res.setHeader('Content-Disposition', `attachment; filename="${site_id}.site"`);
  res.setHeader('Cache-Control', 'no-store');
  res.flushHeaders();
}
