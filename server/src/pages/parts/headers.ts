import type { RequestHandler } from 'express';
import { SCRIPT_SOURCE } from './script.ts';

/** All tenants share one origin, so merchants' scripts and styles are blocked here, and framing is forbidden. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${SCRIPT_SOURCE}`,
  "style-src 'self'",
  "img-src 'self' https:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Headers of both the pages and the panel: nobody frames, indexes or opens them from a window of their own. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};

export const pageHeaders: RequestHandler = (_req, res, next) => {
  res.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    ...SECURITY_HEADERS,
  });
  next();
};
