/**
 * All tracing goes through this file. Tracing costs nothing until a tracer is set, and only open-tracing.ts loads
 * OpenTelemetry. Names and attributes must never contain user input: no IP address, request body or statement value.
 */

export type Attributes = Record<string, string | number | boolean | undefined>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'consumer';
  attributes?: Attributes;
  /** Headers of a request or job. Their traceparent names the parent span. */
  headers?: Record<string, unknown>;
  /**
   * Whether anyone can send these headers. Unless they are trusted, a new trace starts, with a link to the sender's.
   */
  public?: true;
  /** Whether the span is created only inside another span. */
  onlyWithin?: true;
}

export interface Span {
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Records the kind of an error, without its message. */
  fail(error: unknown): void;
  end(): void;
  /** Runs work with this span as the parent of new spans. */
  run<Result>(work: () => Result): Result;
}

export interface Tracer {
  begin(start: SpanStart): Span | undefined;
  /** Trace headers of the current span. */
  headers(): Record<string, string>;
}

let tracer: Tracer | undefined;

export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/**
 * Starts a span, which the caller must end. Undefined if tracing is off (then `start` is not called), or if an
 * `onlyWithin` span has no span around it.
 */
export function beginSpan(start: () => SpanStart): Span | undefined {
  return tracer?.begin(start());
}

/** Runs work in a new span that ends with it. */
export async function traced<Result>(start: () => SpanStart, work: (span?: Span) => Promise<Result>): Promise<Result> {
  const span = beginSpan(start);
  if (!span) return work();
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Trace headers (W3C traceparent and tracestate) for an outgoing request; empty if tracing is off. */
export function traceHeaders(): Record<string, string> {
  return tracer?.headers() ?? {};
}
