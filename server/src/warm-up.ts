import { setTimeout as sleep } from 'node:timers/promises';
import { prepareValidation } from './http/contract/validator.ts';
import type { Metrics } from './http/operators/metrics.ts';
import { surfaces } from './later.ts';

/** Each step blocks the event loop for tens of milliseconds. Requests are served in the pauses. */
const PAUSE_MS = 50;

/**
 * Preloads modules that requests often need. The first request that needs any other module, such as the documentation,
 * loads it.
 */
export async function warmUp(metrics: Metrics): Promise<void> {
  const parts = [
    prepareValidation,
    surfaces.storefront,
    surfaces.agent,
    surfaces.dashboard,
    surfaces.sync,
    () => import('./http/operators/payment-webhooks.ts'),
    () => import('./pages/pages.ts'),
    () => import('./http/operators/oauth-metadata.ts'),
    () => import('./http/operators/oauth-endpoints.ts'),
    metrics.watchProcess,
  ];
  for (const load of parts) {
    await sleep(PAUSE_MS);
    await load();
  }
}
