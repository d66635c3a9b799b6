import type { Log } from '../../lib/log.js';
import { runYielding } from '../../lib/yielding.js';
import { decompressZstd } from '../../lib/zstd.js';
import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import type { ProcessError } from '../../model/process.js';
import { segmentId } from '../../model/version.js';
import type { StoreTables } from '../../storage/clickhouse/tables.js';
import { createChunkEncoder } from '../csv/encoder.js';
import type { ChunkEncoder } from '../csv/types.js';
import { encodeColumns, type Layout, tableColumns } from '../layout/layout.js';
import type { Outcome } from '../lifecycle/outcome.js';
import type { UploadState } from '../lifecycle/process-records.js';
import type { Reject } from '../lifecycle/rejects.js';
import { badRowError, rejectOf, violationError } from './bad-rows.js';

export type Insertion =
  | { readonly kind: 'inserted'; readonly rows: number; readonly rejects: readonly Reject[] }
  /** A value does not fit the proposed type of its column: the column has to be widened. */
  | { readonly kind: 'violation'; readonly error: ProcessError }
  /** The file itself is wrong. */
  | { readonly kind: 'bad_file'; readonly error: ProcessError };

type Encoded =
  | Exclude<Insertion, { kind: 'inserted' }>
  | {
      readonly kind: 'encoded';
      readonly rows: number;
      readonly block: readonly Buffer[];
      readonly rejects: readonly Reject[];
    };

/** What an insertion means for its upload. */
export const insertOutcome = (
  insertion: Insertion,
  of: { readonly chunk: Chunk; readonly position: ChunkPosition; readonly layout: Layout },
): Extract<Outcome, { kind: 'stored' | 'misfit' | 'fail' }> => {
  switch (insertion.kind) {
    case 'inserted':
      return { kind: 'stored', ...of, stored: insertion };
    case 'violation':
      return { kind: 'misfit', error: insertion.error };
    case 'bad_file':
      return { kind: 'fail', error: insertion.error };
    default: {
      const unknown: never = insertion;
      throw new Error(`unknown insertion ${String(unknown)}`);
    }
  }
};

/** Checks, encodes and inserts chunks. One inserter serves one chunk at a time: its memory is reused. */
export interface ChunkInserter {
  insert(state: UploadState, layout: Layout, chunk: Chunk): Promise<Insertion>;
}

export interface ChunkInserterOptions {
  readonly tables: StoreTables;
  readonly log: Log;
  readonly onInserted: (rows: number, rawBytes: number, seconds: number) => void;
}

/** Names a chunk for ever: the same chunk of the same attempt is the same block with the same token. */
const tokenOf = (state: UploadState, chunk: Chunk): string =>
  `${state.processId}/${state.attempt}/${chunk.number}`;

export const createChunkInserter = ({ tables, log, onInserted }: ChunkInserterOptions): ChunkInserter => {
  let cached: { key: string; encoder: ChunkEncoder } | undefined;

  const encoderOf = (state: UploadState, layout: Layout): ChunkEncoder => {
    const key = `${state.processId}/${state.attempt}`;
    if (cached?.key !== key) {
      const { dialect, fieldCount } = layout;
      const encoder = createChunkEncoder({
        dialect,
        fieldCount,
        columns: encodeColumns(layout, state.placement),
        onBadRow: layout.onBadRow === 'quarantine' ? 'collect' : 'fail',
      });
      cached = { key, encoder };
    }
    return cached.encoder;
  };

  /** The block of a chunk. A function of its own: the text is not kept while ClickHouse takes the block. */
  const encode = async (state: UploadState, layout: Layout, chunk: Chunk): Promise<Encoded> => {
    const bytes = await decompressZstd(chunk.data);
    const segment = segmentId(state.processId, state.attempt);
    // In steps: a chunk of a long upload takes some hundred milliseconds, and short ones wait beside it.
    const encoded = await runYielding(encoderOf(state, layout).encodeInSteps(bytes, chunk, segment));
    if (encoded.kind === 'violation') {
      return { kind: 'violation', error: violationError(encoded.violation, layout) };
    }
    if (encoded.kind === 'bad_row') return { kind: 'bad_file', error: badRowError(encoded.badRow, layout) };
    const rejects = encoded.badRows.map((bad) => rejectOf(bad, bytes, layout));
    return { kind: 'encoded', rows: encoded.rows, block: encoded.block, rejects };
  };

  return {
    async insert(state, layout, chunk) {
      const columns = tableColumns(layout);
      const { placement } = state;
      const segment = segmentId(state.processId, state.attempt);
      await tables.ensureIntake(placement, segment, columns);
      if (chunk.rows === 0) return { kind: 'inserted', rows: 0, rejects: [] };

      const startedAt = performance.now();
      const encoded = await encode(state, layout, chunk);
      if (encoded.kind !== 'encoded') return encoded;
      const encodedAt = performance.now();
      const { rows, block, rejects } = encoded;
      if (rows === 0) return { kind: 'inserted', rows, rejects };
      const token = tokenOf(state, chunk);
      const queryId = `${state.requestId}/${token}/${crypto.randomUUID()}`;
      await tables.insertBlock({ placement, segmentId: segment, columns, block, rows, token, queryId });
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
    },
  };
};
