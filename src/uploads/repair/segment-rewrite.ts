/**
 * Writes the rows of a completed upload again, from its chunks in Kafka, into a new segment. If both segments are equal, the new one
 * is dropped. If they differ (rows were lost or damaged), the new segment replaces the old one in all versions at once. Versions,
 * their ids and their order do not change.
 *
 * It works like a compaction of one segment (rows/compactions.ts), with rows from Kafka.
 */

import { AppError, conflict } from '../../lib/errors.js';
import { ChunkFault } from '../../model/chunk-fault.js';
import { type Place, processOfSegment, segmentId } from '../../model/version.js';
import {
  type Compactions,
  type HashedSegment,
  hashSegments,
  type Target,
  type Write,
} from '../../rows/index.js';
import { isNoMerge } from '../../rows/sql.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import { isUnreadable } from '../../storage/clickhouse/errors.js';
import { type ChunkReader, chunksExpired } from '../../storage/kafka/chunk-reader.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { ChunkInserter } from '../insert/chunk-inserter.js';
import { type Layout, tableColumns } from '../layout/layout.js';
import type { ChunkRecords } from '../lifecycle/chunk-records.js';
import type { ProcessRecords, UploadState } from '../lifecycle/process-records.js';

export interface RewriteReport {
  readonly outcome: 'equal' | 'repaired';
  readonly rows: number;
  /** Rows of the old segment. */
  readonly rowsBefore: number;
  /** Versions that include the segment. */
  readonly versions: number;
}

export interface SegmentRewrite {
  /** @throws AppError 409 if the rows of the upload were joined with others, or if its chunks have expired */
  rewrite(processId: number): Promise<RewriteReport>;
}

interface SegmentRewriteOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly processes: Pick<ProcessRecords, 'state' | 'layout'>;
  readonly chunks: Pick<ChunkRecords, 'positions'>;
  readonly compactions: Compactions;
  readonly reader: ChunkReader;
  readonly inserter: ChunkInserter;
  readonly write: Pick<Write, 'seal'>;
}

interface OwnSegment {
  readonly id: number;
  readonly rows: number;
  readonly bytes: number;
  readonly versions: number;
}

export const createSegmentRewrite = (options: SegmentRewriteOptions): SegmentRewrite => {
  const { sql, clickhouse, processes, chunks, compactions, reader, inserter, write } = options;

  /**
   * Finds the segment with the rows of only this upload. If a compaction has replaced it, its row count differs.
   */
  const ownSegment = async (processId: number): Promise<OwnSegment> => {
    const [own] = await sql.query<OwnSegment>(
      `SELECT g.id, g.rows, coalesce(g.bytes, 0) AS bytes, count(*)::int AS versions
       FROM segments g JOIN processes p ON p.id = g.process_id JOIN segment_ranges r ON r.segment_id = g.id
         JOIN versions v ON v.dataset_id = r.dataset_id AND v.id >= r.from_version
           AND (r.until_version IS NULL OR v.id < r.until_version)
       WHERE p.id = $1 AND g.rows = (p.facts ->> 'rows')::bigint AND ${isNoMerge}
       GROUP BY g.id`,
      [processId],
    );
    if (own !== undefined) return own;
    throw conflict(
      'rows_joined',
      `The rows of process ${processId} cannot be written again alone: no version names them by themselves. ` +
        'They were joined with others (an upsert, a change of type, a compaction), or the version was deleted.',
    );
  };

  const writeAll = async (state: UploadState, layout: Layout): Promise<number> => {
    let rows = 0;
    const positions = await chunks.positions(state.processId);
    if (positions.length !== state.chunkCount) throw chunksExpired();
    await reader.read(state, positions, async (chunk) => {
      const outcome = await inserter.insert(state, layout, chunk);
      if (outcome.kind !== 'inserted') {
        const why =
          outcome.kind === 'too_many_bad_rows' ? 'It has too many bad rows.' : outcome.error.message;
        throw conflict('replay_differs', `A chunk was stored before and is refused now: ${why}`);
      }
      rows += outcome.rows;
      return 'next';
    });
    return rows;
  };

  /** Undefined: the segment has no rows. */
  const rowsOf = async (place: Place, segment: number): Promise<HashedSegment | undefined> =>
    (await hashSegments(clickhouse, place, [segment]))[0];

  /** Treats unreadable rows as missing. */
  const rowsBefore: typeof rowsOf = async (...segment) => {
    try {
      return await rowsOf(...segment);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return undefined;
    }
  };

  /** Writes the new segment and compares it with the old one. */
  const rewriteInto = async (
    state: UploadState,
    layout: Layout,
    own: OwnSegment,
    target: Target,
  ): Promise<{ readonly rows: number; readonly rowsBefore: number; readonly isEqual: boolean }> => {
    const { segment, place } = target;
    const attempt = segment - segmentId(state.processId, 1) + 1;
    const rows = await writeAll({ ...state, attempt, place }, layout);
    const sealed = await write.seal(target, rows, tableColumns(layout));
    if (rows !== own.rows || sealed.kind === 'miscounted')
      throw new AppError(
        'unexpected',
        'replay_differs',
        `Kafka gave ${rows} rows and ClickHouse took ${sealed.kind === 'whole' ? rows : sealed.rows}, but the version was published with ${own.rows}; nothing was changed.`,
      );
    const before = await rowsBefore(place, own.id);
    const after = await rowsOf(place, segment);
    return { rows, rowsBefore: before?.rows ?? 0, isEqual: before?.hash === after?.hash };
  };

  const rewriteOwn = async (
    state: UploadState,
    layout: Layout,
    own: OwnSegment,
  ): Promise<RewriteReport | 'busy'> => {
    const { id, rows, bytes } = own;
    const run = [{ id, uploadNumber: state.uploadNumber, rows, bytes, patch: false, hidden: 0, whole: true }];
    let report: Omit<RewriteReport, 'outcome'> | undefined;
    const replaced = await compactions.replace(state.storeId, run, async (target) => {
      if (processOfSegment(target.segment) !== state.processId) return undefined;
      const { isEqual, ...counts } = await rewriteInto(state, layout, own, target);
      report = { ...counts, versions: own.versions };
      return isEqual ? undefined : { rows: counts.rows };
    });
    if (replaced === 'lost')
      throw conflict('changed_meanwhile', 'The versions were rearranged in the meantime; try again.');
    if (report === undefined) return 'busy';
    if (typeof replaced === 'string') return { outcome: 'equal', ...report };
    return { outcome: 'repaired', ...report };
  };

  return {
    async rewrite(processId) {
      const state = await processes.state(processId);
      const layout = await processes.layout(processId);
      if (state === undefined || layout === undefined) throw new Error(`process ${processId} was deleted`);
      if (!state.isUnderstood)
        throw conflict(
          'newer_upload',
          `Process ${processId} was sent with options that this release does not know; upgrade first.`,
        );
      const own = await ownSegment(processId);
      const report = await rewriteOwn(state, layout, own).catch((error: unknown) => {
        if (!(error instanceof ChunkFault)) throw error;
        throw conflict(
          'chunk_altered',
          `Kafka no longer has the file of process ${processId} as it was received: ${error.message}.`,
          { cause: error },
        );
      });
      if (report === 'busy')
        throw conflict('busy', 'Rows of this dataset are being rearranged at the moment; try again later.');
      return report;
    },
  };
};
