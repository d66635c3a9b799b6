import { z } from 'zod';
import { isNetwork } from '../http/client-address.js';
import { isPublicUrl } from '../http/public-path.js';
import { flag, integer, KiB, list, MiB, milliseconds, optional, setting, text, url } from './setting.js';

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

const methods = list.transform((items) => items.map((item) => item.toUpperCase()));

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** Origins as browsers send them; `none` is the empty list. */
const origins = list
  .transform((items) =>
    items.map((item) => item.toLowerCase().replace(/\/$/, '')).filter((item) => item !== 'none'),
  )
  .refine(
    (items) => items.every((item) => item === '*' || isOrigin(item)),
    'must list origins such as https://app.example.org, without a path, or be * or none',
  );

const hostNames = list
  .transform((items) => items.map((item) => item.toLowerCase()))
  .refine(
    (items) => items.every((item) => /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/.test(item)),
    'must list host names without a port, such as data.example.org',
  );

/** Settings of the HTTP server. */
export const httpSettings = {
  host: setting('HOST', text, '127.0.0.1', 'Address the API listens on.'),
  port: setting('PORT', integer(0, 65_535), '8080', 'Port the API listens on; 0: any free port.'),
  workerPort: setting(
    'WORKER_PORT',
    integer(0, 65_535),
    '8081',
    'Port of /healthz, /readyz and /metrics of a worker; 0: any free port.',
  ),
  metricsPort: setting(
    'METRICS_PORT',
    optional(integer(0, 65_535)),
    undefined,
    'Separate port for /metrics; 0: any free port. Default: the port of the process. With npm start, the API listens on it.',
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    optional(z.string().regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 characters and no blank')),
    undefined,
    'Token required for /metrics; a scraper sends it as Authorization: Bearer.',
    { secret: true },
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    optional(
      url('http', 'https').refine(
        isPublicUrl,
        'must be an address without query, fragment and credentials, such as https://data.example.org/tables',
      ),
    ),
    undefined,
    'Address of this service for clients, used in links and the web app; if it has a path, the proxy must strip it. Default: links without a host.',
  ),
  mcpHosts: setting(
    'MCP_HOSTS',
    optional(hostNames),
    undefined,
    'Comma-separated host names that /mcp accepts besides that of PUBLIC_URL, IP addresses and localhost, such as tabulary.internal; others are refused to prevent DNS rebinding.',
  ),
  mcpWrites: setting(
    'MCP_WRITES',
    flag,
    'false',
    'Offer the tool keep_series, which creates datasets, to assistants whose key may write.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    networks,
    '',
    'Comma-separated addresses or networks of reverse proxies whose X-Forwarded-* headers are trusted.',
  ),
  jsonMaxBytes: setting('JSON_MAX_BYTES', integer(64 * KiB), String(1 * MiB), 'Largest JSON request body.'),
  bodyBytesInFlight: setting(
    'BODY_BYTES_IN_FLIGHT',
    integer(8 * MiB),
    String(64 * MiB),
    'Most bytes of JSON bodies and form fields in the memory of an API process; a quarter of it per account or address.',
  ),
  headBytesInFlight: setting(
    'HEAD_BYTES_IN_FLIGHT',
    integer(2 * MiB),
    String(32 * MiB),
    'Memory of an API process for incomplete request heads: 16 heads of 256 kB are read at a time; other connections are paused and take turns.',
  ),
  answerBytesInFlight: setting(
    'ANSWER_BYTES_IN_FLIGHT',
    integer(8 * MiB),
    String(128 * MiB),
    'Most bytes of unread responses in the memory of an API process; a quarter of it per account or address.',
  ),
  resultCacheBytes: setting(
    'RESULT_CACHE_BYTES',
    integer(0),
    String(64 * MiB),
    'Size of the cache of an API process for read results of up to 256 KiB, which are then answered without ClickHouse; 0: no cache.',
  ),
  http10MaxBytes: setting(
    'HTTP10_MAX_BYTES',
    integer(0, 64 * MiB),
    String(8 * MiB),
    'Longest response of unknown length to an HTTP/1.0 client or proxy: it is buffered to send its length; longer ones are refused with 426.',
  ),
  connections: setting(
    'CONNECTIONS',
    integer(16),
    '10000',
    'Most connections to an API process; a quarter of them from one address that is neither local nor in TRUSTED_PROXIES.',
  ),
  requestsInFlight: setting(
    'REQUESTS_IN_FLIGHT',
    integer(4),
    '16',
    'Short requests that an API process handles at a time; a quarter of them for one account or address.',
  ),
  providerCallsInFlight: setting(
    'PROVIDER_CALLS_IN_FLIGHT',
    integer(4),
    '64',
    'Requests that an API process answers from providers at a time; a quarter of them for one account or address.',
  ),
  filesInFlight: setting(
    'FILES_IN_FLIGHT',
    integer(2),
    '64',
    'Files that an API process sends at a time; half of them for one account or address.',
  ),
  eventStreams: setting(
    'EVENT_STREAMS',
    integer(8),
    '256',
    'Open event streams of an API process; an eighth of them for one account or address.',
  ),
  requestWaitMs: setting(
    'REQUEST_WAIT_MS',
    integer(100, 300_000),
    '15000',
    'Milliseconds that a short request may wait in the queue; then it gets 503.',
  ),
  answerWaitMs: setting(
    'ANSWER_WAIT_MS',
    integer(100, 300_000),
    '30000',
    'Like REQUEST_WAIT_MS, for downloads, files and requests to providers.',
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    origins,
    '*',
    'Comma-separated origins whose pages may call the API from a browser, such as https://app.example.org; * for all, none for none.',
  ),
  corsMethods: setting(
    'CORS_METHODS',
    optional(methods),
    undefined,
    'Comma-separated methods that pages of those origins may use; default: all methods for listed origins, GET,HEAD,POST for * (which may not change data anyway).',
  ),
  corsCredentials: setting(
    'CORS_CREDENTIALS',
    flag,
    'false',
    'Let browsers send cookies and stored passwords with calls from listed origins; never with *.',
  ),
  sessionMaxAgeSeconds: setting(
    'SESSION_MAX_AGE_SECONDS',
    integer(60, 31_536_000),
    '604800',
    'Seconds after which users of the web app must sign in again.',
  ),
  publicMaxAgeSeconds: setting(
    'PUBLIC_MAX_AGE_SECONDS',
    integer(0, 31_536_000),
    '0',
    'Seconds for which caches may keep downloads of public datasets; 0: they revalidate each time.',
  ),
  drainTimeoutMs: setting(
    'DRAIN_TIMEOUT_MS',
    milliseconds(0),
    '8000',
    'Most milliseconds that a process takes to stop: running requests get four fifths of it, then their connections are closed; at the end it exits even if a component has not stopped.',
  ),
  drainIdleMs: setting(
    'DRAIN_IDLE_MS',
    milliseconds(0),
    '1000',
    'Milliseconds of DRAIN_TIMEOUT_MS for which an API process keeps idle connections, since a request may be on its way.',
  ),
} as const;
