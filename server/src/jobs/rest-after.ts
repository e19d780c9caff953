import { setTimeout as sleep } from 'node:timers/promises';

/** Long work in the background leaves requests three quarters of the time. */
const REST = 3;

/**
 * Does a piece of work that nobody waits for, and then rests three times as long as it took; on a busy machine both take
 * longer. The rest ends at once when the signal is aborted.
 */
export async function restAfter<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const started = performance.now();
  const done = await work();
  const rest = REST * (performance.now() - started);
  await sleep(rest, undefined, { signal }).catch(() => undefined);
  return done;
}
