import type { RequestHandler } from 'express';
import { SCRIPT_SOURCES } from './script.ts';

/** Shops without a host of their own share one origin, so scripts and styles of merchants and framing are forbidden. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${SCRIPT_SOURCES}`,
  // The script of the checkout loads its page with other delivery options.
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** For pages and panel: forbids framing and indexing, and separates the page from windows of other origins. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};

export const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  ...SECURITY_HEADERS,
};

export const pageHeaders: RequestHandler = (_req, res, next) => {
  res.set(PAGE_HEADERS);
  next();
};
