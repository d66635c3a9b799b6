import type { ReadableVersion } from '../model/version.js';
import { commonShard, type ShardPlace } from '../storage/clickhouse/client.js';

export interface ReadContext {
  readonly queryId: string;
  readonly signal: AbortSignal;
  /** Account or address whose heavy queries take turns; undefined: the rows are too few to limit it. */
  readonly owner?: string | undefined;
}

/** A query of fewer rows takes milliseconds, whatever it calculates. */
const manyRows = 100_000;

/** The owner whose heavy queries of so many rows take turns. */
export const ownerOfMany = (rows: number, owner: string): string | undefined =>
  rows < manyRows ? undefined : owner;

/**
 * Where the rows of versions lie, for one statement about all of them.
 * @throws AppError `unavailable` when they were moved between the looks at the versions.
 */
export const placeOf = (...versions: readonly Pick<ReadableVersion, 'placement'>[]): ShardPlace => {
  const [first, ...others] = versions.flatMap(({ placement }) => (placement === null ? [] : [placement]));
  return first === undefined ? {} : { shard: commonShard([first, ...others]) };
};
