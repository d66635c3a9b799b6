/** No request within the limits blocks others: each kind of hostile input is handled in short turns of the event loop. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { headerNames } from '../../../src/csv/header.js';
import { createRecordSplitter } from '../../../src/csv/record-splitter.js';
import { createApp } from '../../../src/http/app.js';
import { jsonList } from '../../../src/http/json-list.js';
import { type FileForm, readFileForm } from '../../../src/http/multipart.js';
import { anyCaller, ok, type Route, route } from '../../../src/http/route.js';
import type { HttpServer } from '../../../src/http/server.js';
import { AppError, isAppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import { runSliced } from '../../../src/lib/time-slicing.js';
import type { StoredColumn } from '../../../src/model/column.js';
import type { Notice } from '../../../src/model/process.js';
import { compileFilterYielding, type FilterColumn } from '../../../src/query/filter/filter.js';
import type { BaseVersion } from '../../../src/uploads/layout/base-version.js';
import { matchFields } from '../../../src/uploads/layout/column-match.js';
import { columnNotices } from '../../../src/uploads/layout/column-notices.js';
import { parseUploadOptions, uploadOptionSteps } from '../../../src/uploads/options/upload-options.js';
import { expectShortTurns } from '../../support/pauses.js';

const MiB = 1024 * 1024;

/** Runs work that may be refused with an AppError. */
const tolerateRefusal = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
};

const repeated = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));
const columnsOf = (count: number, column: (index: number) => object): string =>
  JSON.stringify({ columns: Array.from({ length: count }, (_, index) => column(index)) });

describe('a manifest of 8 MiB does not block the event loop', () => {
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
    ['10,000 equal names', columnsOf(10_000, () => ({ name: 'n'.repeat(780) }))],
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
  it.each(manifests)('with %s', async (_, value) => {
    await expectShortTurns(() =>
      tolerateRefusal(() => runSliced(uploadOptionSteps([{ name: 'manifest', value }]))),
    );
  });
});

describe('columns of a file and of a dataset do not block the event loop', () => {
  const named = (index: number): string => `${'n'.repeat(1_590)}${String(index).padStart(6, '0')}`;
  const all = Array.from({ length: 10_000 }, (_, index) => named(index));
  /** Copies decoded from bytes, like the names of a header: equal, but not the same strings. */
  const decodedCopies = (names: readonly string[]): string[] =>
    names.map((name) => Buffer.from(name).toString());
  const columns = all.map(
    (name, index): StoredColumn => ({
      id: index + 1,
      storageId: index + 1,
      name,
      physical: 'f',
      dataType: 'Decimal',
      isEntity: false,
      description: null,
    }),
  );
  const base = { versionId: 1, columns } as unknown as BaseVersion;

  it('with 10,000 long names that differ at their ends', async () => {
    const names = decodedCopies(all);
    const options = parseUploadOptions([{ name: 'mode', value: 'append' }]);
    let matched = 0;
    await expectShortTurns(async () => {
      const fields = await runSliced(matchFields(names, options, base));
      matched = fields.filter(({ existing }) => existing !== undefined).length;
    });
    expect(matched).toBe(10_000);
  });

  it('with 10,000 names that differ from others only in case', async () => {
    const fields = decodedCopies(all).map((name, field) => ({
      field,
      name: name.toUpperCase(),
      listed: undefined,
      existing: undefined,
    }));
    let notices: Notice[] = [];
    await expectShortTurns(async () => {
      notices = await runSliced(columnNotices(fields, parseUploadOptions([]), base));
    });
    expect(notices.filter(({ code }) => code === 'similar_names')).toHaveLength(5);
  });

  it.each(['upsert', 'delete'])('with a key of 300 long names, mode %s', async (mode) => {
    const names = decodedCopies(all);
    const key = { name: 'key', value: JSON.stringify(all.slice(-300)) };
    const options = parseUploadOptions([{ name: 'mode', value: mode }, key]);
    await expectShortTurns(() => runSliced(matchFields(names, options, base)));
  });

  it.each<[string, string]>([
    ['commas', ','],
    ['commas and semicolons', ';,'],
    ['quotes', '","'],
  ])('with a header of 16 MiB and %s', async (_, separator) => {
    const quote = separator.startsWith('"') ? '"' : '';
    const bytes = Buffer.from(`${quote}${all.join(separator)}${quote}\n1\n`);
    let names: readonly string[] = [];
    await expectShortTurns(async () => {
      const maxBytes = 32 * MiB;
      const sizes = {
        firstChunkBytes: MiB,
        chunkBytes: MiB,
        maxRecordBytes: maxBytes,
        maxCellsPerChunk: 1e6,
      };
      const splitter = createRecordSplitter(sizes);
      for (let at = 0; at < bytes.length; at += 65_536) {
        await runSliced(splitter.inSteps.push(bytes.subarray(at, at + 65_536)));
        await setImmediate();
      }
      names = splitter.header === undefined ? [] : await runSliced(headerNames(splitter.header));
    });
    expect(names).toHaveLength(10_000);
  });

  it('with lists of long names that are written concurrently', async () => {
    const views = columns.slice(0, 1_000);
    const write = async (): Promise<void> => {
      const { body } = jsonList(Readable.from([views, views]) as AsyncIterable<readonly object[]>);
      for await (const piece of body as Readable) expect(piece.length).toBeGreaterThan(0);
    };
    await expectShortTurns(() => Promise.all(Array.from({ length: 24 }, write)));
  });
});

describe('a filter of 1 MiB does not block the event loop', () => {
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
    [
      'a text among 50,000 numbers',
      `N in (${many(50_000, (index) => (index < 49_999 ? `${index}` : "'x'"))})`,
    ],
    ['comparisons', many(50_000, (index) => `N eq ${index}`, ' or ')],
    ['calculations', many(30_000, (index) => `N add ${index} gt E`, ' or ')],
    ['searches', many(30_000, (index) => `contains(T,'a${index}')`, ' and ')],
    ['unknown columns', many(50_000, (index) => `X${index} eq 1`, ' or ')],
    ['one text', `T eq '${'x'.repeat(MiB - 64)}'`],
  ])('with %s', async (_, text) => {
    const compile = () => tolerateRefusal(() => compileFilterYielding(text, columns, limits));
    await expectShortTurns(compile);
  });

  it('with many filters compiled concurrently', async () => {
    const text = `N in (${many(1_000, String)})`;
    const compile = () =>
      Promise.all(Array.from({ length: 48 }, () => compileFilterYielding(text, columns, limits)));
    await expectShortTurns(compile);
  });
});

const piecesOf = async (file: AsyncIterable<Buffer>): Promise<Buffer[]> => {
  const pieces: Buffer[] = [];
  for await (const piece of file) pieces.push(piece);
  return pieces;
};

describe('form fields', () => {
  const bodyOf = (fields: readonly string[]): Buffer => {
    const parts = fields.map((text) => `--b\r\nContent-Disposition: form-data; ${text}\r\n`);
    return Buffer.from(
      `${parts.join('')}--b\r\nContent-Disposition: form-data; name="data"\r\n\r\na\n1\n\r\n--b--\r\n`,
    );
  };
  let piecesRead = 0;
  const form = (body: Buffer, requireField = (_name: string): void => undefined): Promise<FileForm> => {
    piecesRead = 0;
    // Like a connection, delivers a limited number of pieces per turn.
    const pieces = async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at * 65_536 < body.length; at += 1) {
        if (at % 32 === 31) await setImmediate();
        piecesRead += 1;
        yield body.subarray(at * 65_536, (at + 1) * 65_536);
      }
    };
    const request = Object.assign(Readable.from(pieces()), {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      complete: true,
    });
    return readFileForm(request as never, {
      part: 'data',
      longField: 'manifest',
      requireField,
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
  ])('do not block the event loop: %s', async (_, fields) => {
    const body = bodyOf(fields);
    await expectShortTurns(() => tolerateRefusal(() => form(body)));
  });

  it('are refused before their value is read if they are unknown', async () => {
    const body = bodyOf(Array.from({ length: 8 }, (_, at) => `name="f${at}"\r\n\r\n${'y'.repeat(400_000)}`));
    const names: string[] = [];
    const refusing = form(body, (name) => {
      names.push(name);
      throw new AppError('invalid', 'unknown_option', name);
    });
    await expect(refusing).rejects.toMatchObject({ code: 'unknown_option' });
    expect(names).toEqual(['f0']);
    expect(piecesRead).toBeLessThan(20);
  });

  it.each<[string, string, string]>([
    ['a short option of more than 512 KiB', `name="mode"\r\n\r\n${'y'.repeat(600_000)}`, 'field_too_long'],
    ['a manifest that is not UTF-8', 'name="manifest"\r\n\r\n\xff', 'invalid_encoding'],
    ['a manifest as a file', 'name="manifest"; filename="m.json"\r\n\r\n{}', 'unknown_part'],
  ])('are refused: %s', async (_, field, code) => {
    const body = Buffer.from(bodyOf([field]).toString(), 'latin1');
    await expect(form(body)).rejects.toMatchObject({ code });
  });

  it('are read completely around a long manifest', async () => {
    const value = `${'x'.repeat(3 * MiB)}é😀`;
    const body = bodyOf([
      'name="mode"\r\n\r\nappend',
      `name="manifest"\r\n\r\n${value}`,
      'name="key"\r\n\r\na',
    ]);
    const { fields, file } = await form(body);
    expect(Object.fromEntries(fields.map((field) => [field.name, field.value]))).toEqual({
      mode: 'append',
      manifest: value,
      key: 'a',
    });
    expect(String(Buffer.concat(await piecesOf(file)))).toBe('a\n1\n');
  });
});

describe('a request does not block the event loop', () => {
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
      'an X-Forwarded-For of 200 kB',
      get('/api/things/x', `X-Forwarded-For: ${repeated('1.1.1.1, ', 200 * kib)}\r\n`),
      / 200$/,
    ],
    ['10,000 headers', get('/api/things/x', repeated('A: b\r\n', 60_000)), / \d\d\d$/],
    ['headers over the limit', get('/api/things/x', `A: ${'b'.repeat(400 * kib)}\r\n`), / 431$/],
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
  ])('with %s', async (_, text, status) => {
    let answer = '';
    await expectShortTurns(async () => {
      answer = await send(text);
    });
    expect(answer.slice(0, 12)).toMatch(status);
  });
});
