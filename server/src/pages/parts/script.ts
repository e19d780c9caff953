import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { type Html, html } from './html.ts';

/**
 * The only scripts of the pages. Everything works without them. The Content-Security-Policy allows only scripts with
 * these hashes.
 */
const copy = scriptIn('copy');
const checkout = scriptIn('checkout');

function scriptIn(name: 'copy' | 'checkout') {
  const source = readFileSync(new URL(`./${name}.js`, import.meta.url));
  const hash = createHash('sha256').update(source);
  const digest = hash.copy().digest('base64');
  return { source, digest, path: `/assets/${name}-${hash.digest('hex').slice(0, 16)}.js` };
}

export const SCRIPT_SOURCES = `'sha256-${copy.digest}' 'sha256-${checkout.digest}'`;
export const SCRIPT_PATHS = [copy.path, checkout.path];

/** Tags of the scripts, which run when the page is complete. */
export const copyScript = tagOf(copy);
export const checkoutScript = tagOf(checkout);

function tagOf({ path, digest }: typeof copy): Html {
  return html`<script src="${path}" integrity="sha256-${digest}" defer></script>`;
}

export const script: RequestHandler = (req, res) => {
  const { source } = req.path === checkout.path ? checkout : copy;
  res.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'same-origin' });
  res.type('text/javascript').send(source);
};
