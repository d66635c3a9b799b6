import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayCaller } from '../../../src/gateway/caller.js';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.js';
import type { Telemetry } from '../../../src/gateway/telemetry.js';
import { AppError } from '../../../src/lib/errors.js';
import type { Provider } from '../../../src/providers/provider.js';
import { allProviders } from '../../../src/providers/registry.js';
import { openDatabase, type TestDatabase } from '../../integration/gateway/database.js';
import { leasesOf } from '../../support/leases.js';

const canary = `canary${randomBytes(13).toString('hex')}`;
const ownKey = `${canary}0own`;
const serviceKey = `${canary}service`;

let database: TestDatabase;
let upstream: Server;
let gateway: Gateway;
let account = 0;
/** Advances by a month with every operation, so that cache entries expire and circuits close. */
let nowMs = Date.now();
/** Everything that leaves the gateway: log lines, metric labels, answers, errors. */
const seen: string[] = [];

const note =
  (name: string) =>
  (...values: unknown[]): void => {
    seen.push(`${name} ${JSON.stringify(values)}`);
  };

const telemetry: Telemetry = {
  upstreamCall: note('call'),
  answered: note('answered'),
  unexpectedReply: note('unexpected'),
  flaggedValues: note('flagged'),
  queue: note('queue'),
  denied: note('denied'),
};

/** Removes the provider's own limits, since every operation must reach the upstream. */
const unlimited = (provider: Provider): Provider => ({
  ...provider,
  limits: { maxConcurrent: 4 },
  timeoutMs: 30_000,
});

const unlimitedProviders = allProviders.map(unlimited);

beforeAll(async () => {
  database = await openDatabase();
  account = await database.addAccount('canary');
  upstream = await startEchoUpstream();
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const bases = unlimitedProviders.flatMap(({ slug, otherBaseUrls }) => [
    [slug, baseUrl],
    ...Object.keys(otherBaseUrls ?? {}).map((name) => [`${slug}.${name}`, baseUrl]),
  ]);
  gateway = createGateway({
    settings: {
      providers: unlimitedProviders,
      masterKeys: [{ id: 'm', bytes: randomBytes(32) }],
      serviceKeys: Object.fromEntries(unlimitedProviders.map(({ slug }) => [slug, serviceKey])),
      baseUrls: Object.fromEntries(bases),
      feedProvider: 'fred',
      paidProviders: [],
      userAgent: 'test',
      retries: 1,
      firstRetryWaitMs: 1,
      maxQueueMs: 1_000,
    },
    sql: database.sql,
    leases: leasesOf(database.sql),
    log: pino({ level: 'trace' }, { write: (line: string) => seen.push(line) }),
    telemetry,
    now: () => nowMs,
  });
});
afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await database.close();
});

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** KEY is replaced by the key of the request, in several spellings. */
  readonly body: string;
}
const answers: readonly [string, Answer][] = [
  [
    'JSON',
    { body: '{"error":"KEY","message":["KEY"],"request":{"key":"KEY"},"status":"REQUEST_NOT_PROCESSED"}' },
  ],
  ['a list', { body: '[{"message":[{"id":"120","key":"KEY","value":"KEY"}]}]' }],
  ['a limit notice', { body: '{"Information":"25 requests per day for KEY","Note":"KEY"}' }],
  [
    'a good reply with the key as label',
    { body: '{"seriess":[{"id":"KEY","title":"KEY"}],"bestMatches":[{"1. symbol":"KEY","2. name":"KEY"}]}' },
  ],
  [
    'XML',
    {
      body: '<m:Error xmlns:m="m"><m:ErrorMessage code="999"><m:Text>KEY</m:Text></m:ErrorMessage></m:Error>',
    },
  ],
  ['400', { status: 400, body: '{"error_code":400,"error_message":"Bad Request.  KEY is not registered"}' }],
  ['401', { status: 401, body: 'KEY' }],
  ['403', { status: 403, body: '{"error":{"code":"API_KEY_INVALID","message":"KEY"}}' }],
  ['404', { status: 404, body: '{"message":"KEY"}' }],
  ['429', { status: 429, headers: { 'retry-after': '0' }, body: 'KEY' }],
  ['500', { status: 500, body: '<html>at https://x.example/?key=KEY</html>' }],
  ['a redirect', { status: 302, headers: { location: 'https://evil.example/?k=KEY' }, body: '' }],
];

let answer: Answer = { body: '' };
/** Requests that carried one of the keys. */
let keyed = 0;

const keyIn = (text: string): string => [ownKey, serviceKey].find((key) => text.includes(key)) ?? 'no key';

/** Starts an upstream that echoes the key of the request. */
const startEchoUpstream = async (): Promise<Server> => {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    const key = keyIn(JSON.stringify([request.url, request.headers, body]));
    if (key !== 'no key') keyed += 1;
    const spellings = `${key} ${key.toUpperCase()} ${encodeURIComponent(key)}`;
    const headers = Object.entries(answer.headers ?? {}).map(([name, value]) => [
      name,
      value.replaceAll('KEY', key),
    ]);
    response.writeHead(answer.status ?? 200, Object.fromEntries(headers));
    response.end(answer.body.replaceAll('KEY', spellings));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const operations = (provider: Provider, caller: GatewayCaller): (() => Promise<unknown>)[] => {
  const { slug } = provider;
  const seriesId = provider.popularSeries[0]?.id ?? '';
  return [
    () => gateway.preview(caller, slug, seriesId),
    () => gateway.fullSeries(caller, slug, seriesId, {}),
    () => gateway.browse(caller, slug, { path: '', depth: 2 }),
    () => gateway.browse(caller, slug, { path: 'a', depth: 1 }),
    () => gateway.seriesAt(caller, slug, { path: 'a/b', limit: 10, offset: 0 }),
    () => gateway.search(caller, slug, 'gdp'),
  ];
};

/** Answer or AppError of an operation a month later; any other error is a bug. */
const outcomeOf = async (work: () => Promise<unknown>): Promise<string> => {
  nowMs += 30 * 86_400_000;
  try {
    return JSON.stringify(await work());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.kind === 'unexpected') throw error;
    return JSON.stringify([error.message, error.code, error.details, error.retryAfterSeconds]);
  }
};

describe('canary keys', () => {
  it.each(unlimitedProviders.map((provider) => [provider.slug, provider] as const))(
    'of %s do not appear in answers, errors, logs, metrics or tables',
    async (slug, provider) => {
      seen.length = 0;
      const callers: GatewayCaller[] = [
        { accountId: undefined, share: 'ip', mayUsePaid: true },
        { accountId: account, share: 'account', mayUsePaid: true },
      ];
      await gateway.userKeys.put(account, slug, ownKey);
      keyed = 0;
      for (const [name, next] of answers) {
        answer = next;
        for (const caller of callers) {
          for (const operation of operations(provider, caller))
            seen.push(`${name}: ${await outcomeOf(operation)}`);
        }
        await database.sql.query('DELETE FROM gateway_pace');
      }
      const leaks = [canary, 'evil.example', 'x.example', '127.0.0.1:'];
      expect(seen.filter((line) => leaks.some((leak) => line.toLowerCase().includes(leak)))).toEqual([]);
      expect((await database.dump()).toLowerCase()).not.toContain(canary);
      // Proves that the key was actually sent.
      expect(keyed > 0).toBe(provider.key !== undefined);
    },
  );
});
