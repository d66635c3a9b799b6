import { z } from 'zod';
import { isNetwork } from '../http/client-address.js';
import { integer, KiB, list, MiB, optional, setting, text, url } from './setting.js';

const networks = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .refine(
    (items) => items.every(isNetwork),
    'must be a comma-separated list of addresses or networks such as 10.0.0.0/8',
  );

/** Variables of the HTTP server. */
export const httpSettings = {
  host: setting('HOST', text, '127.0.0.1', 'Address the API listens on.'),
  port: setting('PORT', integer(0, 65_535), '8080', 'Port the API listens on; 0 takes a free one.'),
  workerPort: setting(
    'WORKER_PORT',
    integer(0, 65_535),
    '8081',
    'Port of /healthz, /readyz and /metrics of a worker; 0 takes a free one.',
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    optional(url('http', 'https')),
    undefined,
    'Address under which clients reach the API, for download links; default: links without a host.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    networks,
    '',
    'Comma-separated addresses or networks of proxies in front, whose X-Forwarded-* headers are believed.',
  ),
  jsonMaxBytes: setting(
    'JSON_MAX_BYTES',
    integer(64 * KiB),
    String(1 * MiB),
    'Largest JSON body of a request.',
  ),
  bodyBytesInFlight: setting(
    'BODY_BYTES_IN_FLIGHT',
    integer(8 * MiB),
    String(64 * MiB),
    'Bytes of JSON bodies and form fields that an API process keeps at a time; a quarter of it per account or address.',
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    list,
    '*',
    'Comma-separated origins whose pages may call the API from a browser; * for all.',
  ),
  corsMethods: setting(
    'CORS_METHODS',
    list,
    'GET,HEAD',
    'Comma-separated methods that pages of those origins may use; credentials are never shared.',
  ),
  publicMaxAgeSeconds: setting(
    'PUBLIC_MAX_AGE_SECONDS',
    integer(0, 31_536_000),
    '0',
    'Seconds that caches may keep downloads of public datasets; 0: they ask each time.',
  ),
  drainTimeoutMs: setting(
    'DRAIN_TIMEOUT_MS',
    integer(0),
    '8000',
    'Milliseconds that running requests are given when the process is asked to stop.',
  ),
} as const;
