import { type TraceHeaders, traceHeaderNames } from '../../lib/tracing.js';
import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import { decodeChunk } from './chunk-codec.js';
import type { KeptMessage } from './dead-letters.js';

/** A chunk as Kafka delivered it. Nothing in it can be trusted before it is authenticated (chunk-mac.ts). */
export interface Delivery {
  readonly chunk: Chunk;
  readonly position: ChunkPosition;
  /** The message that contains it. */
  readonly message: KeptMessage;
  /** Trace of the upload; empty if it has none. */
  readonly trace: TraceHeaders;
}

/** Longest header of a trace: W3C Trace Context requires that 512 characters are accepted. */
const maxTraceHeaderBytes = 512;

const traceOf = ({ headers }: KeptMessage): TraceHeaders =>
  Object.fromEntries(
    traceHeaderNames.flatMap((name) => {
      const value = headers?.[name];
      if (value === undefined || Array.isArray(value) || value.length > maxTraceHeaderBytes) return [];
      return [[name, String(value)]];
    }),
  );

/** @throws if the message is not a chunk. */
export const deliveryOf = (message: KeptMessage, position: ChunkPosition): Delivery => {
  if (message.value === null) throw new Error('the message has no value');
  return { chunk: decodeChunk(message.value), position, message, trace: traceOf(message) };
};
