import { type Schemas, webhooks } from '@commerce-backend/sdk';

/** The shop's own timeout for a receiver. */
const TIMEOUT_MS = 15_000;

/** The result of forwarding an event: the status of the response, or the reason why there was none. */
export interface Forwarded {
  event_id: string;
  type: string;
  status: number | null;
  error?: string;
  duration_ms: number;
}

/** Sends an event to a URL as the shop sends it to a webhook. Throws only if the signal ends it. */
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
    // A redirect is a failure, as it is for webhooks.
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
 * The reason of a failed fetch. Node reports only "fetch failed" and hides the reason in the cause, sometimes as a mere error
 * code.
 */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { message?: string; code?: string } };
  return cause?.code ?? cause?.message ?? String(error);
}
