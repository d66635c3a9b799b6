/** Writes rows of uploads. Callers know segments and places, but no tables. */
import type { NamedColumn } from '../model/column.js';
import type { Place, SegmentFacts } from '../model/version.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { Target } from './copy.js';
import { countSegments, datesOf } from './count.js';
import { isEverywhere, isPooled } from './place.js';
import type { EncodedChunk } from './staging.js';
import { createRowTables } from './tables.js';
import { type AppendTogether, createAppendTogether } from './together.js';

/** A sealed segment: with as many rows as were written, or another number. */
export type Sealed =
  | { readonly kind: 'whole'; readonly facts: Omit<SegmentFacts, 'bytes'> }
  | { readonly kind: 'miscounted'; readonly rows: number };

export interface Write {
  /** Creates missing columns of a place, so that versions with these columns can be read there. */
  prepare(place: Place, columns: readonly NamedColumn[]): Promise<void>;
  /** Like `prepare`, for a place that another process may have changed. */
  prepareAgain(place: Place, columns: readonly NamedColumn[]): Promise<void>;
  /** Writes a chunk. Repeating it with the same token adds nothing. */
  append(to: Target, chunk: EncodedChunk): Promise<void>;
  /** Writes segments of one chunk each, with one statement per table. */
  readonly appendTogether: AppendTogether;
  /**
   * Seals a segment whose chunks are all written, and counts it; late chunks then have no effect. Idempotent. A miscounted segment must not
   * be published.
   * @param columns All columns of the file.
   * @param date The time column, whose range is determined too.
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
      // Reading a version needs all columns on each shard, even on shards without a chunk.
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
