import type { ChunkEncoder } from '../../csv/types.js';
import { createCache } from '../../lib/cache.js';
import { encodeColumns, type Layout } from '../layout/layout.js';
import type { UploadState } from '../lifecycle/process-records.js';
import { encoderOf } from './chunk-encoding.js';

/** Encoders that are used again for chunks of the same form: short ones cost more to set up than to run. */
interface EncoderCache {
  /**
   * Runs `work` with an encoder that is exclusive until it has ended: the result of the encoder is in its memory, so a caller that
   * sends it sends it within `work`. One whose work failed is not used again.
   */
  use<T>(
    layout: Layout,
    state: Pick<UploadState, 'place'>,
    work: (encoder: ChunkEncoder) => Promise<T>,
  ): Promise<T>;
}

/** @param most Idle encoders that are kept; each has memory for the largest chunk that it has seen. */
export const createEncoderCache = (most: number): EncoderCache => {
  /** By layout and dialect of what they encode. */
  const idle = createCache<ChunkEncoder>({ limit: most, weigh: () => 1 });
  return {
    async use(layout, state, work) {
      const { dialect, fieldCount, onBadRow } = layout;
      const key = JSON.stringify([dialect, fieldCount, onBadRow, encodeColumns(layout, state.place)]);
      const encoder = idle.get(key) ?? encoderOf(layout, state);
      idle.delete(key);
      const result = await work(encoder);
      idle.set(key, encoder);
      return result;
    },
  };
};
