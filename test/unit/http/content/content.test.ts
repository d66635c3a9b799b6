import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { decompress } from '@mongodb-js/zstd';
import { compress } from '@mongodb-js/zstd/bindings.js';
import { describe, expect, it } from 'vitest';
import { createEncoder } from '../../../../src/http/content/coding.js';
import { isOther, isUnchanged, strongTag, weakTag } from '../../../../src/http/content/conditions.js';
import { dispositionOf, fileNameOf } from '../../../../src/http/content/disposition.js';
import { chooseCoding, formatOfAccept } from '../../../../src/http/content/negotiation.js';
import { fingerprint } from '../../../../src/lib/fingerprint.js';
import { formatNames } from '../../../../src/query/formats/formats.js';

describe('formatOfAccept', () => {
  it.each([
    [undefined, undefined],
    ['*/*', undefined],
    ['text/html,application/xhtml+xml,*/*;q=0.8', undefined],
    ['application/json, text/plain, */*', undefined],
    ['application/json, text/*;q=0.1', undefined],
    ['text/*, application/json', undefined],
    ['application/json, */*;q=0', 'json'],
    ['text/html, application/json', 'json'],
    ['application/*', undefined],
    ['text/html', undefined],
    ['application/vnd.apache.parquet', 'parquet'],
    ['text/csv;q=0.5, text/tab-separated-values', 'tsv'],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
    ['application/json;q=0', undefined],
    ['TEXT/CSV', 'csv'],
  ])('chooses for %j the format %s', (accept, format) => {
    expect(formatOfAccept(accept, formatNames)).toBe(format);
  });
});

describe('formatOfAccept among fewer formats', () => {
  it('skips formats that are not offered', () => {
    const accept = 'application/vnd.apache.parquet, application/json;q=0.5';
    expect(formatOfAccept(accept, ['csv', 'json'])).toBe('json');
  });
});

describe('chooseCoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['zstd', 'zstd'],
    ['zstd, gzip;q=0.9', 'zstd'],
    ['zstd;q=0.5, gzip', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['*', 'gzip'],
    ['*;q=0.1, gzip;q=0', 'zstd'],
    ['identity, gzip;q=0.5', 'identity'],
  ])('chooses for %j the coding %s', (accept, coding) => {
    expect(chooseCoding(accept)).toBe(coding);
  });
});

describe('createEncoder', () => {
  const pieces = Array.from({ length: 200 }, (_, index) => Buffer.from(`${index},`.repeat(4_000)));
  const whole = Buffer.concat(pieces);

  it('compresses to bytes that gunzip restores', async () => {
    expect(gunzipSync(await buffer(Readable.from(pieces).pipe(createEncoder('gzip')))).equals(whole)).toBe(
      true,
    );
  });

  it('compresses zstd at level 1', async () => {
    const raw = whole.subarray(0, 500_000);
    const packed = await buffer(Readable.from([raw]).pipe(createEncoder('zstd')));
    expect(packed.equals(await compress(raw, 1))).toBe(true);
    expect(packed.equals(await compress(raw, 3))).toBe(false);
  });

  it('writes concatenated zstd frames, one even for an empty body', async () => {
    const packed = await buffer(Readable.from(pieces.slice(0, 20)).pipe(createEncoder('zstd')));
    expect((await decompress(packed)).equals(Buffer.concat(pieces.slice(0, 20)))).toBe(true);
    const nothing = await buffer(Readable.from([]).pipe(createEncoder('zstd')));
    expect(nothing.length).toBeGreaterThan(0);
  });
});

describe('entity tags', () => {
  it('depend only on the facts', () => {
    expect(fingerprint([1, 'a'])).toBe(fingerprint([1, 'a']));
    expect(fingerprint([1, 'a'])).not.toBe(fingerprint([1, 'b']));
    expect(strongTag(fingerprint([]))).toMatch(/^"[\w-]{27}"$/);
  });

  it('differ by coding, and match weakly, in lists and with a star', () => {
    const entityTag = strongTag('abc');
    const matches = (ifNoneMatch: string | undefined, tag = entityTag): boolean =>
      isUnchanged({ ifNoneMatch }, { entityTag: tag });
    expect(strongTag('abc', 'gzip')).toBe('"abc-gzip"');
    expect(matches(`"x", W/${entityTag}`)).toBe(true);
    expect(matches('*')).toBe(true);
    expect(matches(' * ')).toBe(true);
    expect(matches(strongTag('abc', 'gzip'))).toBe(false);
    expect(matches('')).toBe(false);
    expect(matches(undefined)).toBe(false);
  });
});

describe('isOther', () => {
  const lastModified = new Date('2026-01-31T12:00:00.500Z');
  const other = (ifMatch: string | undefined, entityTag: string, ifUnmodifiedSince?: string): boolean =>
    isOther({ ifMatch, ifUnmodifiedSince }, { entityTag, lastModified });

  it.each([
    ['"a"', '"a"', false],
    ['"b", "a"', '"a"', false],
    [' * ', '"a"', false],
    ['*', weakTag('a'), false],
    ['"b"', '"a"', true],
    ['', '"a"', true],
    ['W/"a"', '"a"', true],
    [weakTag('a'), weakTag('a'), true],
    [undefined, '"a"', false],
  ])('compares If-Match %j strongly with %s: %s', (ifMatch, tag, isWrong) => {
    expect(other(ifMatch, tag)).toBe(isWrong);
  });

  it.each([
    ['Sat, 31 Jan 2026 12:00:00 GMT', false],
    ['Sat, 31 Jan 2026 11:59:59 GMT', true],
    ['yesterday', false],
  ])('uses If-Unmodified-Since %j only without If-Match', (since, isWrong) => {
    expect(other(undefined, '"a"', since)).toBe(isWrong);
    expect(other('"a"', '"a"', since)).toBe(false);
    expect(isOther({ ifMatch: undefined, ifUnmodifiedSince: since }, { entityTag: '"a"' })).toBe(false);
  });
});

describe('isUnchanged with If-Modified-Since', () => {
  const lastModified = new Date('2026-01-31T12:00:00.500Z');
  const unchangedSince = (ifModifiedSince: string | undefined, ifNoneMatch?: string): boolean =>
    isUnchanged({ ifModifiedSince, ifNoneMatch }, { entityTag: '"a"', lastModified });

  it.each([
    ['Sat, 31 Jan 2026 12:00:00 GMT', true],
    ['Sat, 31 Jan 2026 11:59:59 GMT', false],
    ['yesterday', false],
    [undefined, false],
  ])('returns for %j: %s', (since, unchanged) => {
    expect(unchangedSince(since)).toBe(unchanged);
  });

  it('uses only If-None-Match if both are sent', () => {
    expect(unchangedSince('Sat, 31 Jan 2026 12:00:00 GMT', '"b"')).toBe(false);
    expect(unchangedSince('Sat, 31 Jan 2026 11:00:00 GMT', '"a"')).toBe(true);
  });
});

describe('Content-Disposition', () => {
  it.each([
    ['GDP', 'attachment; filename="GDP.csv"'],
    ['a/b\\c:"d"', 'attachment; filename="a_b_c__d_.csv"'],
    ['..hidden..', 'attachment; filename="hidden.csv"'],
    ['', 'attachment; filename="data.csv"'],
    ['50%', `attachment; filename="50_.csv"; filename*=UTF-8''50%25.csv`],
    [
      "Zürich's (1)",
      `attachment; filename="Z_rich's (1).csv"; filename*=UTF-8''Z%C3%BCrich%27s%20%281%29.csv`,
    ],
    ['a\r\nSet-Cookie: x', 'attachment; filename="a__Set-Cookie_ x.csv"'],
  ])('has a safe file name for %j', (name, expected) => {
    expect(dispositionOf(fileNameOf(name, 'csv'))).toBe(expected);
  });

  it.each(['価格'.repeat(120), '😀'.repeat(255)])('keeps %j short enough for a file system', (name) => {
    const fileName = fileNameOf(name, 'parquet');
    expect(Buffer.byteLength(fileName)).toBeLessThan(220);
    expect(name.startsWith(fileName.replace('.parquet', ''))).toBe(true);
  });
});
