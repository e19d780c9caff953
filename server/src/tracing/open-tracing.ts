import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type { Context, Tracer as OtelTracer, TextMapPropagator } from '@opentelemetry/api';
import { type Attributes, type Span, type SpanStart, setTracer, type Tracer } from './span.ts';

export interface TracingOptions {
  /** Base URL of the OTLP/HTTP collector, without /v1/traces. */
  endpoint: string;
  serviceName: string;
  /** Share of traces to record, from 0 to 1. */
  share: number;
  /**
   * Whether to continue the trace in a request's traceparent header, including its sampling decision. Enable it only if
   * untrusted callers cannot send the header; otherwise anyone can have all of their traces recorded, or none.
   */
  trustCallers: boolean;
}

/** Optional peer dependencies, which are needed only for tracing. */
const PACKAGES = ['api', 'core', 'resources', 'sdk-trace', 'exporter-trace-otlp-http'].map(
  (name) => `@opentelemetry/${name}`,
);
const FLUSH_WITHIN_MS = 3_000;

/** Loads OpenTelemetry and starts tracing. The returned function stops it and sends the remaining spans. */
export async function openTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { api, core, resources, sdk, otlp } = await load();
  const provider = new sdk.TracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': options.serviceName })),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new otlp.OTLPTraceExporter({ url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces` }),
      }),
    ],
  });
  const { trustCallers } = options;
  setTracer(tracerOf(api, provider.getTracer('commerce-server'), new core.W3CTraceContextPropagator(), trustCallers));
  return async () => {
    setTracer(undefined);
    const ended = provider.shutdown().catch(() => undefined);
    const timeout = new Promise<void>((over) => setTimeout(over, FLUSH_WITHIN_MS).unref());
    await Promise.race([ended, timeout]);
  };
}

async function load() {
  try {
    const [api, core, resources, sdk, otlp] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { api, core, resources, sdk, otlp };
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const { peerDependencies } = createRequire(import.meta.url)('../../package.json') as {
      peerDependencies: Record<string, string>;
    };
    const wanted = PACKAGES.map((name) => `${name}@${peerDependencies[name]}`).join(' ');
    throw new Error(`OpenTelemetry is not installed: unset OTEL_EXPORTER_OTLP_ENDPOINT, or run npm install ${wanted}.`);
  }
}

type Api = typeof import('@opentelemetry/api');

function tracerOf(api: Api, tracer: OtelTracer, propagator: TextMapPropagator, trustCallers: boolean): Tracer {
  const running = new AsyncLocalStorage<Context>();
  const current = () => running.getStore() ?? api.ROOT_CONTEXT;
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, consumer: api.SpanKind.CONSUMER };
  return {
    begin({ name, kind, attributes, headers, onlyWithin, public: isPublic }: SpanStart): Span | undefined {
      if (onlyWithin && !running.getStore()) return undefined;
      const named = headers ? propagator.extract(current(), headers, api.defaultTextMapGetter) : current();
      const isTrusted = !isPublic || trustCallers;
      const parent = isTrusted ? named : current();
      const caller = isTrusted ? undefined : api.trace.getSpanContext(named);
      const links = caller ? [{ context: caller }] : [];
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: given(attributes), links }, parent);
      const context = api.trace.setSpan(parent, span);
      return {
        rename: (next) => void span.updateName(next),
        set: (more) => void span.setAttributes(given(more)),
        fail(error) {
          span.setStatus({ code: api.SpanStatusCode.ERROR });
          span.setAttribute('error.type', kindOf(error));
        },
        end: () => span.end(),
        run: (work) => running.run(context, work),
      };
    },
    headers() {
      const carrier: Record<string, string> = {};
      propagator.inject(current(), carrier, api.defaultTextMapSetter);
      return carrier;
    },
  };
}

function given(attributes: Attributes = {}): Record<string, string | number | boolean> {
  const known = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, string | number | boolean>;
}

/** The code of an API, Node or PostgreSQL error, otherwise the name of its class. */
function kindOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'error').slice(0, 64);
}
