import { messageOf } from '../lib/errors.js';
import type { Shard } from '../storage/clickhouse/client.js';
import { readServerSizes } from './sizes.js';

/** What one shard of a cluster holds; nulls while it does not answer. */
export interface ShardSizes {
  readonly shard: number;
  /** Why it does not answer; null when it does. */
  readonly error: string | null;
  /** On its disks. */
  readonly bytes: number | null;
  /** Of datasets. */
  readonly rows: number | null;
  readonly parts: number | null;
  /** Of all disks; null where ClickHouse does not know. */
  readonly freeBytes: number | null;
}

/** Of a shard that does not answer. */
export const away = (shard: number, error: string): ShardSizes => ({
  shard,
  error,
  bytes: null,
  rows: null,
  parts: null,
  freeBytes: null,
});

/** It does not throw: a shard that is away must not hide the others. */
export const readShardSizes = async ({ number: shard, clickhouse }: Shard): Promise<ShardSizes> => {
  try {
    const { kinds, disks } = await readServerSizes(clickhouse);
    const sum = (of: 'bytes' | 'rows' | 'parts'): number =>
      kinds.reduce((total, kind) => total + kind[of], 0);
    // A shard has nothing left when it has no rows but notes, such as its number.
    const notes = kinds.find(({ kind }) => kind === 'other')?.rows ?? 0;
    return {
      shard,
      error: null,
      bytes: sum('bytes'),
      rows: sum('rows') - notes,
      parts: sum('parts'),
      freeBytes: disks.length === 0 ? null : disks.reduce((total, disk) => total + disk.freeBytes, 0),
    };
  } catch (error) {
    return away(shard, messageOf(error));
  }
};
