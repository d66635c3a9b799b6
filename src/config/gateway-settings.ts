import { z } from 'zod';
import { age, integer, list, MiB, milliseconds, optional, setting, text } from './setting.js';

/** `name=value` pairs. Error messages never quote them, since values may be secrets. */
const pairs = list.transform((items, context): Readonly<Record<string, string>> => {
  const entries = items.map((item): [string, string] => {
    const [name = ''] = item.split('=', 1);
    return [name.trim().toLowerCase(), item.slice(name.length + 1).trim()];
  });
  if (entries.some(([name, value]) => name === '' || value === ''))
    context.addIssue({ code: 'custom', message: 'must be a comma-separated list of name=value' });
  return Object.fromEntries(entries);
});

const masterKeys = list.refine(
  (items) => items.every((item) => /^[\w-]{1,32}:[A-Za-z0-9+/]{43}=$/.test(item)),
  'must be a comma-separated list of id:key, each key 32 bytes in base64',
);

/** Settings of the provider gateway. */
export const gatewaySettings = {
  masterKeys: setting(
    'MASTER_KEYS',
    optional(masterKeys),
    undefined,
    'Comma-separated id:base64 keys of 32 bytes that encrypt the provider keys of users; the first encrypts, all of them decrypt. npm start generates one in DATA_DIR/master-keys; without one, users cannot store keys.',
    { secret: true },
  ),
  providerKeys: setting(
    'PROVIDER_KEYS',
    optional(pairs),
    undefined,
    'Comma-separated slug=key: provider keys of the service itself.',
    { secret: true },
  ),
  providerUrls: setting(
    'PROVIDER_URLS',
    optional(pairs),
    undefined,
    'Comma-separated slug=url: addresses that replace the defaults of connectors; slug.name=url for another address of the same connector.',
  ),
  providerLimits: setting(
    'PROVIDER_LIMITS',
    optional(pairs),
    undefined,
    'Comma-separated slug=rates: request limits of paid keys, which replace those of free keys, such as alphavantage=75/minute or bls=5/second+2000/day. They apply to every key of that provider.',
  ),
  providersFile: setting(
    'PROVIDERS_FILE',
    optional(text),
    undefined,
    'YAML file that describes own sources (SDMX, CSV, JSON-stat), see docs/own-sources.md; read at start.',
  ),
  feedProvider: setting('FEED_PROVIDER', text, 'fred', 'Slug of the provider behind /feed.'),
  paidProviders: setting(
    'PAID_PROVIDERS',
    optional(list),
    undefined,
    'Comma-separated slugs of providers that only plans with paid providers may use.',
  ),
  gatewayUserAgent: setting(
    'GATEWAY_USER_AGENT',
    z.string().regex(/^[\x20-\x7e]{1,200}$/, 'must be at most 200 printable ASCII characters'),
    'tabulary',
    'User-Agent sent to providers; add a contact address, since some providers refuse requests without one.',
  ),
  gatewayMaxQueueMs: setting(
    'GATEWAY_MAX_QUEUE_MS',
    integer(0, 60_000),
    '5000',
    'Longest wait in milliseconds of the first request of an operation in the queue of a provider; one that would wait longer gets 429.',
  ),
  gatewayMaxHoldMs: setting(
    'GATEWAY_MAX_HOLD_MS',
    integer(1_000, 86_400_000),
    '3600000',
    'Longest pause in milliseconds that a provider can ask for; after it, one probe request is sent. If the provider reports a daily limit, the pause ends at its midnight.',
  ),
  gatewayCacheBytes: setting(
    'GATEWAY_CACHE_BYTES',
    integer(0),
    String(512 * MiB),
    'Bytes of provider responses cached in PostgreSQL.',
  ),
  gatewayMemoryBytes: setting(
    'GATEWAY_MEMORY_BYTES',
    integer(0),
    String(64 * MiB),
    'Bytes of provider responses that each API process caches in memory.',
  ),
  gatewayStaleMs: setting(
    'GATEWAY_STALE_MS',
    age(0),
    String(7 * 24 * 60 * 60 * 1000),
    'Milliseconds after its expiry for which a cached response is served while its provider is down.',
  ),
  gatewayOperationTimeoutMs: setting(
    'GATEWAY_OPERATION_TIMEOUT_MS',
    integer(1000, 600_000),
    '60000',
    'Milliseconds that a caller waits for all requests to a provider together; then it gets 504. Structures are still fetched to the end.',
  ),
  gatewayBackfillVintages: setting(
    'GATEWAY_BACKFILL_VINTAGES',
    integer(1, 100),
    '50',
    'Vintages that one step of a backfill loads; fewer if series are long.',
  ),
  gatewayIntervalMs: setting(
    'GATEWAY_INTERVAL_MS',
    milliseconds(100),
    '60000',
    'Milliseconds between housekeeping runs: search index, cached responses, due refreshes.',
  ),
} as const;
