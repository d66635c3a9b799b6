/** No permitted request keeps others waiting: the longest turn of the event loop for each kind of hostile input. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../src/http/app.js';
import { readFileForm } from '../../../src/http/multipart.js';
import { anyCaller, ok, type Route, route } from '../../../src/http/route.js';
import type { HttpServer } from '../../../src/http/server.js';
import { matchFields } from '../../../src/ingest/layout/column-match.js';
import { parseUploadOptions, uploadOptionSteps } from '../../../src/ingest/upload/upload-options.js';
import { AppError, isAppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics.js';
import { runYielding } from '../../../src/lib/yielding.js';
import type { StoredColumn } from '../../../src/model/column.js';
import { compileFilterYielding, type FilterColumn } from '../../../src/query/filter/filter.js';
import { longestTurn } from '../../support/pauses.js';

/**
 * Milliseconds of processor time that pass. What is promised is 50, on a machine that does nothing else: beside other
 * work, the same steps take twice the processor time.
 */
const mostMs = 150;

/** The longest pause of work that was done before: the first time, what is compiled is the code. */
const pauseOf = async (work: () => Promise<unknown>): Promise<number> => {
  await work();
  return longestTurn(work);
};

const MiB = 1024 * 1024;

/** What is refused is refused as the caller's mistake. */
const refused = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
};

const repeated = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));
const columnsOf = (count: number, column: (index: number) => object): string =>
  JSON.stringify({ columns: Array.from({ length: count }, (_, index) => column(index)) });

describe('a manifest of 8 MiB', () => {
  const manifests: [string, string][] = [
    ['empty arrays', `{"columns":[${repeated('[],', 8 * MiB - 64)}[]]}`],
    ['numbers', `{"columns":[${repeated('1,', 8 * MiB - 64)}1]}`],
    ['brackets', repeated('[', 8 * MiB)],
    ['one text', `{"columns":[{"name":"${'x'.repeat(8 * MiB - 64)}"}]}`],
    ['escapes', `{"columns":[{"name":"${repeated('\\u0041', 8 * MiB - 64)}"}]}`],
    ['four-byte characters', `{"columns":[{"name":"${'😀'.repeat(2 * MiB - 64)}"}]}`],
    ['10,000 long names', columnsOf(10_000, (index) => ({ name: 'n'.repeat(780) + index }))],
    [
      '10,000 long names and ids',
      columnsOf(10_000, (index) => ({ name: 'n'.repeat(200) + index, id: index + 1 })),
    ],
    ['10,000 names that are one', columnsOf(10_000, () => ({ name: 'n'.repeat(780) }))],
    [
      '10,000 date formats',
      columnsOf(10_000, (index) => ({ name: `c${index}`, dateFormat: `%Y-%m-%d${'x'.repeat(180)}` })),
    ],
    [
      '10,000 descriptions',
      columnsOf(10_000, (index) => ({ name: `c${index}`, description: 'd'.repeat(700) })),
    ],
    [
      '20,000 unknown members',
      columnsOf(2, () => Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`member${at}`, 1]))),
    ],
    ['60,000 mistakes', columnsOf(20_000, () => ({ name: '', id: 'x', dataType: 'y', isEntity: 3 }))],
  ];
  it.each(manifests)('%s', async (_, value) => {
    const turn = await pauseOf(() =>
      refused(() => runYielding(uploadOptionSteps([{ name: 'manifest', value }]))),
    );
    expect(turn).toBeLessThan(mostMs);
  });
});

describe('columns of a file and of a dataset', () => {
  it('10,000 long names that differ at their ends', async () => {
    const named = (index: number): string => `${'n'.repeat(1_590)}${String(index).padStart(6, '0')}`;
    const columns = Array.from(
      { length: 10_000 },
      (_, index): StoredColumn => ({
        id: index + 1,
        storageId: index + 1,
        name: named(index),
        physical: 'f',
        dataType: 'Decimal',
        isEntity: false,
        description: null,
      }),
    );
    // Names that were read from bytes, as those of a header are: not the same strings.
    const names = columns.map(({ name }) => Buffer.from(name).toString());
    const options = parseUploadOptions([{ name: 'mode', value: 'append' }]);
    const base = { versionId: 1, columns } as unknown as Parameters<typeof matchFields>[2];
    let matched = 0;
    const turn = await pauseOf(async () => {
      matched = matchFields(names, options, base).filter(({ existing }) => existing !== undefined).length;
    });
    expect(matched).toBe(10_000);
    expect(turn).toBeLessThan(mostMs);
  });
});

describe('a filter of 1 MiB', () => {
  const columns = [
    { id: 1, name: 'N', dataType: 'Decimal', physical: 'f', sql: 'c1_f' },
    { id: 2, name: 'T', dataType: 'String', physical: 's', sql: 'c2_s' },
    { id: 3, name: 'D', dataType: 'Date', physical: 'd', sql: 'c3_d' },
    { id: 4, name: 'E', dataType: 'Decimal', physical: 'n38_10', sql: 'c4_n38_10' },
  ] as unknown as readonly FilterColumn[];
  const limits = { maxBytes: MiB, maxInTerms: 50_000, maxSqlLength: 48 * MiB };
  const many = (count: number, item: (index: number) => string, separator = ','): string =>
    Array.from({ length: count }, (_, index) => item(index))
      .join(separator)
      .slice(0, MiB);
  const day = (index: number): string => `2020-01-${String((index % 28) + 1).padStart(2, '0')}`;
  it.each<[string, string]>([
    ['50,000 numbers', `N in (${many(50_000, String)})`],
    ['50,000 decimals', `N in (${many(50_000, (index) => `${index}.123456789`)})`],
    ['50,000 exact decimals', `E in (${many(50_000, (index) => `${index}.123456789`)})`],
    ['50,000 texts', `T in (${many(50_000, (index) => `'text ${index}'`)})`],
    ['50,000 days', `D in (${many(50_000, day)})`],
    ['50,000 quarters', `D in (${many(50_000, (index) => `'${1900 + (index % 200)}-Q${(index % 4) + 1}'`)})`],
    ['numbers that are none', `N in (${many(50_000, (index) => (index < 49_999 ? `${index}` : "'x'"))})`],
    ['comparisons', many(50_000, (index) => `N eq ${index}`, ' or ')],
    ['calculations', many(30_000, (index) => `N add ${index} gt E`, ' or ')],
    ['searches', many(30_000, (index) => `contains(T,'a${index}')`, ' and ')],
    ['unknown columns', many(50_000, (index) => `X${index} eq 1`, ' or ')],
    ['one text', `T eq '${'x'.repeat(MiB - 64)}'`],
  ])('%s', async (_, text) => {
    const compile = () => refused(() => compileFilterYielding(text, columns, limits));
    expect(await pauseOf(compile)).toBeLessThan(mostMs);
  });
});

describe('form fields', () => {
  const bodyOf = (fields: readonly string[]): Buffer => {
    const parts = fields.map((text) => `--b\r\nContent-Disposition: form-data; ${text}\r\n`);
    return Buffer.from(
      `${parts.join('')}--b\r\nContent-Disposition: form-data; name="data"\r\n\r\na\n1\n\r\n--b--\r\n`,
    );
  };
  const form = (body: Buffer): Promise<unknown> => {
    // As they come from a connection: so many at most in one turn.
    const pieces = async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at * 65_536 < body.length; at += 1) {
        if (at % 32 === 31) await setImmediate();
        yield body.subarray(at * 65_536, (at + 1) * 65_536);
      }
    };
    const request = Object.assign(Readable.from(pieces()), {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      complete: true,
    });
    return readFileForm(request as never, {
      part: 'data',
      idleMs: 5_000,
      kept: { add: () => undefined, close: () => undefined },
      stop: new AbortController().signal,
    });
  };
  it.each<[string, string[]]>([
    ['one of 8 MiB', [`name="manifest"\r\n\r\n${'x'.repeat(8 * MiB - 1_000)}`]],
    ['8 MiB of almost-boundaries', [`name="manifest"\r\n\r\n${repeated('\r\n--', 8 * MiB - 1_000)}`]],
    ['64 of them', Array.from({ length: 64 }, (_, at) => `name="f${at}"\r\n\r\n${'y'.repeat(100_000)}`)],
    ['10,000 of them', Array.from({ length: 10_000 }, () => 'name="f"\r\n\r\nz')],
    ['a part with a header of 8 MiB', [`name="${'n'.repeat(8 * MiB - 1_000)}"\r\n\r\nz`]],
    ['names of backslashes', [`name="${'\\'.repeat(7_000)}"\r\n\r\nz`]],
  ])('%s', async (_, fields) => {
    const body = bodyOf(fields);
    expect(await pauseOf(() => refused(() => form(body)))).toBeLessThan(mostMs);
  });
});

describe('a request', () => {
  const shared = {
    summary: 's',
    tags: ['t'],
    auth: 'optional',
    responses: { 200: { description: 'd' } },
  } as const;
  const routes: Route[] = [
    route({
      ...shared,
      method: 'POST',
      path: '/things',
      body: z.object({ a: z.array(z.int()).optional(), b: z.string().optional() }),
      authorize: anyCaller,
      handler: () => ok({}),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/things/*rest',
      params: z.object({ rest: z.string() }),
      query: z.object({ $filter: z.string().optional() }),
      handler: () => ok({}),
    }),
  ];
  let app: HttpServer;
  let port: number;
  beforeAll(async () => {
    app = createApp({
      routes,
      rootRoutes: [],
      authenticate: () => Promise.reject(new AppError('unauthenticated', 'unknown_key', 'unknown')),
      log: silentLog,
      metrics: createMetrics(),
      version: '1',
      documents: false,
      maxRefusalDelayMs: 0,
    });
    port = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.close(0));

  const send = async (text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (piece) => {
      answer += String(piece);
    });
    socket.on('error', () => undefined);
    socket.write(text);
    await once(socket, 'close');
    return answer.slice(0, 15);
  };
  const get = (path: string, headers = ''): string =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`;
  const post = (body: string): string =>
    `POST /api/things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const kib = 1_024;

  it.each<[string, string, RegExp]>([
    ['60,000 parameters', get(`/api/things/x?${repeated('a&', 120 * kib)}`), / 400$/],
    ['30,000 parameters that are ignored', get(`/api/things/x?${repeated('_a=1&', 150 * kib)}`), / 400$/],
    ['30,000 keys', get(`/api/things/x?${repeated('apiKey=1&', 200 * kib)}`), / 401$/],
    ['200 kB of escapes', get(`/api/things/x?$filter=${repeated('%41', 200 * kib)}`), / 200$/],
    ['200 kB of broken escapes', get(`/api/things/x?$filter=${repeated('%ff', 200 * kib)}`), / 400$/],
    ['a path of 200 kB', get(`/api/things/${repeated('x/', 200 * kib)}`), / \d\d\d$/],
    ['a path of 200 kB of escapes', get(`/api/things/${repeated('%2f', 200 * kib)}`), / \d\d\d$/],
    ['a path of slashes', get(`/${'/'.repeat(200 * kib)}`), / \d\d\d$/],
    ['a cookie of 200 kB', get('/api/things/x', `Cookie: ${repeated('a=b; ', 200 * kib)}\r\n`), / 200$/],
    [
      'a key of 200 kB',
      get('/api/things/x', `Authorization: Basic ${'A'.repeat(200 * kib)}\r\n`),
      / [45]\d\d$/,
    ],
    [
      'an Accept of 200 kB',
      get('/api/things/x', `Accept: ${repeated('a/b;q=0.1,', 200 * kib)}\r\n`),
      / 200$/,
    ],
    [
      'addresses of 200 kB',
      get('/api/things/x', `X-Forwarded-For: ${repeated('1.1.1.1, ', 200 * kib)}\r\n`),
      / 200$/,
    ],
    ['10,000 headers', get('/api/things/x', repeated('A: b\r\n', 60_000)), / \d\d\d$/],
    ['headers beyond the bound', get('/api/things/x', `A: ${'b'.repeat(400 * kib)}\r\n`), / 431$/],
    ['1 MiB of numbers', post(`{"a":[${repeated('1,', 900 * kib)}1]}`), / 400$/],
    [
      '1 MiB of wrong numbers',
      post(`{"a":[${repeated('"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",', 900 * kib)}1]}`),
      / 400$/,
    ],
    ['1 MiB of brackets', post('['.repeat(900 * kib)), / 400$/],
    [
      '1 MiB of members',
      post(`{${Array.from({ length: 19_000 }, (_, at) => `"member number ${at} of many": 1`).join()}}`),
      / 200$/,
    ],
    ['1 MiB of text', post(`{"b":"${'x'.repeat(900 * kib)}"}`), / 200$/],
    ['1 MiB of escapes', post(`{"b":"${repeated('\\u0041', 900 * kib)}"}`), / 200$/],
  ])('%s', async (_, text, status) => {
    let answer = '';
    const turn = await pauseOf(async () => {
      answer = await send(text);
    });
    expect(answer.slice(0, 12)).toMatch(status);
    expect(turn).toBeLessThan(mostMs);
  });
});
