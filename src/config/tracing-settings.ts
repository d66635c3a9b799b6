import { z } from 'zod';
import { choice, optional, setting, text, url } from './setting.js';

/** `name=value` pairs with percent-encoded values, the format of OpenTelemetry. */
const pairs = z.string().transform((value, context) => {
  const found: Record<string, string> = {};
  for (const pair of value.split(',').filter((part) => part.trim() !== '')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    try {
      if (name === '') throw new Error('no name');
      found[name] = decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      context.addIssue({ code: 'custom', message: 'must list name=value pairs, separated by commas' });
      return z.NEVER;
    }
  }
  return found;
});

const share = z
  .string()
  .refine((value) => value.trim() !== '' && Number(value) >= 0 && Number(value) <= 1, 'must be from 0 to 1')
  .transform(Number);

/** Standard variables of OpenTelemetry. Its packages read the others themselves. */
export const tracingSettings = {
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    optional(url('http', 'https')),
    undefined,
    'Base address of the OpenTelemetry collector for traces (OTLP over HTTP, such as http://collector:4318); default: no traces.',
  ),
  otlpHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    optional(pairs),
    undefined,
    'Headers for the collector, as comma-separated name=value pairs.',
    { secret: true },
  ),
  serviceName: setting(
    'OTEL_SERVICE_NAME',
    optional(text),
    undefined,
    'Name of the service in traces; default: tabulary-api or tabulary-worker.',
  ),
  resourceAttributes: setting(
    'OTEL_RESOURCE_ATTRIBUTES',
    optional(pairs),
    undefined,
    'Attributes of every span, as comma-separated name=value pairs.',
  ),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    choice(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    'parentbased_always_on',
    'Sampler that decides which traces are kept.',
  ),
  tracesSamplerArg: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    optional(share),
    undefined,
    'Share of traces that samplers with traceidratio keep, from 0 to 1; default: 1.',
  ),
} as const;
