import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { createTailGuard, exceptionAtEnd } from '../../../../src/storage/clickhouse/answer-stream.js';

const tag = 'abcdefghijklmnop';
const block = (message: string, blockTag = tag) =>
  `\r\n__exception__\r\n${blockTag}\r\n${message}\n${message.length + 1} ${blockTag}\r\n__exception__\r\n`;

const passThrough = async (text: string, chunkBytes: number, announced: string | undefined = tag) => {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  const guard = createTailGuard({ tag: announced, failure: (message) => new Error(message) });
  const received: Buffer[] = [];
  guard.on('data', (chunk: Buffer) => received.push(chunk));
  const error = await pipeline(Readable.from(chunks), guard).then(
    () => undefined,
    (reason: Error) => reason.message,
  );
  return { text: Buffer.concat(received).toString(), error };
};

describe('exceptionAtEnd', () => {
  it('finds the message of the announced tag only', () => {
    expect(exceptionAtEnd(Buffer.from(`1,2\n${block('Code: 395. Oh')}`), tag)).toBe('Code: 395. Oh');
    expect(
      exceptionAtEnd(Buffer.from(`1,2\n${block('Code: 395. Oh', 'q'.repeat(16))}`), tag),
    ).toBeUndefined();
    expect(exceptionAtEnd(Buffer.from(`${block('Oh')}more`), tag)).toBeUndefined();
    expect(exceptionAtEnd(Buffer.from(''), tag)).toBeUndefined();
  });
});

describe('createTailGuard', () => {
  const data = 'row\n'.repeat(50_000);

  it.each([1_000, 4_096, 65_536, 1_000_000])('passes all data on in chunks of %i bytes', async (size) => {
    expect(await passThrough(data, size)).toEqual({ text: data, error: undefined });
  });

  it.each([7, 1_000, 65_536])('lets no byte of an exception through in chunks of %i bytes', async (size) => {
    const { text, error } = await passThrough(`${data}${block(`Code: 241. ${'x'.repeat(16_000)}`)}`, size);
    expect(error).toContain('Code: 241.');
    expect(text).not.toContain('__exception__');
    expect(text).not.toContain('Code');
    expect(data.startsWith(text)).toBe(true);
  });

  it('passes on data that looks like an exception with another tag', async () => {
    const text = `${data}${block('not one', 'z'.repeat(16))}`;
    expect(await passThrough(text, 1_000)).toEqual({ text, error: undefined });
  });
});
