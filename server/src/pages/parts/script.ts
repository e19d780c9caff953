import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { type Html, html } from './html.ts';

/**
 * The only script of the pages. It copies a value to the clipboard, and everything works without it. The
 * Content-Security-Policy allows only a script with this hash.
 */
const source = readFileSync(new URL('./copy.js', import.meta.url));
const hash = createHash('sha256').update(source);
const digest = hash.copy().digest('base64');

export const SCRIPT_SOURCE = `'sha256-${digest}'`;
export const SCRIPT_PATH = `/assets/copy-${hash.digest('hex').slice(0, 16)}.js`;

/** Placed after the buttons, so that the script finds them. */
export const copyScript: Html = html`<script src="${SCRIPT_PATH}" integrity="sha256-${digest}" defer></script>`;

export const script: RequestHandler = (_req, res) => {
  res.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'same-origin' });
  res.type('text/javascript').send(source);
};
