import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { keepFile, sendKeptFile } from '../../http/express/kept-file.ts';
import { styleOfVersion } from '../../shop/merchant/brand.ts';

/**
 * The stylesheet of all pages, without comments and indentation. Its URL contains a hash of its content, so that it can
 * be cached forever.
 */
const css = readFileSync(new URL('./style.css', import.meta.url), 'utf8').replaceAll(/\/\*.*?\*\/|^\s+/gms, '');
const hash = createHash('sha256').update(css).digest('hex').slice(0, 16);

export const STYLE_PATH = `/assets/pages-${hash}.css`;

/** Path of a shop's stylesheet. The version is derived from its content, so that it can be cached forever. */
export function brandPath(site_id: string, version: string): string {
  return `/brand/${site_id}/${version}.css`;
}

export const brandSheet: RequestHandler<{ version: string }> = (req, res, next) => {
  const sheet = styleOfVersion(req.params.version);
  if (!sheet) return next();
  res.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'same-origin' });
  res.type('text/css').send(sheet);
};

const file = keepFile(Buffer.from(css));

export const style: RequestHandler = async (req, res) => {
  res.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'same-origin' });
  res.type('text/css');
  await sendKeptFile(req, res, file);
};
