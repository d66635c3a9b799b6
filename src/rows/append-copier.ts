/** Copies the rows of several uploads beside those of the version that they are appended to, each into a segment of its own. */
import type { NamedColumn, Placement } from '../model/placement.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { sourceOf, statedTable, storedAs, writtenAs } from './places.js';
import { backgroundSettings, manySegmentSettings, type SegmentFingerprint } from './segments.js';

export interface AppendCopier {
  /** Of each segment that has rows, by its id. */
  fingerprints(
    place: Placement,
    columns: readonly NamedColumn[],
    segmentIds: readonly number[],
  ): Promise<ReadonlyMap<number, SegmentFingerprint>>;
  copy(copy: AppendCopy): Promise<void>;
}

export interface AppendCopy {
  readonly from: Placement;
  /** On the same shard, or spread as well. */
  readonly to: Placement;
  /** All columns that one of the segments has. */
  readonly columns: readonly NamedColumn[];
  readonly segments: readonly {
    readonly source: number;
    readonly target: number;
  }[];
}

export const createAppendCopier = (servers: ClickHouseServers): AppendCopier => {
  const { database } = servers;
  const where = 'WHERE _seg IN {sources:Array(UInt64)}';

  return {
    async fingerprints(place, columns, segmentIds) {
      const values = columns.map(({ name }) => `, ${name}`).join('');
      const found = await servers.at(place).rows<{ seg: string; rows: string; hash: string }>(
        // Within a tuple null, zero and an empty text have hashes of their own.
        `SELECT toString(_seg) AS seg, toString(count()) AS rows, toString(sum(sipHash64(tuple(_row${values})))) AS hash
         FROM ${sourceOf(database, place, columns)} ${where} GROUP BY _seg`,
        { params: { sources: segmentIds }, settings: backgroundSettings(columns.length) },
      );
      return new Map(found.map(({ seg, rows, hash }) => [Number(seg), { rows: Number(rows), hash }]));
    },

    async copy({ from, to, columns, segments }) {
      const names = columns.map((column) => `, ${storedAs(column, to).name}`).join('');
      const values = columns.map((column) => `, ${writtenAs(column.name, column, to)}`).join('');
      const params = {
        sources: segments.map(({ source }) => source),
        targets: segments.map(({ target }) => target),
      };
      await servers.at(from, to).command(
        `INSERT INTO ${statedTable(database, to)} (_seg, _row${names})
         SELECT transform(_seg, {sources:Array(UInt64)}, {targets:Array(UInt64)}, toUInt64(0)), _row${values}
         FROM ${sourceOf(database, from, columns)} ${where}`,
        { params, settings: manySegmentSettings },
      );
    },
  };
};
