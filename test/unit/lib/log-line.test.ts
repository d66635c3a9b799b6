import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { logOptions } from '../../../src/lib/log.js';

const maxLineBytes = 8 * 1024;

const written = (fields: object): { line: string; value: Record<string, unknown> } => {
  let line = '';
  const log = pino(logOptions('test', 'info'), {
    write: (text: string) => {
      line = text;
    },
  });
  log.info({ requestId: 'r1', ...fields }, 'event');
  return { line, value: JSON.parse(line) as Record<string, unknown> };
};

const deep = (levels: number): object => (levels === 0 ? {} : { a: 'x'.repeat(300), b: deep(levels - 1) });

describe('a log line', () => {
  it.each<[string, object]>([
    ['a long text', { text: 'x'.repeat(300_000) }],
    ['a text of four-byte characters', { text: '😀'.repeat(30_000) }],
    ['a text that JSON has to escape', { text: '\u0001'.repeat(30_000) }],
    ['an error with a long message', { err: new Error('y'.repeat(240_000)) }],
    ['a long list', { names: Array.from({ length: 50_000 }, (_, index) => `name ${index}`) }],
    ['a list of long texts', { names: Array.from({ length: 50 }, () => 'z'.repeat(5_000)) }],
    ['many fields', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, index]))],
    ['a field with a long name', { ['n'.repeat(20_000)]: 1 }],
    ['a deeply nested object', deep(200)],
  ])('is cut at 8 kB: %s', (_, fields) => {
    const { line, value } = written(fields);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxLineBytes);
    expect(line.endsWith('\n')).toBe(true);
    expect(value).toMatchObject({ requestId: 'r1', msg: 'event', cut: true });
  });

  it('is not cut if it is short', () => {
    const { value } = written({ path: '/api/datasets', ms: 3.1 });
    expect(value).toMatchObject({ path: '/api/datasets', ms: 3.1, msg: 'event' });
    expect(value).not.toHaveProperty('cut');
  });

  it.each([
    ['/api/links/eyJhbGciOiJIUzI1NiJ9abcdef.c2lnbmF0dXJl/file.csv', 'c2lnbmF0dXJl'],
    ['https://s3/bucket/file?X-Amz-Credential=AKIAsecretid&X-Amz-Signature=0123456789abcdef0123', '89abcdef'],
    ['/API/LINKS//eyJhbGciOiJIUzI1NiJ9abcdef.c2lnbmF0dXJl', 'c2lnbmF0dXJl'],
    ['token WzE3OTAwMDAwMDAsMV0.q1w2e3r4t5z6u7i8o9p0q1w2e3 of a link', 'q1w2e3'],
    ['tab_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG', 'ABCDEFG'],
    ['tabr_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG.csv', 'ABCDEFG'],
  ])('contains no usable link or key, in any field: %s', (link, secret) => {
    const error = new Error(`GET ${link} failed`, { cause: new Error(link) });
    const { line, value } = written({ err: error, at: [{ url: link }], [`about ${link}`]: 1 });
    expect(line).not.toContain(secret);
    expect(value.msg).toBe('event');
  });
});
