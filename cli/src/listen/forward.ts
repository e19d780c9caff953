import { type Schemas, webhooks } from '@commerce-backend/sdk';

/** The server's timeout for webhooks. */
const TIMEOUT_MS = 15_000;

/** Result of forwarding an event: the response's status, or the reason why there was none. */
export interface Forwarded {
  event_id: string;
  type: string;
  status: number | null;
  error?: string;
  duration_ms: number;
}

/** Posts an event to a URL like a webhook. Throws only if the signal is aborted. */
export async function forward(
  url: string,
  { event_id, payload }: Schemas['ListenerEvent'],
  secret: string,
  signal: AbortSignal,
): Promise<Forwarded> {
  const body = JSON.stringify(payload);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'commerce-backend-webhooks/1',
    ...(await webhooks.sign(body, secret, { event_id })),
  };
  const begun = performance.now();
  const resultOf = (outcome: Pick<Forwarded, 'status' | 'error'>) => {
    return { event_id, type: payload.type, ...outcome, duration_ms: Math.round(performance.now() - begun) };
  };
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    // Redirects count as failures, as for webhooks.
    const init = { method: 'POST', redirect: 'manual', headers, body } as const;
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) });
    await response.body?.cancel();
    return resultOf({ status: response.status });
  } catch (cause) {
    signal.throwIfAborted();
    return resultOf({ status: null, error: timeout.aborted ? `no answer in ${TIMEOUT_MS / 1000} s` : reasonOf(cause) });
  }
}

/**
 * Returns the reason why a fetch failed. Node's message is only "fetch failed"; the reason is in the cause, sometimes
 * only as a code.
 */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { message?: string; code?: string } };
  return cause?.code ?? cause?.message ?? String(error);
}
