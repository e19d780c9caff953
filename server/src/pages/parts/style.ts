import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';

/** The one stylesheet of the pages. Its name follows from what it holds, so that it may be kept for good. */
const css = readFileSync(new URL('./style.css', import.meta.url));
const hash = createHash('sha256').update(css).digest('hex').slice(0, 16);

export const STYLE_PATH = `/assets/pages-${hash}.css`;

export const style: RequestHandler = (_req, res) => {
  res.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'same-origin' });
  res.type('text/css').send(css);
};
