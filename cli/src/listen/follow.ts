import { setTimeout as pause } from 'node:timers/promises';
import {
  CommerceError,
  ConnectionError,
  type DashboardClient,
  NotFoundError,
  type Schemas,
  unwrap,
  type WebhookEventPattern,
} from '@commerce-backend/sdk';

type Listener = Schemas['EventListenerWithSecret'];
type Event = Schemas['ListenerEvent'];

/** Callbacks of `follow`. */
export interface Follower {
  /** A listener was created. `again` means that the previous one had expired, for example while a laptop slept. */
  opened(listener: Listener, again: boolean): void;
  /** An event arrived. Events are passed one after another, in order. */
  happened(event: Event, listener: Listener): Promise<void>;
  /** The server could not be reached or did not answer. `follow` will retry. */
  interrupted(reason: string): void;
  resumed(): void;
}

const WAIT_SECONDS = 20;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Passes on a shop's events until the signal is aborted, then throws the signal's reason. Network errors and server
 * restarts are retried; the server keeps events for up to 10 minutes. All other errors, and any error before the
 * listener was created, are thrown.
 */
export async function follow(
  client: DashboardClient,
  events: WebhookEventPattern[] | undefined,
  follower: Follower,
  signal: AbortSignal,
): Promise<never> {
  let listener: Listener | undefined = await open(client, events, signal);
  let cursor: string | undefined;
  let failures = 0;
  follower.opened(listener, false);
  try {
    for (;;) {
      try {
        if (!listener) {
          listener = await open(client, events, signal);
          cursor = undefined;
          follower.opened(listener, true);
        }
        const page = await fetchEvents(client, listener.id, cursor, failures, signal);
        if (failures > 0) follower.resumed();
        failures = 0;
        for (const event of page.events) await follower.happened(event, listener);
        cursor = page.next_cursor;
      } catch (error) {
        signal.throwIfAborted();
        if (listener && error instanceof NotFoundError) {
          listener = undefined;
          continue;
        }
        if (!mayPass(error)) throw error;
        if (failures === 0) follower.interrupted(error.message);
        await pause(waitAfter(error, failures), undefined, { signal });
        failures += 1;
      }
    }
  } finally {
    if (listener) await close(client, listener.id);
  }
}

function open(
  client: DashboardClient,
  events: WebhookEventPattern[] | undefined,
  signal: AbortSignal,
): Promise<Listener> {
  return unwrap(client.POST('/api/dashboard/events/listeners', { body: { ...(events && { events }) }, signal }));
}

/**
 * Fetches events with a long poll. After a failure, fetches without waiting, to notice immediately when the server is
 * back.
 */
async function fetchEvents(
  client: DashboardClient,
  listener_id: string,
  cursor: string | undefined,
  failures: number,
  signal: AbortSignal,
) {
  const params = { path: { listener_id }, query: { cursor, wait_seconds: failures > 0 ? 0 : WAIT_SECONDS } };
  return unwrap(client.GET('/api/dashboard/events/listeners/{listener_id}', { params, signal }));
}

function mayPass(error: unknown): error is Error {
  return error instanceof ConnectionError || (error instanceof CommerceError && error.retryable);
}

function waitAfter(error: Error, failures: number): number {
  const asked = error instanceof CommerceError ? error.retryAfterMs : undefined;
  return asked ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
}

/** Deletes the listener. Ignores a missing answer of the server, because the listener expires after 10 minutes. */
async function close(client: DashboardClient, listener_id: string): Promise<void> {
  const signal = AbortSignal.timeout(2000);
  const params = { path: { listener_id } };
  await client.DELETE('/api/dashboard/events/listeners/{listener_id}', { params, signal }).catch(() => undefined);
}
