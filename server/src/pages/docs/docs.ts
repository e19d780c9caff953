/** The contract as documentation (/docs) and as JSON (/openapi.json). Nothing is loaded from other hosts. */

import { type RequestHandler, Router } from 'express';
import { type KeptFile, keepFile, sendKeptFile } from '../../http/express/kept-file.ts';
import { type DocsFile, docsFiles } from './site.ts';

const STRICT_POLICY = ["default-src 'none'", "style-src 'self'", "img-src 'self'"];
/** Redoc adds inline styles to the page, and searches in a worker. */
const REDOC_POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:"],
  ...["font-src 'self'", "connect-src 'self'", 'worker-src blob:'],
];
const ALWAYS = ["frame-ancestors 'none'", "base-uri 'none'"];

const ROUTES = new Map(docsFiles.map((file) => [addressOf(file.name), file]));

function addressOf(file: string): string {
  if (file === 'openapi.json') return '/openapi.json';
  return file === 'index.html' ? '/docs' : `/docs/${file.replace(/\.html$/, '')}`;
}

export function docs(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [address, file] of ROUTES) router.get(address, serve(file));
  return router;
}

function serve(file: DocsFile): RequestHandler {
  let made: KeptFile | undefined;
  return async (req, res) => {
    made ??= keepFile(Buffer.from(file.make(addressOf)));
    const isReference = file.name.startsWith('reference/');
    const policy = [...(isReference ? REDOC_POLICY : STRICT_POLICY), ...ALWAYS].join('; ');
    res.set({ 'Cache-Control': 'public, max-age=300', 'Content-Security-Policy': policy });
    res.type(file.type);
    await sendKeptFile(req, res, made);
  };
}
