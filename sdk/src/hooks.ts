/** One attempt of a call. The event has no credentials, query or body, so it is safe to log. */
export interface RequestEvent {
  method: string;
  /** The path without the query, which may contain search terms. */
  path: string;
  /** The same for all attempts of a mutation. */
  idempotencyKey: string | undefined;
  /** The number of the attempt, starting at 1. */
  attempt: number;
}

/** The result of an attempt. */
export interface ResponseEvent extends RequestEvent {
  /** Undefined without a response; `error` then has the reason. */
  status: number | undefined;
  requestId: string | undefined;
  error: Error | undefined;
  elapsedMs: number;
}

export interface Hooks {
  /** Called before each attempt of each call. If it throws, the call throws the same error and nothing is sent. */
  onRequest?: (event: RequestEvent) => void;
  /**
   * Called after each attempt, with its response or the reason why there was none; not after the caller's own abort.
   */
  onResponse?: (event: ResponseEvent) => void;
}

/** Runs one attempt and calls the hooks. */
export async function observed<Failure extends Error>(
  { onRequest, onResponse }: Hooks,
  request: Request,
  attempt: number,
  run: () => Promise<Response | Failure>,
): Promise<Response | Failure> {
  const idempotencyKey = request.headers.get('Idempotency-Key') ?? undefined;
  const event = { method: request.method, path: new URL(request.url).pathname, idempotencyKey, attempt };
  onRequest?.(event);
  const begun = performance.now();
  const outcome = await run();
  const answer = outcome instanceof Error ? undefined : outcome;
  onResponse?.({
    ...event,
    status: answer?.status,
    requestId: answer?.headers.get('X-Request-Id') ?? undefined,
    error: outcome instanceof Error ? outcome : undefined,
    elapsedMs: performance.now() - begun,
  });
  return outcome;
}
