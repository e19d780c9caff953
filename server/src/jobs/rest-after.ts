import { setTimeout as sleep } from 'node:timers/promises';

/** Length of a pause relative to the work, so that long background work leaves 75 % of the time to requests. */
const REST = 3;

/**
 * Runs background work, and then pauses three times as long as the work took; on a busy machine both take longer. An
 * abort ends the pause at once.
 */
export async function restAfter<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const started = performance.now();
  const done = await work();
  const rest = REST * (performance.now() - started);
  await sleep(rest, undefined, { signal }).catch(() => undefined);
  return done;
}
