/**
 * Tracing with OpenTelemetry over OTLP/HTTP. Loaded only if a collector is configured (compose/tracing.ts); no other code imports these
 * packages. Sets none of their globals, so that several products can run in one process, as in tests.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { Log } from './log.js';
import type { Span, SpanSpec, TraceHeaders, Tracing } from './tracing.js';

interface OpenTelemetryOptions {
  /** Base address of the collector's OTLP/HTTP receiver. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `service.name`. */
  readonly serviceName: string;
  readonly version: string;
  /** Longest wait for the last spans, in milliseconds. */
  readonly closeMs: number;
  readonly log: Log;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** Minimum milliseconds between log lines about a collector that does not accept spans. */
const sayAgainMs = 60_000;

/** Logs when spans start to be lost, and when they are accepted again. */
const sayFailures = (exporter: SpanExporter, log: Log): SpanExporter => {
  let lost = 0;
  let saidAt = 0;
  const say = (spans: readonly ReadableSpan[], { code, error }: ExportResult): void => {
    if (code === ExportResultCode.SUCCESS) {
      if (lost > 0) log.info({ lost }, 'spans arrive again');
      lost = 0;
      saidAt = 0;
      return;
    }
    lost += spans.length;
    if (Date.now() - saidAt < sayAgainMs) return;
    saidAt = Date.now();
    log.warn({ err: error, lost }, 'spans not taken by the collector');
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        say(spans, result);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
};

const propagator = new W3CTraceContextPropagator();

const contextOf = (headers: TraceHeaders): Context =>
  propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);

const linkOf = (context: Context): Link[] => {
  const spanContext = trace.getSpanContext(context);
  return spanContext === undefined ? [] : [{ context: spanContext }];
};

/** Parent of a span, and links to other traces. */
const originOf = (from: SpanSpec['from'], active: Context): { parent: Context; links: Link[] } => {
  if (from === undefined || from.length === 0) return { parent: active, links: [] };
  const contexts = from.map(contextOf);
  const traces = new Set(contexts.map((context) => trace.getSpanContext(context)?.spanId));
  if (traces.size === 1) return { parent: contexts[0] ?? active, links: [] };
  return { parent: ROOT_CONTEXT, links: contexts.flatMap(linkOf) };
};

/** Sampler, resource and queue limits come from the standard variables, which the packages read themselves. */
export const openTelemetry = (options: OpenTelemetryOptions): Tracing => {
  const { endpoint, headers, serviceName, version, closeMs, log } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
  });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': serviceName })),
    // A full queue drops new spans, so an unreachable collector costs limited memory and no time.
    spanProcessors: [new BatchSpanProcessor(sayFailures(exporter, log))],
  });
  const tracer = provider.getTracer('tabulary', version);
  const current = new AsyncLocalStorage<Context>();

  return {
    begin({ name, kind, attributes = {}, from }) {
      const { parent, links } = originOf(from, current.getStore() ?? ROOT_CONTEXT);
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes: { ...attributes }, links },
        parent,
      );
      const context = trace.setSpan(parent, span);
      const shown: Span = {
        traceId: span.spanContext().traceId,
        name: (text) => void span.updateName(text),
        set: (more) => void span.setAttributes({ ...more }),
        fail(type) {
          span.setAttribute('error.type', type);
          span.setStatus({ code: SpanStatusCode.ERROR });
        },
        end: () => span.end(),
        run: (work) => current.run(context, work),
      };
      return shown;
    },
    get active() {
      return current.getStore() !== undefined;
    },
    carry() {
      const headers: Record<string, string> = {};
      const context = current.getStore();
      if (context !== undefined) propagator.inject(context, headers, defaultTextMapSetter);
      return headers;
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closeMs);
      });
      try {
        await Promise.race([provider.shutdown(), late]);
      } catch (error) {
        log.warn({ err: error }, 'spans not taken by the collector');
      } finally {
        clearTimeout(timer);
      }
    },
  };
};
