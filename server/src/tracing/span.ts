/**
 * All tracing goes through this file, and costs nothing as long as no tracer is set: only open-tracing.ts loads
 * OpenTelemetry. Names and attributes never contain input of a caller: no address, no body, no value of a statement.
 */
export type Attributes = Record<string, string | number | boolean | undefined>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'consumer';
  attributes?: Attributes;
  /** Headers of a request or a job, whose traceparent names the parent. */
  headers?: Record<string, unknown>;
  /** Anyone can send these headers: unless they are trusted, the trace is a new one, with a link to theirs. */
  public?: true;
  /** Does not begin a trace: the span is only made within another one. */
  onlyWithin?: true;
}

export interface Span {
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Notes the kind of an error, without its message. */
  fail(error: unknown): void;
  end(): void;
  /** Runs work in which this span is the parent of others. */
  run<Result>(work: () => Result): Result;
}

export interface Tracer {
  begin(start: SpanStart): Span | undefined;
  /** The traceparent of the span that is running. */
  headers(): Record<string, string>;
}

let tracer: Tracer | undefined;

export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Begins a span; undefined when nothing is traced, and then `start` is not called. The caller ends the span. */
export function beginSpan(start: () => SpanStart): Span | undefined {
  return tracer?.begin(start());
}

/** Runs work in a span of its own, which ends with it. */
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

/** The headers for an outgoing request, so that its receiver continues the trace: W3C's traceparent and tracestate, or none. */
export function traceHeaders(): Record<string, string> {
  return tracer?.headers() ?? {};
}
