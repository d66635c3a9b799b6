import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import type { Notice, ProcessError } from '../../model/process.js';
import type { SegmentFacts } from '../../model/version.js';
import type { Layout } from '../layout/layout.js';
import type { StoredChunk } from './chunk-records.js';
import type { MergeOutcome } from './merge-records.js';
import type { UploadState } from './process-records.js';
import type { Reject } from './rejects.js';

/** Result of a step. Steps only return it; the dispatcher records it and acts on it. */
export type Outcome =
  /** No further work for this step. */
  | { readonly kind: 'done' }
  /** The process has changed. Read its state and take the next step. */
  | { readonly kind: 'reread' }
  /** Uploads of the dataset may be due. */
  | { readonly kind: 'publish' }
  /** A worker has to take the next step in the background. */
  | { readonly kind: 'resume' }
  /** The upload cannot be completed. */
  | { readonly kind: 'fail'; readonly error: ProcessError }
  /** The rows of a chunk are in ClickHouse. */
  | {
      readonly kind: 'stored';
      readonly chunk: Chunk;
      readonly position: ChunkPosition;
      readonly stored: StoredChunk;
      readonly layout: Layout;
    }
  /** A chunk has more bad rows than a file may have; none of its rows is stored. */
  | { readonly kind: 'too_many_bad_rows'; readonly rejects: readonly Reject[]; readonly layout: Layout }
  /** All chunks of this attempt are stored. */
  | { readonly kind: 'all_stored' }
  /** A value, named by `error`, does not fit the type proposed for its column. */
  | { readonly kind: 'misfit'; readonly error: ProcessError }
  /** The layout needs an option that this release does not know; a newer worker reads the file. */
  | { readonly kind: 'deferred' }
  /** Start the next attempt: types are resolved, rows are missing, or another worker may still write this attempt. */
  | {
      readonly kind: 'resolved' | 'miscounted' | 'repeated';
      readonly layout: Layout;
      readonly notices?: readonly Notice[];
    }
  /** ClickHouse has as many rows as were recorded. */
  | { readonly kind: 'verified'; readonly facts: SegmentFacts }
  /** The current version has another type for a column; the file is replayed with this layout. */
  | { readonly kind: 'rebased'; readonly layout: Layout }
  /** Merged with the current version. `number` is that of the merge that wrote a segment; null: none was needed. */
  | { readonly kind: 'merged'; readonly outcome: MergeOutcome; readonly number: number | null };

/** Work that is left for the caller of the step. */
export type Settled =
  /** Nothing: the outcome is recorded, and the next step is done or started. */
  | 'over'
  /** The chunk is recorded; other chunks are missing. */
  | 'next_chunk'
  /** The process is in another state now: read it and take the next step. */
  | 'reread';

/** Input of a background step. */
interface StepContext {
  /** Records an intermediate outcome. */
  settle(outcome: Outcome): Promise<Settled>;
  /** True when the worker closes: the step must end early, and another worker continues. */
  readonly stopping: () => boolean;
}

/** One background step of an upload. An error that is thrown means "retry later". */
export type Step = (state: UploadState, context: StepContext) => Promise<Outcome>;
