import type { ChunkEncoder } from '../../csv/types.js';
import { createCache } from '../../lib/cache.js';
import { encodeColumns, type Layout } from '../layout/layout.js';
import { maxBadRowsOf } from '../lifecycle/bad-row-limits.js';
import type { UploadState } from '../lifecycle/process-records.js';
import { encoderOf } from './chunk-encoding.js';

/** Reuses encoders for chunks of the same layout. For short chunks, creating an encoder costs more than encoding. */
interface EncoderCache {
  /**
   * Runs `work` with exclusive use of an encoder. The encoded block is in the encoder's memory, so it must be sent within `work`.
   * An encoder whose work failed is discarded.
   */
  use<T>(
    layout: Layout,
    state: Pick<UploadState, 'place'>,
    work: (encoder: ChunkEncoder) => Promise<T>,
  ): Promise<T>;
}

/** @param most Idle encoders that are kept; each has memory for the largest chunk that it has seen. */
export const createEncoderCache = (most: number): EncoderCache => {
  /** Key: layout and dialect. */
  const idle = createCache<ChunkEncoder>({ limit: most, weigh: () => 1 });
  return {
    async use(layout, state, work) {
      const { dialect, fieldCount, onBadRow } = layout;
      const columns = encodeColumns(layout, state.place);
      const key = JSON.stringify([dialect, fieldCount, onBadRow, maxBadRowsOf(layout), columns]);
      const encoder = idle.get(key) ?? encoderOf(layout, state);
      idle.delete(key);
      const result = await work(encoder);
      idle.set(key, encoder);
      return result;
    },
  };
};
