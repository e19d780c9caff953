import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import { document } from '../contract/contract.ts';

/** Redoc itself, as `npm run generate` copies it (server/scripts/copy-redoc.ts). */
export const REDOC = fileURLToPath(new URL('generated/redoc.standalone.js', import.meta.url));

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  'worker-src blob:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The page; `redoc.standalone.js` and `openapi.json` lie at the given addresses. */
export function docsPage({ script, contract }: { script: string; contract: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Commerce backend: API reference</title>
<style>body { margin: 0; }</style>
</head>
<body>
<redoc spec-url="${contract}" disable-google-font="true" hide-download-button="false"></redoc>
<script src="${script}"></script>
</body>
</html>
`;
}

/** The contract for people and programs: /docs (Redoc, served from here, no network) and /openapi.json. */
export function docs(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let json: string | undefined;
  router.get('/openapi.json', (_req, res) => {
    json ??= JSON.stringify(document);
    res.set('Cache-Control', 'public, max-age=300').type('application/json').send(json);
  });
  router.get('/docs', (_req, res) => {
    res.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    res.type('html').send(docsPage({ script: '/docs/redoc.standalone.js', contract: '/openapi.json' }));
  });
  router.get('/docs/redoc.standalone.js', (_req, res) => {
    res.set('Cache-Control', 'public, max-age=86400').sendFile(REDOC, { cacheControl: false, dotfiles: 'allow' });
  });
  return router;
}
