import type { Chunk } from '../../model/chunk.js';
import type { ChunkEncoder } from '../csv/types.js';
import { encodeColumns, type Layout } from '../layout/layout.js';
import type { UploadState } from '../lifecycle/process-records.js';
import { encoderOf } from './chunk-encoding.js';

/** Encoders that are used again for files of the same form: short ones cost more to set up than to run. */
export interface EncoderCache {
  /** Runs `work` with an encoder that nobody else uses meanwhile. */
  use<T>(
    layout: Layout,
    state: Pick<UploadState, 'placement'>,
    chunk: Pick<Chunk, 'rawBytes'>,
    work: (encoder: ChunkEncoder) => Promise<T>,
  ): Promise<T>;
}

/** An encoder keeps memory for the largest chunk that it has seen: those of larger ones are not kept. */
const maxBytes = 256 * 1024;
const maxEncoders = 32;

export const createEncoderCache = (): EncoderCache => {
  /** Idle ones by what they encode, the one that was used last at the end. */
  const idle = new Map<string, ChunkEncoder>();
  return {
    async use(layout, state, { rawBytes }, work) {
      if (rawBytes > maxBytes) return work(encoderOf(layout, state));
      const { dialect, fieldCount, onBadRow } = layout;
      const key = JSON.stringify([dialect, fieldCount, onBadRow, encodeColumns(layout, state.placement)]);
      const encoder = idle.get(key) ?? encoderOf(layout, state);
      idle.delete(key);
      const result = await work(encoder);
      idle.set(key, encoder);
      const [oldest] = idle.keys();
      if (idle.size > maxEncoders && oldest !== undefined) idle.delete(oldest);
      return result;
    },
  };
};
