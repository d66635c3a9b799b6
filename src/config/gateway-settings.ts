import { z } from 'zod';
import { integer, list, MiB, optional, setting, text } from './setting.js';

/** `name=value` pairs; messages never quote them, since values may be secrets. */
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

/** Variables of the provider gateway. */
export const gatewaySettings = {
  masterKeys: setting(
    'MASTER_KEYS',
    optional(masterKeys),
    undefined,
    'Comma-separated id:base64 keys of 32 bytes that seal the provider keys of users; the first seals, all of them open. npm start makes one in DATA_DIR/master-keys; without one no key can be stored.',
    { secret: true },
  ),
  providerKeys: setting(
    'PROVIDER_KEYS',
    optional(pairs),
    undefined,
    'Comma-separated slug=key: keys of the service itself at providers.',
    { secret: true },
  ),
  providerUrls: setting(
    'PROVIDER_URLS',
    optional(pairs),
    undefined,
    'Comma-separated slug=url: addresses in place of those that connectors know; slug.name=url for a further address of one.',
  ),
  providerLimits: setting(
    'PROVIDER_LIMITS',
    optional(pairs),
    undefined,
    'Comma-separated slug=rates: limits with a key in place of those of a free one, such as alphavantage=75/minute or bls=5/second+2000/day. They hold for every key of that provider.',
  ),
  providersFile: setting(
    'PROVIDERS_FILE',
    optional(text),
    undefined,
    'YAML file with records of own sources (SDMX, CSV, JSON-stat), see docs/own-sources.md; read at start.',
  ),
  feedProvider: setting('FEED_PROVIDER', text, 'fred', 'Slug of the provider behind /feed.'),
  paidProviders: setting(
    'PAID_PROVIDERS',
    optional(list),
    undefined,
    'Comma-separated slugs of providers that need a plan with paid providers.',
  ),
  gatewayUserAgent: setting(
    'GATEWAY_USER_AGENT',
    z.string().regex(/^[\x20-\x7e]{1,200}$/, 'must be at most 200 printable ASCII characters'),
    'tabulary',
    'User-Agent sent to providers; add a contact address, without which some refuse requests.',
  ),
  gatewayMaxQueueMs: setting(
    'GATEWAY_MAX_QUEUE_MS',
    integer(0, 60_000),
    '5000',
    'Longest time in milliseconds that a request may queue for a provider; requests that would wait longer get 429.',
  ),
  gatewayMaxHoldMs: setting(
    'GATEWAY_MAX_HOLD_MS',
    integer(1_000, 86_400_000),
    '3600000',
    'Longest hold of a provider that asks for a pause, in milliseconds; then one probe request. A daily limit that the provider names ends at its midnight.',
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
    integer(0),
    String(7 * 24 * 60 * 60 * 1000),
    'Milliseconds past its expiry for which a cached response is served while its provider is down.',
  ),
  gatewayOperationTimeoutMs: setting(
    'GATEWAY_OPERATION_TIMEOUT_MS',
    integer(1000, 600_000),
    '60000',
    'Milliseconds that a caller waits for a provider, over all requests; then 504. Structures are still fetched to the end.',
  ),
  gatewayBackfillVintages: setting(
    'GATEWAY_BACKFILL_VINTAGES',
    integer(1, 100),
    '50',
    'Vintages of a provider that one step of a backfill loads; fewer of long series.',
  ),
  gatewayIntervalMs: setting(
    'GATEWAY_INTERVAL_MS',
    integer(100),
    '60000',
    'Milliseconds between runs of housekeeping: search index, cached responses, due refreshes.',
  ),
} as const;
