import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createRememberedRows } from '../../../src/query/comparison/remembered-rows.js';

const stream = (...chunks: readonly string[]): Readable =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const textOf = async (body: Readable | undefined): Promise<string | undefined> =>
  body && (await buffer(body)).toString();

describe('remembered rows', () => {
  it('return the same bytes each time', async () => {
    const rows = createRememberedRows(100_000);
    expect(rows.get('a')).toBeUndefined();
    expect(await textOf(rows.through('a', stream('one,', 'two')))).toBe('one,two');
    expect(await textOf(rows.get('a'))).toBe('one,two');
    expect(await textOf(rows.get('a'))).toBe('one,two');
    expect(rows.get('b')).toBeUndefined();
  });

  it('do not include a failed answer, which also fails for its reader', async () => {
    const rows = createRememberedRows(100_000);
    const body = new PassThrough();
    const out = rows.through('a', body);
    body.write('half');
    body.destroy(new Error('the server is gone'));
    await expect(textOf(out)).rejects.toThrow('the server is gone');
    expect(rows.get('a')).toBeUndefined();
  });

  it('do not include an answer whose reader disconnects, which ends its read', async () => {
    const rows = createRememberedRows(100_000);
    const body = new PassThrough();
    const out = rows.through('a', body);
    const closed = new Promise((resolve) => body.once('close', resolve));
    out.destroy();
    await closed;
    expect(rows.get('a')).toBeUndefined();
  });

  it('do not include an answer that is too large a part of the limit', async () => {
    const rows = createRememberedRows(16_000);
    expect(await textOf(rows.through('large', stream('x'.repeat(700), 'x'.repeat(700))))).toHaveLength(1_400);
    expect(rows.get('large')).toBeUndefined();
    await textOf(rows.through('small', stream('x'.repeat(900))));
    expect(await textOf(rows.get('small'))).toHaveLength(900);
  });

  it('are evicted beyond the limit, least recently used first', async () => {
    const rows = createRememberedRows(16_000);
    for (let number = 0; number < 20; number += 1)
      await textOf(rows.through(String(number), stream('x'.repeat(900))));
    expect(rows.get('0')).toBeUndefined();
    expect(rows.get('19')).toBeDefined();
  });

  it('are not cached if the limit is zero', async () => {
    const rows = createRememberedRows(0);
    expect(await textOf(rows.through('a', stream('one')))).toBe('one');
    expect(rows.get('a')).toBeUndefined();
  });
});
