/** Writes segments of one chunk each, many per statement (docs/adr/0063-short-batches.md). */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { NamedColumn } from '../model/column.js';
import { isClickHouseException, isPassing } from '../storage/clickhouse/errors.js';
import type { Target } from './copy.js';
import { insideOf, isPooled, storedAs } from './place.js';
import type { Batch } from './staging.js';
import type { RowTables } from './tables.js';

/** All rows of a segment, encoded. */
export interface WholeSegment {
  readonly to: Target;
  readonly columns: readonly NamedColumn[];
  readonly block: Buffer;
  readonly rows: number;
  /** Id of the upload request. */
  readonly requestId: string;
}

/**
 * State of a segment after the statement.
 *
 *   stored        it has exactly the encoded rows
 *   count         it must be counted, since the statement was repeated or its columns were not checked
 *   begin_again   its rows must not be used: write them to another segment
 */
export type Outcome = 'stored' | 'count' | 'begin_again';

export interface Appended<One> {
  readonly one: One;
  readonly outcome: Outcome;
}

/**
 * Writes the rows of whole segments. Returns a promise per statement. For pools a token makes the statement idempotent, and it is retried
 * while ClickHouse cannot be reached. Own tables have no tokens, so a statement that was not acknowledged is not retried.
 * @param stop Ends the retries: the promise rejects.
 */
export type AppendTogether = <One extends WholeSegment>(
  segments: readonly One[],
  options: { readonly stop: AbortSignal; readonly log: Log },
) => Promise<readonly Appended<One>[]>[];

const pauseMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 5_000);

/** Equal for places in the same table on the same server. */
const tableKey = (place: Target['place']): string => {
  const { shard, home, pool, storeId } = insideOf(place);
  return `${shard}/${home}/${pool?.pool ?? storeId}`;
};

const byTable = <One extends WholeSegment>(segments: readonly One[]): One[][] => {
  const tables = new Map<string, One[]>();
  for (const one of segments) {
    const key = tableKey(one.to.place);
    tables.set(key, [...(tables.get(key) ?? []), one]);
  }
  return [...tables.values()];
};

const tokenOf = (segments: readonly WholeSegment[]): string =>
  `batch/${createHash('sha256')
    .update(segments.map(({ to }) => to.segment).join())
    .digest('base64url')}`;

const batchOf = (segments: readonly WholeSegment[], place: Target['place']): Omit<Batch, 'queryId'> => {
  const sorted = [...segments].sort((a, b) => a.to.segment - b.to.segment);
  const columns = sorted.flatMap((one) => one.columns);
  const names = sorted.flatMap(({ to, columns: own }) =>
    own.map((column) => storedAs(column, to.place).name),
  );
  return {
    place,
    columns: [...new Map(columns.map((column) => [column.name, column])).values()],
    names: [...new Set(names)],
    blocks: sorted.map(({ block }) => block),
    rows: sorted.reduce((sum, { rows }) => sum + rows, 0),
    token: tokenOf(sorted),
  };
};

export const createAppendTogether = (tables: Pick<RowTables, 'insertTogether'>): AppendTogether => {
  /** Inserts segments with one statement. @param filled Segments with rows, of one table. */
  const insertBatch = async (
    filled: readonly WholeSegment[],
    { stop, log }: { readonly stop: AbortSignal; readonly log: Log },
  ): Promise<Outcome> => {
    const [first] = filled;
    if (first === undefined) return 'stored';
    const batch = batchOf(filled, first.to.place);
    for (let attempt = 0; ; attempt += 1) {
      try {
        const queryId = `${first.requestId}/${batch.token}/${crypto.randomUUID()}`;
        await tables.insertTogether({ ...batch, queryId });
        return attempt === 0 ? 'stored' : 'count';
      } catch (error) {
        if (!isPooled(batch.place) || (isClickHouseException(error) && !isPassing(error))) {
          log.warn(
            { err: error, uploads: filled.length },
            'batch of short uploads refused, trying one by one',
          );
          return 'begin_again';
        }
        if (stop.aborted) throw error;
        log.warn(
          { err: error, reason: messageOf(error), attempt },
          'batch of short uploads not stored, trying again',
        );
        await sleep(pauseMs(attempt));
      }
    }
  };

  return (segments, options) =>
    byTable(segments).map(async (together) => {
      const written = await insertBatch(
        together.filter(({ rows }) => rows > 0),
        options,
      );
      // An own table may lack columns of a file without rows.
      const isCounted = ({ rows, to }: WholeSegment): boolean => rows === 0 && !isPooled(to.place);
      return together.map((one) => ({
        one,
        outcome: written === 'stored' && isCounted(one) ? 'count' : written,
      }));
    });
};
