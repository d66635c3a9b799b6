/**
 * Reads an upload again from where its chunks lie in Kafka: to widen columns when a value did not fit, to repair
 * a segment that was miscounted, or because an operator asks for it.
 *
 * One worker at a time replays a process: it holds a lease in PostgreSQL. A worker that dies is taken over by the
 * next sweep; what it had recorded stays recorded.
 */
import { isAppError, messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { runYielding } from '../../lib/yielding.js';
import type { ChunkReader } from '../../storage/kafka/consume/chunk-reader.js';
import { decompressChunk } from '../../storage/kafka/wire/chunk-compression.js';
import { joinProfiles, noProfile } from '../csv/profile.js';
import type { ColumnProfile } from '../csv/types.js';
import { type Layout, type LayoutColumn, withColumns } from '../layout/layout.js';
import { needsDigits, resolveColumn } from '../layout/type-resolution.js';
import { profileInSteps } from '../layout/typed-profile.js';
import type { Leases } from '../processes/leases.js';
import type { ProcessStore, UploadState } from '../processes/process-store.js';
import type { VersionPublisher } from '../versions/version-publisher.js';
import type { BadRowBounds } from './bad-row-bounds.js';
import type { ChunkInserter } from './chunk-inserter.js';
import type { SegmentVerifier } from './segment-verifier.js';
import type { DigitCounter } from './stored-digits.js';

export interface Replayer {
  /** Replays the process in the background unless this or another worker is at it. */
  start(processId: number): void;
  /** Resolves when no replay of this worker runs; none is begun afterwards. */
  close(): Promise<void>;
}

export interface ReplayerOptions {
  readonly processes: ProcessStore;
  readonly leases: Leases;
  readonly reader: ChunkReader;
  readonly inserter: ChunkInserter;
  readonly bounds: BadRowBounds;
  /** Digits of what is stored, where they decide a type. */
  readonly countDigits: DigitCounter;
  readonly verifier: () => SegmentVerifier;
  readonly publisher: VersionPublisher;
  readonly onReplay: () => void;
  readonly log: Log;
}

/** Thrown inside a replay to leave it: the attempt is over, or the worker closes. */
class ReplayOver extends Error {}

export const createReplayer = (options: ReplayerOptions): Replayer => {
  const { processes, leases, reader, inserter, bounds, countDigits, verifier, publisher, onReplay, log } =
    options;
  const running = new Map<number, Promise<void>>();
  let closing = false;

  const profileAll = async (state: UploadState, layout: Layout): Promise<Layout> => {
    let joined: ColumnProfile[] | undefined;
    const positions = await processes.chunkPositions(state.processId);
    await reader.read(positions, async (chunk) => {
      if (closing) throw new ReplayOver();
      if (chunk.rows === 0) return;
      const profiles = await runYielding(profileInSteps(await decompressChunk(chunk.data), layout));
      joined = joined?.map((profile, at) => joinProfiles(profile, profiles[at]!)) ?? profiles;
    });
    const settled: LayoutColumn[] = [];
    for (const [at, column] of layout.columns.entries()) {
      const profile = joined?.[at] ?? noProfile;
      const digits = needsDigits(column, profile) ? await countDigits(state, column) : undefined;
      settled.push(resolveColumn(layout, column, profile, digits));
    }
    return withColumns(layout, settled);
  };

  const insertAll = async (state: UploadState, layout: Layout): Promise<void> => {
    const positions = await processes.chunksToInsert(state.processId, state.attempt);
    let latest: UploadState = state;
    await reader.read(positions, async (chunk, position) => {
      if (closing) throw new ReplayOver();
      const outcome = await inserter.insert(state, layout, chunk);
      if (outcome.kind === 'bad_file' || outcome.kind === 'violation') {
        await processes.fail(state.processId, outcome.error);
        await publisher.publishDue(state.datasetId);
        throw new ReplayOver();
      }
      const after = await processes.recordInserted(chunk, position, state.attempt, outcome);
      if (after === undefined || (await bounds.refuse(after, layout))) throw new ReplayOver();
      latest = after;
    });
    if (latest.insertedChunks === latest.chunkCount) await verifier().verify(latest);
  };

  const replay = async (processId: number): Promise<void> => {
    let state = await processes.state(processId);
    const layout = await processes.layout(processId);
    if (state === undefined || layout === undefined || state.status !== 'pending') return;
    if (state.phase === 'collect') {
      onReplay();
      state = await processes.beginAttempt(processId, state.attempt, await profileAll(state, layout));
    }
    if (state?.phase !== 'replay') return;
    const current = await processes.layout(processId);
    if (current !== undefined) await insertAll(state, current);
  };

  const attempt = async (processId: number): Promise<void> => {
    try {
      await leases.whileHeld(processId, () => replay(processId));
    } catch (error) {
      if (error instanceof ReplayOver) return;
      if (isAppError(error) && error.code === 'chunks_expired') {
        const state = await processes.state(processId);
        await processes.fail(processId, { code: error.code, message: error.message });
        if (state !== undefined) await publisher.publishDue(state.datasetId);
        return;
      }
      // The sweep starts it again.
      log.warn({ err: error, process: processId, reason: messageOf(error) }, 'replay broken off');
    }
  };

  return {
    start(processId) {
      if (closing || running.has(processId)) return;
      const run = attempt(processId)
        .catch((error: unknown) => log.error({ err: error, process: processId }, 'replay failed'))
        .finally(() => running.delete(processId));
      running.set(processId, run);
    },
    async close() {
      closing = true;
      await Promise.all(running.values());
    },
  };
};
