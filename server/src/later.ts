import type { RequestHandler } from 'express';
import type { Surfaces } from './http/deps.ts';
import { once } from './once.ts';

/**
 * Handlers of the APIs. Loading modules takes most of the startup time, so these are loaded after the server listens:
 * by `warmUp`, or by the first request that needs them.
 */
export const surfaces: Surfaces = {
  dashboard: once(async () => (await import('./dashboard/index.ts')).dashboard),
  storefront: once(async () => (await import('./storefront/index.ts')).storefront),
  sync: once(async () => (await import('./sync/index.ts')).sync),
  agent: once(async () => (await import('./agent/index.ts')).agent),
};

/** Creates a handler on its first request. */
export function whenAsked(make: () => Promise<RequestHandler>): RequestHandler {
  const made = once(make);
  return async (req, res, next) => (await made())(req, res, next);
}
