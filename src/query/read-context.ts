import type { ReadableVersion } from '../model/version.js';
import { commonShard, type ShardPlace } from '../storage/clickhouse/client.js';

export interface ReadContext {
  readonly queryId: string;
  readonly signal: AbortSignal;
}

/**
 * Where the rows of versions lie, for one statement about all of them.
 * @throws AppError `unavailable` when they were moved between the looks at the versions.
 */
export const placeOf = (...versions: readonly Pick<ReadableVersion, 'placement'>[]): ShardPlace => {
  const [first, ...others] = versions.flatMap(({ placement }) => (placement === null ? [] : [placement]));
  return first === undefined ? {} : { shard: commonShard([first, ...others]) };
};
