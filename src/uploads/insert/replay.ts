/**
 * Replays the chunks of an upload from Kafka: to widen columns when a value did not fit, to repair a segment with missing rows,
 * or because an operator requests it.
 *
 *   collect   reads every value and resolves the types; then the next attempt begins
 *   replay    stores the chunks that this attempt has not stored yet
 *
 * One worker at a time does it, under a lease. If it dies, the next sweep starts another one, which continues after the recorded
 * chunks.
 */
import { isAppError } from '../../lib/errors.js';
import { runSliced } from '../../lib/time-slicing.js';
import { ChunkFault } from '../../model/chunk-fault.js';
import type { ChunkReader } from '../../storage/kafka/chunk-reader.js';
import type { Readings } from '../layout/kept-type.js';
import { type Layout, type LayoutColumn, withColumns } from '../layout/layout.js';
import { needsDigits, readingOf, resolveColumn } from '../layout/type-resolution.js';
import { joinReadings, noReadings, readingsInSteps } from '../layout/typed-profile.js';
import { createCounterexamples } from '../layout/value-notices.js';
import type { ChunkRecords } from '../lifecycle/chunk-records.js';
import type { Outcome, Settled, Step } from '../lifecycle/outcome.js';
import { type ProcessRecords, requireLayout, type UploadState } from '../lifecycle/process-records.js';
import { recordsOf } from './chunk-checks.js';
import { chunkUnusable } from './chunk-faults.js';
import { type ChunkInserter, insertOutcome } from './chunk-inserter.js';
import type { DigitCounter } from './stored-digits.js';

interface ReplayOptions {
  readonly processes: Pick<ProcessRecords, 'layout'>;
  readonly chunks: ChunkRecords;
  readonly reader: ChunkReader;
  readonly createInserter: () => ChunkInserter;
  /** Counts the digits of stored numbers, if a type depends on them. */
  readonly countDigits: DigitCounter;
  readonly onReplay: () => void;
}

const done: Outcome = { kind: 'done' };

/**
 * Turns permanent errors into a failure of the upload: retention has removed chunks, or they were altered. Other errors are
 * rethrown, and the step is retried.
 */
const failForGood =
  (step: Step): Step =>
  async (state, context) => {
    try {
      return await step(state, context);
    } catch (error) {
      if (error instanceof ChunkFault) return { kind: 'fail', error: chunkUnusable };
      if (!isAppError(error) || error.code !== 'chunks_expired') throw error;
      return { kind: 'fail', error: { code: error.code, message: error.message } };
    }
  };

/** Steps of a replay, by phase. */
export const createReplaySteps = (
  options: ReplayOptions,
): { readonly collect: Step; readonly replay: Step } => {
  const { processes, chunks, reader, createInserter, countDigits, onReplay } = options;

  const resolved = async (
    state: UploadState,
    layout: Layout,
    readings: readonly Readings[] | undefined,
  ): Promise<Layout> => {
    const columns: LayoutColumn[] = [];
    for (const [at, column] of layout.columns.entries()) {
      const read = readingOf(layout, column, readings?.[at] ?? noReadings);
      const digits = needsDigits(read.column, read.profile)
        ? await countDigits(state, read.column)
        : undefined;
      columns.push(resolveColumn(layout, read.column, read.profile, digits));
    }
    return withColumns(layout, columns);
  };

  const collect: Step = async (state, { stopping }) => {
    onReplay();
    const layout = await requireLayout(processes, state.processId);
    let joined: Readings[] | undefined;
    const counterexamples = createCounterexamples(layout);
    await reader.read(state, await chunks.positions(state.processId), async (chunk) => {
      if (stopping()) return 'stop';
      if (chunk.rows === 0) return 'next';
      const bytes = await recordsOf(chunk);
      const readings = await runSliced(readingsInSteps(bytes, layout));
      await runSliced(counterexamples.collectInSteps({ bytes, firstLine: chunk.firstLine }, readings));
      joined = joined?.map((reading, at) => joinReadings(reading, readings[at]!)) ?? readings;
      return 'next';
    });
    if (stopping()) return done;
    const settled = await resolved(state, layout, joined);
    const refused = settled.keepsTypes ? counterexamples.conflict(settled) : undefined;
    if (refused !== undefined) return { kind: 'fail', error: refused };
    return { kind: 'resolved', layout: settled, notices: counterexamples.notices(settled) };
  };

  const replay: Step = async (state, { settle, stopping }) => {
    const layout = await requireLayout(processes, state.processId);
    const positions = await chunks.notStored(state.processId, state.attempt);
    if (positions.length === 0) return { kind: 'all_stored' };
    const inserter = createInserter();
    let settled: Settled = 'next_chunk';
    await reader.read(state, positions, async (chunk, position) => {
      if (stopping()) return 'stop';
      const inserted = await inserter.insert(state, layout, chunk);
      const outcome = insertOutcome(inserted, { chunk, position, layout });
      // The types fit all values of the file by now, so a misfit is an error of the file.
      settled = await settle(outcome.kind === 'misfit' ? { kind: 'fail', error: outcome.error } : outcome);
      return settled === 'next_chunk' ? 'next' : 'stop';
    });
    return (settled as Settled) === 'reread' ? { kind: 'reread' } : done;
  };

  return { collect: failForGood(collect), replay: failForGood(replay) };
};
