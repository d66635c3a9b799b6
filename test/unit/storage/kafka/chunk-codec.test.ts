import { readFileSync } from 'node:fs';
import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import type { Chunk } from '../../../../src/model/chunk.js';
import { decodeChunk, encodeChunk } from '../../../../src/storage/kafka/chunk-codec.js';

const schema = JSON.parse(readFileSync('schemas/chunk.avsc', 'utf8')) as avro.Schema;
const chunkOf = (data: Buffer): Chunk => ({
  processId: 4_503_599_627_370_000,
  number: 77,
  firstRow: 1_000_000,
  rows: 3,
  firstLine: 1_000_002,
  last: true,
  rawBytes: 12,
  data,
});

describe('chunk codec', () => {
  it.each([0, 1, 63, 64, 100_000])('follows the Avro schema with %i bytes of data', (bytes) => {
    const chunk = chunkOf(Buffer.alloc(bytes, 'x'));
    const expected = avro.Type.forSchema(schema).toBuffer(chunk);
    expect(encodeChunk(chunk).equals(expected)).toBe(true);
    expect(decodeChunk(expected)).toEqual(chunk);
  });

  it('decodes data without a copy', () => {
    const bytes = encodeChunk(chunkOf(Buffer.from('data')));
    expect(decodeChunk(bytes).data.buffer).toBe(bytes.buffer);
  });

  it('refuses a message that is truncated, too long, or not a chunk', () => {
    const bytes = encodeChunk(chunkOf(Buffer.from('data')));
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => decodeChunk(bytes.subarray(0, length)), `${length} bytes`).toThrow();
    }
    expect(() => decodeChunk(Buffer.concat([bytes, Buffer.from('x')]))).toThrow();
    expect(() => decodeChunk(Buffer.from('{"processId":1}'))).toThrow();
    expect(() => decodeChunk(Buffer.alloc(40, 0xff))).toThrow();
  });
});
