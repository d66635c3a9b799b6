/**
 * Interface of tracing: spans around work, and their context in the headers of messages. Independent of OpenTelemetry: lib/opentelemetry.ts
 * implements it if a collector is configured, otherwise `noTracing`.
 */

/** Context of a trace in messages: W3C `traceparent` and `tracestate`. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** Names of these headers. */
export const traceHeaderNames = ['traceparent', 'tracestate'] as const;

/** Names from OpenTelemetry's semantic conventions. Never a value of a cell, a key, or the message of an error. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Id of the trace in the headers; undefined: none. */
export const traceIdOf = ({ traceparent }: TraceHeaders): string | undefined => traceparent?.split('-', 2)[1];

export interface SpanSpec {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes?: SpanAttributes;
  /**
   * Contexts of other processes. One: the span continues its trace. Several: the span starts a trace with a link to each. @default the
   * current span
   */
  readonly from?: readonly TraceHeaders[];
}

export interface Span {
  /** Id of the trace; undefined without tracing. */
  readonly traceId: string | undefined;
  name(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. @param type Stable code, never a message. */
  fail(type: string): void;
  end(): void;
  /** Runs work within the span. */
  run<T>(work: () => T): T;
}

export interface Tracing {
  begin(spec: SpanSpec): Span;
  /** True within a span. */
  readonly active: boolean;
  /** Context of the current span; empty outside of a span. */
  carry(): TraceHeaders;
  /** Sends the remaining spans, for a limited time. */
  close(): Promise<void>;
}

const noSpan: Span = {
  traceId: undefined,
  name: () => undefined,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
  run: (work) => work(),
};

const nothing: TraceHeaders = {};

/** Used without a collector. */
export const noTracing: Tracing = {
  begin: () => noSpan,
  active: false,
  carry: () => nothing,
  close: async () => undefined,
};

/** Name of an error for traces: its stable code, otherwise its class. */
export const errorType = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name;
};

/** Runs work in a span, which ends with it. */
export const traced = async <T>(
  tracing: Tracing,
  spec: SpanSpec,
  work: (span: Span) => Promise<T>,
): Promise<T> => {
  const span = tracing.begin(spec);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
};
