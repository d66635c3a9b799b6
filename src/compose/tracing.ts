import type { Config } from '../config.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { noTracing, type Tracing } from '../lib/tracing.js';

/** Longest wait of a stop for the collector, in milliseconds. */
const closeMs = 2_000;

type TracingConfig = Pick<Config, 'otlpEndpoint' | 'otlpHeaders' | 'serviceName' | 'drainTimeoutMs'>;

/** Traces for the configured collector. Without one there are none, and nothing of OpenTelemetry is loaded. */
export const openTracing = async (
  { otlpEndpoint, otlpHeaders, serviceName, drainTimeoutMs }: TracingConfig,
  of: { readonly name: string; readonly version: string; readonly log: Log },
  scope: Scope,
): Promise<Tracing> => {
  if (otlpEndpoint === undefined) return noTracing;
  const { openTelemetry } = await import('../lib/opentelemetry.js');
  const tracing = openTelemetry({
    endpoint: otlpEndpoint,
    headers: otlpHeaders ?? {},
    serviceName: serviceName ?? `tabulary-${of.name}`,
    version: of.version,
    closeMs: Math.min(closeMs, drainTimeoutMs),
    log: of.log,
  });
  // Registered before all other parts, so that it is stopped last.
  await scope.defer('traces', tracing.close);
  return tracing;
};
