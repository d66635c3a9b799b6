import type { Chunk, ChunkPosition } from '../../model/chunk.js';
import type { Notice, ProcessError } from '../../model/process.js';
import type { SegmentFacts } from '../../model/version.js';
import type { Layout } from '../layout/layout.js';
import type { StoredChunk } from './chunk-records.js';
import type { MergeOutcome } from './merge-records.js';
import type { UploadState } from './process-records.js';

/** Result of a step. Steps only return it; the dispatcher records it and acts on it. */
export type Outcome =
  /** Nothing is left to do here. */
  | { readonly kind: 'done' }
  /** The process has changed meanwhile: its state decides the next step. */
  | { readonly kind: 'look_again' }
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
  /** All chunks of this attempt are stored. */
  | { readonly kind: 'all_stored' }
  /** A value does not fit the type proposed for its column; `error` says which. */
  | { readonly kind: 'misfit'; readonly error: ProcessError }
  /** The layout needs what this release does not know: a newer worker reads the file. */
  | { readonly kind: 'deferred' }
  /** The next attempt begins: with resolved types, because rows are missing, or because another may write this one. */
  | {
      readonly kind: 'resolved' | 'miscounted' | 'repeated';
      readonly layout: Layout;
      readonly notices?: readonly Notice[];
    }
  /** ClickHouse holds what was recorded. */
  | { readonly kind: 'verified'; readonly facts: SegmentFacts }
  /** The current version stores a column differently: the file is read again with this layout. */
  | { readonly kind: 'rebased'; readonly layout: Layout }
  /** Joined with the current version; `number` of the merge that wrote a segment, null: none was needed. */
  | { readonly kind: 'merged'; readonly outcome: MergeOutcome; readonly number: number | null };

/** Work that is left for the caller of the step. */
export type Settled =
  /** Nothing: it is recorded, and the next step is done or begun. */
  | 'over'
  /** A chunk is recorded; others are missing. */
  | 'next_chunk'
  /** The process is in another state now: read it and take the next step. */
  | 'look_again';

/** Input of a background step. */
interface StepContext {
  /** Records an intermediate outcome. */
  settle(outcome: Outcome): Promise<Settled>;
  /** True once the worker closes: the step ends early, and another worker continues. */
  readonly stopping: () => boolean;
}

/** One step of an upload in the background. A throw means "try again later". */
export type Step = (state: UploadState, context: StepContext) => Promise<Outcome>;
