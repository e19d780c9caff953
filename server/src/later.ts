import type { RequestHandler } from 'express';
import type { Surfaces } from './http/deps.ts';
import { once } from './once.ts';

/**
 * Most of a start is the loading of modules. What no request has asked for is loaded after the server listens: by `warmUp`, or
 * by a request that comes before that.
 */
export const surfaces: Surfaces = {
  dashboard: once(async () => (await import('./dashboard/index.ts')).dashboard),
  storefront: once(async () => (await import('./storefront/index.ts')).storefront),
  sync: once(async () => (await import('./sync/index.ts')).sync),
  agent: once(async () => (await import('./agent/index.ts')).agent),
};

/** Handles requests by what is made when the first of them comes. */
export function whenAsked(make: () => Promise<RequestHandler>): RequestHandler {
  const made = once(make);
  return async (req, res, next) => (await made())(req, res, next);
}
