import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';

const svg = readFileSync(new URL('./favicon.svg', import.meta.url));

/** The path of the icon that browsers request if a page names none. Browsers accept SVG there. */
export const FAVICON_PATH = '/favicon.ico';

export const favicon: RequestHandler = (_req, res) => {
  res.set({ 'Cache-Control': 'public, max-age=86400', 'Content-Security-Policy': "default-src 'none'" });
  res.type('image/svg+xml').send(svg);
};
