/**
 * Serves the merchant panel that `npm run build` created: one HTML page for all URLs, and files whose names contain a
 * hash of their content. It is not served at shops' own hosts. The server's package includes it.
 */

import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { panelCookieName } from '../../http/callers/panel-session.ts';
import type { SiteHosts } from '../../http/callers/site-hosts.ts';
import { type KeptFile, keepFile, sendKeptFile } from '../../http/express/kept-file.ts';
import { SECURITY_HEADERS } from '../parts/headers.ts';

const DIST = new URL(import.meta.url.endsWith('.ts') ? '../../../../panel/dist/' : '../../panel/', import.meta.url);

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob: https:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  // With `no-referrer`, browsers would send `Origin: null` with some of the panel's own calls.
  'Referrer-Policy': 'same-origin',
  ...SECURITY_HEADERS,
};

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const ASSET = /^\/panel\/assets\/([A-Za-z0-9_-][A-Za-z0-9._-]*)$/;

export function panel(hosts: SiteHosts): RequestHandler {
  const assets = new Map<string, KeptFile>();
  return async (req, res, next) => {
    if (hosts.siteAt(req) !== undefined) return next();
    const [, name] = ASSET.exec(req.path) ?? [];
    if (req.path.startsWith('/panel/assets/')) {
      const asset = name === undefined ? undefined : (assets.get(name) ?? (await read(`assets/${name}`)));
      if (name === undefined || !asset) return next();
      assets.set(name, asset);
      return sendAsset(req, res, name, asset);
    }
    if (panelCookieName(hosts.originAt(req)) === undefined) return sendWords(res, NEEDS_HTTPS);
    const index = await read('index.html');
    if (!index) return sendWords(res, NOT_BUILT);
    res.set({ ...HEADERS, 'Cache-Control': 'no-store', 'Content-Type': 'text/html; charset=utf-8' });
    await sendKeptFile(req, res, index);
  };
}

async function sendAsset(req: Request, res: Response, name: string, asset: KeptFile): Promise<void> {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  res.set({ ...HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Type': type });
  await sendKeptFile(req, res, asset);
}

async function read(name: string): Promise<KeptFile | undefined> {
  return readFile(new URL(name, DIST)).then(keepFile, () => undefined);
}

const NOT_BUILT =
  'The panel has not been built. Run `npm run build` where the server is installed, and load this page again.';
const NEEDS_HTTPS =
  'Over plain http, the panel is served at http://localhost only. Have BASE_URL begin with https://, or with http://localhost.';

function sendWords(res: Response, words: string): void {
  res.status(503).set({ ...HEADERS, 'Cache-Control': 'no-store' });
  res.type('text/plain').send(`${words}\n`);
}
