import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { isPassing, isUnknownTable, readError } from '../../../../src/storage/clickhouse/errors.js';

const exception = (code: string, message: string) => new ClickHouseError({ code, message, type: 'X' });

describe('a failure of ClickHouse', () => {
  it.each([
    ['too little space, found before writing', exception('243', 'Cannot reserve 1.00 MiB, not enough space')],
    [
      'a full disk, found while writing',
      exception('75', 'Cannot write to file, errno: 28, strerror: No space left on device'),
    ],
    [
      'a full disk, reported by the standard library',
      exception('1001', 'filesystem error: cannot create directory: No space left on device'),
    ],
    ['no descriptors left', exception('76', 'Cannot open file, errno: 24, strerror: Too many open files')],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['a request that was aborted', new Error('The user aborted a request.')],
  ])('is transient: %s', (_what, error) => {
    expect(isPassing(error)).toBe(true);
  });

  it.each([
    ['a type that does not fit', exception('53', 'Type mismatch')],
    ['a file that cannot be written for another reason', exception('75', 'errno: 5, Input/output error')],
    ['a bug of the product', new TypeError('x is not a function')],
  ])('is not transient: %s', (_what, error) => {
    expect(isPassing(error)).toBe(false);
  });
});

describe('readError', () => {
  it.each([
    ['the code of the header, before that of the text', 'Code: 395. DB::Exception: x', '241', 'store_busy'],
    [
      'the memory limit of the query',
      'Code: 241. DB::Exception: (for query) maximum: 2.00 GiB',
      undefined,
      'query_memory_limit',
    ],
    ['missing segments', 'Code: 395. DB::Exception: segments_gone', undefined, 'version_gone'],
    ['a missing table', 'Code: 60. DB::Exception: Unknown table', undefined, 'version_gone'],
    ['an unknown code', 'Code: 4711. DB::Exception: secret SQL', undefined, 'query_failed'],
    ['no code at all', 'gateway timeout', undefined, 'query_failed'],
  ])('classifies %s, and does not reveal SQL', (_what, message, header, code) => {
    const error = readError(message, header);
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('SQL');
  });

  it('isUnknownTable is true only for an unknown table', () => {
    expect(isUnknownTable(exception('60', 'Unknown table'))).toBe(true);
    expect(isUnknownTable(exception('81', 'Unknown database'))).toBe(false);
    expect(isUnknownTable(new Error('60'))).toBe(false);
  });
});
