import type { Log } from '../../lib/log.js';
import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import { segmentId } from '../../model/version.js';
import type { Write } from '../../rows/index.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import type { Outcome } from '../lifecycle/outcome.js';
import type { UploadState } from '../lifecycle/process-records.js';
import type { Reject } from '../lifecycle/rejects.js';
import { type EncodedRows, encodeChunk } from './chunk-encoding.js';
import { createEncoderCache } from './encoder-cache.js';

type Insertion =
  | { readonly kind: 'inserted'; readonly rows: number; readonly rejects: readonly Reject[] }
  | Exclude<EncodedRows, { kind: 'encoded' }>;

/** Result of an insertion for its upload. */
export const insertOutcome = (
  insertion: Insertion,
  of: { readonly chunk: Chunk; readonly position: ChunkPosition; readonly layout: Layout },
): Extract<Outcome, { kind: 'stored' | 'misfit' | 'fail' | 'too_many_bad_rows' }> => {
  switch (insertion.kind) {
    case 'inserted':
      return { kind: 'stored', ...of, stored: insertion };
    case 'violation':
      return { kind: 'misfit', error: insertion.error };
    case 'bad_file':
      return { kind: 'fail', error: insertion.error };
    case 'too_many_bad_rows':
      return { ...insertion, layout: of.layout };
    default: {
      const unknown: never = insertion;
      throw new Error(`unknown insertion ${String(unknown)}`);
    }
  }
};

/**
 * Checks, encodes and inserts chunks. Several may be in flight: during a rebalance, a consumer receives a chunk of one partition
 * before that of another is stored.
 */
export interface ChunkInserter {
  insert(state: UploadState, layout: Layout, chunk: Chunk): Promise<Insertion>;
}

interface ChunkInserterOptions {
  readonly write: Pick<Write, 'append'>;
  readonly log: Log;
  readonly onInserted: (rows: number, rawBytes: number, seconds: number) => void;
}

/** Deduplication token. The same chunk of the same attempt always is the same block with the same token. */
const tokenOf = (state: UploadState, chunk: Chunk): string =>
  `${state.processId}/${state.attempt}/${chunk.number}`;

export const createChunkInserter = ({ write, log, onInserted }: ChunkInserterOptions): ChunkInserter => {
  // One is enough, since consecutive chunks usually belong to the same upload.
  const encoders = createEncoderCache(1);

  return {
    async insert(state, layout, chunk) {
      const to = { segment: segmentId(state.processId, state.attempt), place: state.place };
      if (chunk.rows === 0) return { kind: 'inserted', rows: 0, rejects: [] };

      return encoders.use(layout, state, async (encoder): Promise<Insertion> => {
        const startedAt = performance.now();
        const encoded = await encodeChunk(encoder, state, layout, chunk);
        if (encoded.kind !== 'encoded') return encoded;
        const encodedAt = performance.now();
        const { rows, block, rejects } = encoded;
        if (rows === 0) return { kind: 'inserted', rows, rejects };
        const token = tokenOf(state, chunk);
        const queryId = `${state.requestId}/${token}/${crypto.randomUUID()}`;
        const columns = tableColumns(layout);
        await write.append(to, { number: chunk.number, columns, block, rows, token, queryId });
        const endedAt = performance.now();
        onInserted(rows, chunk.rawBytes, (endedAt - startedAt) / 1000);
        log.debug(
          {
            requestId: state.requestId,
            token,
            rows,
            encodeMs: encodedAt - startedAt,
            insertMs: endedAt - encodedAt,
          },
          'chunk inserted',
        );
        return { kind: 'inserted', rows, rejects };
      });
    },
  };
};
