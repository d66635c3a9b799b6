import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { firstBytes } from '../../../src/lib/first-bytes.js';

const listeners = (stream: PassThrough): number =>
  ['readable', 'error', 'close'].reduce((sum, name) => sum + stream.listenerCount(name), 0);

describe('firstBytes', () => {
  it('resolves at the first byte, which can still be read', async () => {
    const stream = new PassThrough();
    const before = listeners(stream);
    const waiting = firstBytes(stream);
    stream.write('a');
    await waiting;
    expect(String(stream.read())).toBe('a');
    expect(listeners(stream)).toBe(before);
  });

  it('resolves for buffered bytes, and for a stream that ends without any', async () => {
    const filled = new PassThrough();
    filled.write('a');
    await firstBytes(filled);
    const empty = new PassThrough();
    const waiting = firstBytes(empty);
    empty.end();
    await waiting;
    expect(empty.read()).toBeNull();
  });

  it('rejects with the error of a stream that fails before its first byte, or has failed', async () => {
    const stream = new PassThrough();
    const waiting = firstBytes(stream);
    const error = new Error('lost');
    stream.destroy(error);
    await expect(waiting).rejects.toBe(error);
    await expect(firstBytes(stream)).rejects.toBe(error);
  });

  it('rejects for a stream that is closed without an error before its first byte', async () => {
    const stream = new PassThrough();
    const waiting = firstBytes(stream);
    stream.destroy();
    await expect(waiting).rejects.toThrow('the stream was closed before its first byte');
    await expect(firstBytes(stream)).rejects.toThrow('the stream was closed before its first byte');
  });
});
