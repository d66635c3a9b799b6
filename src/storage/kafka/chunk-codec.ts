import { readFileSync } from 'node:fs';
import avro from 'avsc';
import type { Chunk } from '../../model/chunk.js';

const type = avro.Type.forSchema(
  JSON.parse(readFileSync(new URL('../../../schemas/chunk.avsc', import.meta.url), 'utf8')) as avro.Schema,
);

/** Bytes beside `data` that an encoded chunk and its headers may take. */
export const chunkOverheadBytes = 1024;

export const encodeChunk = (chunk: Chunk): Buffer => type.toBuffer(chunk);

/** @throws Error when the bytes are not a chunk. */
export const decodeChunk = (bytes: Buffer): Chunk => type.fromBuffer(bytes) as Chunk;
