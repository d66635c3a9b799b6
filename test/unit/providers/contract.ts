import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderObservations } from '../../../src/gateway/observations.js';
import { resolveParams } from '../../../src/gateway/params.js';
import { AppError } from '../../../src/lib/errors.js';
import type { Provider, SeriesData } from '../../../src/providers/provider.js';
import { type OpenedConnector, openConnector } from '../../support/connector.js';
import type { Exchange } from '../../support/replay-upstream.js';

export interface ConnectorCase {
  readonly provider: Provider;
  readonly exchanges: readonly Exchange[];
  /** A series that the exchanges can answer in preview and in full. */
  readonly series: { readonly id: string; readonly params?: Readonly<Record<string, unknown>> };
  /** Well-formed id of an unknown series, with an exchange that reports it. */
  readonly unknownSeries: string;
  /** Paths that the exchanges can answer; for capability `hierarchical`. */
  readonly folderPath?: readonly string[];
  readonly seriesPath?: readonly string[];
  readonly unknownPath?: readonly string[];
  /** A query with at least one hit; for connectors with a server search. */
  readonly query?: string;
  /** Reply to a refused key; for connectors with a key. */
  readonly keyRefused?: Pick<Exchange, 'status' | 'headers' | 'reply'>;
  /** Reply when the limit is reached, in addition to HTTP 429. */
  readonly limitReached?: Pick<Exchange, 'status' | 'headers' | 'reply'>;
}

/** Unique, so that tests can search for it. 36 characters, like the longest real keys. */
export const canaryKey = 'cafe0000-canary-key-0000-0000feedbeef';

/** Registers a test only if it applies to the connector. */
const itWhen =
  (applies: boolean) =>
  (title: string, work: () => Promise<void> | void): void => {
    if (applies) it(title, work);
  };

const caught = async (work: () => Promise<unknown>): Promise<AppError> => {
  const failure = await work().then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(failure instanceof AppError)) throw failure;
  return failure;
};

const wholeText = (error: AppError): string =>
  JSON.stringify([
    error.message,
    error.details,
    error.code,
    String((error.cause as Error | undefined)?.message),
  ]);

const describeRecord = ({ provider, ...sample }: ConnectorCase): void => {
  it('is a complete record', () => {
    expect(provider.slug).toMatch(/^[a-z][a-z0-9]*$/);
    expect(provider.name.trim()).not.toBe('');
    expect(provider.provider.trim()).not.toBe('');
    expect(provider.description.length).toBeGreaterThan(30);
    expect(provider.popularSeries.length).toBeGreaterThan(0);
    expect(provider.seriesIdPlaceholder).not.toBe('');
    expect(new URL(provider.baseUrl).protocol).toBe('https:');
    expect(provider.baseUrl).not.toMatch(/\/$/);
    expect(provider.limits.maxConcurrent).toBeGreaterThan(0);
    expect(Object.values(provider.validity).every((seconds) => seconds > 0)).toBe(true);
    expect(provider.timeoutMs).toBeGreaterThanOrEqual(5_000);
    const rate = provider.key?.required === true ? provider.limits.keyed : provider.limits.anonymous;
    expect(Object.values(rate ?? {}).length).toBeGreaterThan(0);
    if (provider.limits.resetZone !== undefined) {
      expect(() => new Intl.DateTimeFormat('en', { timeZone: provider.limits.resetZone })).not.toThrow();
    }
  });

  it('declares exactly the capabilities that it has functions for', () => {
    const { capabilities } = provider;
    expect(capabilities.includes('hierarchical')).toBe(provider.browse !== undefined);
    expect(capabilities.includes('hierarchical')).toBe(provider.seriesAt !== undefined);
    expect(capabilities.includes('search')).toBe((provider.search ?? provider.listAll) !== undefined);
    const bounds = provider.parameters.filter(({ key }) => key === 'start' || key === 'end');
    if (capabilities.includes('direct')) expect(bounds).toHaveLength(2);
    if (capabilities.includes('hierarchical')) expect(sample.unknownPath).toBeDefined();
    if (provider.search !== undefined) expect(sample.query).toBeDefined();
    if (provider.key !== undefined) expect(sample.keyRefused).toBeDefined();
  });

  it('defines parameters that accept their own defaults', () => {
    for (const parameter of provider.parameters) {
      expect(parameter.label).not.toBe('');
      expect(parameter.type === 'select').toBe((parameter.values?.length ?? 0) > 0);
    }
    expect(new Set(provider.parameters.map(({ key }) => key)).size).toBe(provider.parameters.length);
    expect(() => resolveParams(provider, {})).not.toThrow();
  });
};

const expectSeries = (provider: Provider, id: string, { label, metadata, data }: SeriesData): void => {
  expect(label.trim()).not.toBe('');
  expect(metadata).toBeTypeOf('object');
  // Throws for an invalid date, an invalid number, or two values for one date.
  const ordered = orderObservations(provider, id, data);
  expect(ordered.length).toBeGreaterThan(0);
  expect(ordered.some(({ value }) => value !== null)).toBe(true);
};

const describeReading = (sample: ConnectorCase, opened: () => OpenedConnector): void => {
  const { provider, series } = sample;
  const params = resolveParams(provider, series.params ?? {});

  it('reads a preview', async () => {
    expectSeries(provider, series.id, await provider.preview(series.id, params, opened().ctx));
  });

  it('reads a full series', async () => {
    expectSeries(provider, series.id, await provider.series(series.id, params, opened().ctx));
  });

  it('reports an unknown series as not found', async () => {
    for (const call of [provider.preview, provider.series]) {
      const error = await caught(() => call(sample.unknownSeries, params, opened().ctx));
      expect(error).toMatchObject({ kind: 'not_found' });
    }
  });

  it('sent no request that was not recorded', () => {
    expect(opened().upstream.unmatched).toEqual([]);
  });
};

const describeFinding = (sample: ConnectorCase, opened: () => OpenedConnector): void => {
  const { provider } = sample;

  itWhen(provider.browse !== undefined)('lists folders with distinct segments', async () => {
    const folders = (await provider.browse?.(sample.folderPath ?? [], opened().ctx)) ?? [];
    expect(folders.length).toBeGreaterThan(0);
    expect(new Set(folders.map(({ segment }) => segment)).size).toBe(folders.length);
    expect(folders.every(({ label, segment }) => label.trim() !== '' && segment !== '')).toBe(true);
  });

  itWhen(provider.seriesAt !== undefined && sample.seriesPath !== undefined)(
    'pages the series at a path',
    async () => {
      const at = (limit: number, offset: number) =>
        provider.seriesAt?.(sample.seriesPath ?? [], { limit, offset }, opened().ctx);
      const page = await at(200, 0);
      expect(page?.items.length).toBeGreaterThan(0);
      expect(page?.items.every(({ id, label }) => id !== '' && label.trim() !== '')).toBe(true);
      if (page?.total !== undefined) expect(page.total).toBeGreaterThanOrEqual(page.items.length);
    },
  );

  itWhen(provider.browse !== undefined)('reports an unknown path as not found', async () => {
    const error = await caught(
      () => provider.browse?.(sample.unknownPath ?? [], opened().ctx) ?? Promise.resolve(),
    );
    expect(error).toMatchObject({ kind: 'not_found' });
  });

  itWhen(provider.search !== undefined)('finds items', async () => {
    const items = (await provider.search?.(sample.query ?? '', opened().ctx)) ?? [];
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ id, label }) => id !== '' && label.trim() !== '')).toBe(true);
  });

  itWhen(provider.listAll !== undefined)('lists everything for the index, each id once', async () => {
    const ids: string[] = [];
    for await (const item of provider.listAll?.(opened().ctx) ?? []) ids.push(item.id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });
};

/** Replies that no upstream uses for data, with the kind of error that they must become. */
const badReplies: readonly [string, Pick<Exchange, 'status' | 'headers' | 'reply'>, AppError['kind']][] = [
  [
    'HTTP 500 with a page',
    { status: 500, reply: '<html><body>Internal error at https://secret.example/x</body></html>' },
    'upstream',
  ],
  ['HTTP 503', { status: 503, reply: '' }, 'upstream'],
  ['HTTP 429', { status: 429, headers: { 'retry-after': '7' }, reply: 'Too Many Requests' }, 'rate_limited'],
  [
    'HTTP 200 with a page',
    { status: 200, reply: '<!DOCTYPE html><html><body>Maintenance</body></html>' },
    'upstream',
  ],
  ['a JSON object of another form', { status: 200, reply: { surprise: true } }, 'upstream'],
  ['a JSON list of another form', { status: 200, reply: [1, 2, 3] }, 'upstream'],
  ['truncated JSON', { status: 200, reply: '{"observations":[{"d":"2026-01-0' }, 'upstream'],
];

const describeFailing = (sample: ConnectorCase, opened: () => OpenedConnector): void => {
  const { provider, series } = sample;
  const params = resolveParams(provider, series.params ?? {});

  const failWith = async (answer: Pick<Exchange, 'status' | 'headers' | 'reply'>): Promise<AppError[]> => {
    const { ctx, upstream } = opened();
    upstream.answerAll(answer);
    try {
      return [
        await caught(() => provider.preview(series.id, params, ctx)),
        await caught(() => provider.series(series.id, params, ctx)),
      ];
    } finally {
      upstream.answerAll(undefined);
    }
  };

  it.each(badReplies)('turns %s into an error', async (_name, answer, kind) => {
    for (const error of await failWith(answer)) {
      expect(error.kind).toBe(kind);
      expect(error.message).toContain(provider.name);
      expect(wholeText(error)).not.toMatch(/secret\.example|127\.0\.0\.1|<html/i);
    }
  });

  it('passes on Retry-After', async () => {
    for (const error of await failWith({ status: 429, headers: { 'retry-after': '7' }, reply: '' })) {
      expect(error.retryAfterSeconds).toBe(7);
    }
  });

  itWhen(sample.limitReached !== undefined)('recognises the limit notice of the upstream', async () => {
    for (const error of await failWith(sample.limitReached ?? { reply: '' }))
      expect(error.kind).toBe('rate_limited');
  });

  itWhen(sample.keyRefused !== undefined)('recognises a refused key and does not reveal it', async () => {
    for (const error of await failWith(sample.keyRefused ?? { reply: '' })) {
      expect(error).toMatchObject({ kind: 'invalid', code: 'upstream_key_refused' });
      expect(wholeText(error)).not.toContain(canaryKey);
    }
  });

  it('redacts its key in errors that echo it', async () => {
    const echo = {
      status: 400,
      reply: { error: `key ${canaryKey} at https://x.example/?k=${encodeURIComponent(canaryKey)}` },
    };
    for (const error of await failWith(echo)) expect(wholeText(error)).not.toContain(canaryKey);
  });
};

const oddIds = [
  '../../etc/passwd',
  'a/../../b',
  'x?y=z&api_key=1',
  'x#y',
  'x%2e%2e/',
  'ä ö',
  '',
  ' ',
  'a\u0000b',
  '\ud800',
];

const describeAddressing = (sample: ConnectorCase, opened: () => OpenedConnector): void => {
  const { provider } = sample;

  it.each(oddIds)('keeps the id %j inside the path or the query', async (id) => {
    const { ctx, upstream } = opened();
    const before = upstream.calls.length;
    await caught(() => provider.series(id, resolveParams(provider, {}), ctx));
    for (const call of upstream.calls.slice(before)) {
      const { pathname, searchParams } = new URL(call.url, upstream.baseUrl);
      expect(call.url.split('?')[0]).toBe(pathname);
      expect(pathname).not.toContain('passwd/..');
      expect(searchParams.get('y')).toBeNull();
    }
  });

  itWhen(provider.key !== undefined)('sends its key only where the record says', () => {
    const where = provider.key?.where;
    const calls = opened().upstream.calls.filter(({ url }) => !url.startsWith('/~'));
    const keyed = calls.filter(({ url, headers, body }) =>
      JSON.stringify([url, headers, body]).includes(canaryKey),
    );
    expect(keyed.length).toBeGreaterThan(0);
    for (const { url, headers, body } of keyed) {
      const inQuery = new URL(url, 'http://x').searchParams.get(where?.name ?? '') === canaryKey;
      const inHeader = headers[where?.name.toLowerCase() ?? ''] === canaryKey;
      const inBody = body.includes(canaryKey);
      expect({ query: inQuery, header: inHeader, body: inBody }).toMatchObject({ [where?.in ?? '']: true });
      expect([inQuery, inHeader, inBody].filter(Boolean)).toHaveLength(1);
    }
  });
};

/** Contract of every connector. The test of each connector adds its dates, values, paging and peculiarities. */
export const describeConnector = (sample: ConnectorCase): void => {
  describe(`${sample.provider.slug}: contract`, () => {
    let connector: OpenedConnector | undefined;
    const opened = (): OpenedConnector => {
      if (connector === undefined) throw new Error('not open');
      return connector;
    };
    beforeAll(async () => {
      const key = sample.provider.key === undefined ? {} : { apiKey: canaryKey };
      connector = await openConnector(sample.provider, { exchanges: sample.exchanges, ...key });
    });
    afterAll(() => connector?.close());

    describeRecord(sample);
    describeReading(sample, opened);
    describeFinding(sample, opened);
    describeFailing(sample, opened);
    describeAddressing(sample, opened);
  });
};
