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

/** What `follow` reports. */
export interface Follower {
  /** A listener was created; `again` if the one before had expired, for example after a laptop's sleep. */
  opened(listener: Listener, again: boolean): void;
  /** An event, in order; the next one is reported when this one is done. */
  happened(event: Event, listener: Listener): Promise<void>;
  /** The server could not be reached or could not answer, and will be asked again. */
  interrupted(reason: string): void;
  resumed(): void;
}

const WAIT_SECONDS = 20;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Follows the events of a shop until the signal ends it, then throws the signal's reason. It survives network errors and
 * restarts of the server, which keeps events for the listener for up to 10 minutes. Other errors are thrown, and so is every
 * error before the listener is created.
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

/** Waits for events; after a failure it asks without waiting, to notice at once that the server is back. */
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

/** Deletes the listener. It expires after 10 minutes anyway, so nothing is lost if the server does not answer. */
async function close(client: DashboardClient, listener_id: string): Promise<void> {
  const signal = AbortSignal.timeout(2000);
  const params = { path: { listener_id } };
  await client.DELETE('/api/dashboard/events/listeners/{listener_id}', { params, signal }).catch(() => undefined);
}
