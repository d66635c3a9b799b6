import { z } from 'zod';
import { isNetwork } from '../http/client-address.js';
import { isPublicUrl } from '../http/public-path.js';
import { flag, integer, KiB, list, MiB, optional, setting, text, url } from './setting.js';

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

/** As browsers send them; `none` stands for an empty list. */
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
  metricsPort: setting(
    'METRICS_PORT',
    optional(integer(0, 65_535)),
    undefined,
    'Port for /metrics alone; 0 takes a free one. Default: the port of the process. With npm start it is the API that has it.',
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    optional(z.string().regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 characters and no blank')),
    undefined,
    'Token without which /metrics is refused; a scraper sends it as Authorization: Bearer.',
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
    'Address under which clients reach this service, for links and the web app; the proxy in front removes its path, if it has one. Default: links without a host.',
  ),
  mcpHosts: setting(
    'MCP_HOSTS',
    optional(hostNames),
    undefined,
    'Comma-separated names under which /mcp is served besides that of PUBLIC_URL, addresses and localhost, such as tabulary.internal; under others a page could pose as the service (DNS rebinding).',
  ),
  mcpWrites: setting(
    'MCP_WRITES',
    flag,
    'false',
    'Offer assistants the tool keep_series, which makes datasets, to keys that may write.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    networks,
    '',
    'Comma-separated addresses or networks of proxies in front whose X-Forwarded-* headers are trusted.',
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
  headBytesInFlight: setting(
    'HEAD_BYTES_IN_FLIGHT',
    integer(2 * MiB),
    String(32 * MiB),
    'Memory for request heads that are not complete, in an API process: 16 heads of 256 kB are read at a time, the other connections are paused and take turns.',
  ),
  answerBytesInFlight: setting(
    'ANSWER_BYTES_IN_FLIGHT',
    integer(8 * MiB),
    String(128 * MiB),
    'Bytes of answers that an API process keeps for clients that have not read them; a quarter of it per account or address.',
  ),
  resultCacheBytes: setting(
    'RESULT_CACHE_BYTES',
    integer(0),
    String(64 * MiB),
    'Memory of an API process for small results of reads, which are then answered without ClickHouse; results above 256 KiB are not kept. 0 turns the cache off.',
  ),
  http10MaxBytes: setting(
    'HTTP10_MAX_BYTES',
    integer(0, 64 * MiB),
    String(8 * MiB),
    'Longest response of unknown length to a client or proxy that speaks HTTP/1.0: it is read whole to send its length, longer ones are refused with 426.',
  ),
  connections: setting(
    'CONNECTIONS',
    integer(16),
    '10000',
    'Connections to an API process at a time; a quarter of them for one address that is neither local nor one of TRUSTED_PROXIES.',
  ),
  requestsInFlight: setting(
    'REQUESTS_IN_FLIGHT',
    integer(4),
    '16',
    'Short requests that an API process works on at a time; a quarter of them for one account or address.',
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
    'Event streams of an API process; an eighth of them for one account or address.',
  ),
  requestWaitMs: setting(
    'REQUEST_WAIT_MS',
    integer(100, 300_000),
    '15000',
    'Milliseconds that a short request waits for its turn; then it is answered with 503.',
  ),
  answerWaitMs: setting(
    'ANSWER_WAIT_MS',
    integer(100, 300_000),
    '30000',
    'The same for downloads, files and requests to providers.',
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
    'Comma-separated methods that pages of those origins may use; default: every method for listed origins, GET,HEAD,POST for * (requests that change something are refused there anyway).',
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
    'Seconds after which people who are signed in to the web app have to sign in again.',
  ),
  publicMaxAgeSeconds: setting(
    'PUBLIC_MAX_AGE_SECONDS',
    integer(0, 31_536_000),
    '0',
    'Seconds that caches may keep downloads of public datasets; 0: they revalidate each time.',
  ),
  drainTimeoutMs: setting(
    'DRAIN_TIMEOUT_MS',
    integer(0),
    '8000',
    'Most milliseconds that a process takes to stop: running requests get four fifths of them, then their connections are closed; at the end it exits even if a part has not stopped.',
  ),
  drainIdleMs: setting(
    'DRAIN_IDLE_MS',
    integer(0),
    '1000',
    'How many of these milliseconds an API process keeps idle connections, since a request may be on its way.',
  ),
} as const;
