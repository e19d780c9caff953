import { setTimeout as sleep } from 'node:timers/promises';

/** Length of a pause relative to the work, so that long background work leaves 75 % of the time to requests. */
const REST = 3;

/**
 * Runs background work, and then pauses for three times as long, so that a busy machine gets longer pauses. An abort
 * ends the pause immediately.
 */
export async function restAfter<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const started = performance.now();
  const done = await work();
  const rest = REST * (performance.now() - started);
  await sleep(rest, undefined, { signal }).catch(() => undefined);
  return done;
}
