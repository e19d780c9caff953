import { ConnectionError, isRetryable, retryAfterMs, TimeoutError } from './errors.ts';
import { type Hooks, observed } from './hooks.ts';
import { noteResponse } from './last-response.ts';

export type Send = (request: Request) => Promise<Response>;

export interface Limits {
  /** The maximum number of attempts of a call, including the first. */
  maxAttempts: number;
  /**
   * The longest wait between two attempts; after a Retry-After, up to 10 % more. If the server asks for more, the
   * caller gets its error immediately.
   */
  maxWaitMs: number;
  /** The maximum time of one attempt, including its body. */
  timeoutMs: number;
}

const FIRST_WAIT_MS = 250;

/**
 * Sends a request until it has a final response. It repeats attempts without a response, and responses that are marked
 * as retryable, after their Retry-After or else a growing random wait. A mutation without Idempotency-Key is sent once,
 * because it may have taken effect. The caller's abort ends the attempts and waits immediately, with its own reason.
 */
export function withRetries(send: Send, limits: Limits, hooks: Hooks = {}): Send {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await observed(hooks, request, attempt, () => outcomeOf(send, request, limits.timeoutMs));
      const again = attempt < limits.maxAttempts && mayRepeat(request);
      const waitMs = again ? await waitAfter(outcome, attempt, limits.maxWaitMs) : undefined;
      if (waitMs !== undefined) await sleep(waitMs, request.signal);
      else if (outcome instanceof ConnectionError) throw outcome;
      else {
        noteResponse(outcome, request, attempt);
        return outcome;
      }
    }
  };
}

function mayRepeat({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || headers.has('Idempotency-Key');
}

/** Runs one attempt. Returns the complete response, or the error if there is none. */
async function outcomeOf(send: Send, request: Request, timeoutMs: number): Promise<Response | ConnectionError> {
  // Some runtimes create requests without a signal, although the types promise one.
  const { signal } = request;
  signal?.throwIfAborted();
  const attempt = new AbortController();
  const abort = () => attempt.abort(signal.reason);
  signal?.addEventListener('abort', abort);
  const timer = setTimeout(() => {
    attempt.abort(new TimeoutError(`${nameOf(request)} had no response within ${timeoutMs} ms.`));
  }, timeoutMs);
  try {
    // Clones the request, because it can be sent only once.
    return await whole(await send(new Request(request.clone(), { signal: attempt.signal })));
  } catch (cause) {
    signal?.throwIfAborted();
    if (attempt.signal.aborted) return attempt.signal.reason;
    return new ConnectionError(`${nameOf(request)} had no response: ${reasonOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Reads the body to its end. A response that breaks off or stalls counts as no response. */
async function whole(response: Response): Promise<Response> {
  if (response.type === 'opaqueredirect') return response;
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

/** The wait before the next attempt; undefined if the result is final. */
async function waitAfter(outcome: Response | ConnectionError, attempt: number, maxWaitMs: number) {
  if (outcome instanceof ConnectionError) return backOff(attempt, maxWaitMs);
  if (outcome.ok || !isRetryable(outcome.status, await bodyOf(outcome))) return undefined;
  const askedMs = retryAfterMs(outcome.headers);
  if (askedMs === undefined) return backOff(attempt, maxWaitMs);
  // Never earlier than the server requires, and with a random part, so that clients do not return at the same time.
  return askedMs <= maxWaitMs ? askedMs * (1 + Math.random() / 10) : undefined;
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.clone().json();
  } catch {
    return undefined;
  }
}

function backOff(attempt: number, maxWaitMs: number): number {
  const ceilingMs = Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return ceilingMs * (0.5 + Math.random() / 2);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}

/** Method and URL without the query, which may contain search terms. */
function nameOf({ method, url }: Request): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

/**
 * The reason why a fetch failed. Node's message is only "fetch failed"; the reason is in the cause, sometimes only as a
 * code.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || (cause as { code?: string }).code || error.message;
}
