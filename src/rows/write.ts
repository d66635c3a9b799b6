/** Rows of uploads on their way to where they are stored. Callers know segments and places, and no tables. */
import type { NamedColumn } from '../model/column.js';
import type { Place, SegmentFacts } from '../model/version.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { Target } from './copy.js';
import { countSegments, datesOf } from './count.js';
import { isEverywhere, isPooled } from './place.js';
import type { EncodedChunk } from './staging.js';
import { createRowTables } from './tables.js';
import { type AppendTogether, createAppendTogether } from './together.js';

/** The rows of a segment: as many as were written, or another number. */
export type Sealed =
  | { readonly kind: 'whole'; readonly facts: Omit<SegmentFacts, 'bytes'> }
  | { readonly kind: 'miscounted'; readonly rows: number };

export interface Write {
  /** Creates the columns that a place lacks, so that rows of a version with these columns can be read there. */
  prepare(place: Place, columns: readonly NamedColumn[]): Promise<void>;
  /** The same for a place that may have been changed by others. */
  prepareAgain(place: Place, columns: readonly NamedColumn[]): Promise<void>;
  /** Writes a chunk, once under its token however often it is repeated. */
  append(to: Target, chunk: EncodedChunk): Promise<void>;
  /** Writes segments of one chunk, those of one table in one statement. */
  readonly appendTogether: AppendTogether;
  /**
   * Ends the writing of a segment whose chunks were all written, and counts it: chunks that come late from here on change nothing.
   * Repeatable. Rows that were miscounted belong to no version.
   * @param columns All of the file.
   * @param date The time column, whose least and largest value are counted too.
   */
  seal(
    to: Target,
    rows: number,
    columns: readonly NamedColumn[],
    date?: NamedColumn | undefined,
  ): Promise<Sealed>;
}

export const createWrite = (servers: ClickHouseServers, tables = createRowTables(servers)): Write => {
  const prepareAgain: Write['prepareAgain'] = async (place, columns) => {
    tables.forget(place);
    await tables.ensure(place, columns);
  };

  return {
    prepare: tables.ensure,
    prepareAgain,
    append: tables.insert,
    appendTogether: createAppendTogether(tables),

    async seal(to, rows, columns, date) {
      const { segment, place } = to;
      // A version can be read only where each shard has all columns, whether it got a chunk or not.
      if (rows === 0) await prepareAgain(place, columns);
      else if (isEverywhere(place)) await tables.ensure(place, columns);
      if (rows > 0) await tables.promote(to, rows);
      const { rows: found, ...dates } = await countSegments(servers, place, { segmentIds: [segment] }, date);
      if (found !== rows) return { kind: 'miscounted', rows: found };
      if (!isPooled(place)) await tables.dropStaging(segment);
      return { kind: 'whole', facts: { rows, ...datesOf(dates) } };
    },
  };
};
