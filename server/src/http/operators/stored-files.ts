import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import { isServed } from '../../files/keys.ts';
import type { FileStore } from '../../files/store.ts';
import { ShopError } from '../../shop/errors.ts';
import { findTenant } from '../../shop/in-shop.ts';
import { setHeaders } from '../callers/headers.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { contextOf } from '../express/context.ts';
import { answerTo } from '../pipeline/errors.ts';

interface FilesDeps {
  db: Pool;
  files: FileStore;
  hosts: SiteHosts;
}

/**
 * File names are unguessable and their content never changes. The policy stops browsers from executing anything in a
 * file.
 */
const HEADERS = {
  'Content-Type': 'image/webp',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Serves `GET /files/{site_id}/{name}/{width}.webp`: the images that the server has resized. */
export function storedFiles({ db, files, hosts }: FilesDeps): RequestHandler {
  return async (req, res, next) => {
    const [site_id = '', name, part] = [req.params.site_id, req.params.name, req.params.part].map(String);
    const key = `${site_id}/${name}/${part}`;
    if (!isServed(key) || (hosts.siteAt(req) ?? site_id) !== site_id) return next();
    try {
      await refuseClosed(db, site_id);
      const file = await files.open(key);
      if (!file) return next();
      setHeaders(res, HEADERS);
      res.setHeader('ETag', `"${name}-${part}"`);
      if (req.fresh || req.method === 'HEAD') {
        file.stream.destroy();
        res.setHeader('Content-Length', file.bytes);
        res.status(req.fresh ? 304 : 200).end();
        return;
      }
      res.setHeader('Content-Length', file.bytes);
      await pipeline(file.stream, res);
    } catch (error) {
      const context = contextOf(res);
      if (res.headersSent) return void res.destroy();
      const known = error instanceof ShopError;
      if (!known) context.cause = error;
      const refusal = known
        ? error
        : new ShopError('unavailable', 'The file cannot be read at the moment. Retry later.');
      const { status, body, headers = {} } = answerTo(refusal, context.request_id);
      res.removeHeader('ETag');
      res
        .set({ ...headers, 'Cache-Control': 'no-store' })
        .status(status)
        .type('application/json')
        .send(body);
    }
  };
}

/** Throws if the site is closed. If the database does not answer, the image is served, because images are public. */
async function refuseClosed(db: Pool, site_id: string): Promise<void> {
  await findTenant(db, site_id).catch((error: unknown) => {
    if (error instanceof ShopError) throw error;
  });
}
