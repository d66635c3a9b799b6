/**
 * Where the rows of a segment lie (docs/adr/0026-pools.md, docs/adr/0070-shards.md).
 *
 *   table   the table of its store: a dataset and its clones
 *   pool    a table that many small datasets share; a slot map says which column lies in which of its slots
 *   shard   the server that has these tables. All rows of a store lie on one, or the store is spread: it has a table on
 *           each of them
 */
import type { PhysicalType } from './column.js';
import type { SlotKind } from './column-types/column-type.js';
import { columnTypeOf } from './column-types/column-types.js';

export const poolClasses = ['narrow', 'medium', 'wide'] as const;
export type PoolClass = (typeof poolClasses)[number];

/** Slots of each kind. More may be added; none may go. */
export const poolShapes: Readonly<Record<PoolClass, Readonly<Record<SlotKind, number>>>> = {
  narrow: { d: 2, s: 5, f: 6, i: 2, h: 0 },
  medium: { d: 3, s: 10, f: 14, i: 3, h: 1 },
  wide: { d: 4, s: 16, f: 26, i: 6, h: 2 },
};

/** Names of slots (`f0`) by names of stored columns (`c12_f`). */
export type Slots = Readonly<Record<string, string>>;

export interface PoolPlace {
  /** Id of the slot map. */
  readonly mapId: number;
  readonly pool: PoolClass;
  readonly slots: Slots;
}

/** Number of a shard, from 1; null: rows are spread over all of them. */
export type ShardNumber = number | null;

/** The only one, where there is no cluster. */
export const firstShard = 1;

export interface Placement {
  /** Number of the store and of its table. */
  readonly storeId: number;
  readonly shard: ShardNumber;
  /** Shard that has the pools of a store that is everywhere. @default `shard` */
  readonly home?: number;
  /** Null: the table of the store. */
  readonly pool: PoolPlace | null;
}

/** True where rows of both can be listed by one version. */
export const isSamePlace = (a: Placement, b: Placement): boolean =>
  a.storeId === b.storeId && a.shard === b.shard && a.pool?.mapId === b.pool?.mapId;

/** True where a pool has a slot for each of the columns; a table of a store gets the columns that it lacks. */
export const hasSlots = ({ pool }: Placement, columns: readonly NamedColumn[]): boolean =>
  pool === null || columns.every(({ name }) => Object.hasOwn(pool.slots, name));

export interface NamedColumn {
  /** As `storageName` gives it. */
  readonly name: string;
  readonly physical: PhysicalType;
}

/** The column of a stored name: `c12_n38_4` -> `n38_4`. */
export const namedColumnOf = (name: string): NamedColumn => {
  const physical = /^c\d+_(.+)$/.exec(name)?.[1];
  if (physical === undefined) throw new RangeError(`${name} is not the name of a stored column`);
  return { name, physical: physical as PhysicalType };
};

/** The slots with those of further columns; undefined when the class has no room for them. */
export const extendSlots = (
  pool: PoolClass,
  slots: Slots,
  columns: readonly NamedColumn[],
): Slots | undefined => {
  const extended: Record<string, string> = { ...slots };
  const taken = new Set(Object.values(slots));
  for (const { name, physical } of columns) {
    if (Object.hasOwn(extended, name)) continue;
    const kind = columnTypeOf(physical).pool.slot(physical);
    let number = 0;
    while (taken.has(`${kind}${number}`)) number += 1;
    if (number >= poolShapes[pool][kind]) return undefined;
    extended[name] = `${kind}${number}`;
    taken.add(`${kind}${number}`);
  }
  return extended;
};

/** The smallest class that has slots for the columns; undefined when none has. */
export const poolClassFor = (columns: readonly NamedColumn[]): PoolClass | undefined =>
  poolClasses.find((pool) => extendSlots(pool, {}, columns) !== undefined);

/** What a dataset may hold and still lie in a pool. */
export interface PoolLimits {
  readonly maxRows: number;
  /** Raw bytes. */
  readonly maxBytes: number;
}

export const fitsPool = (
  { maxRows, maxBytes }: PoolLimits,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): boolean => rows <= maxRows && bytes <= maxBytes;

/** The servers of the configuration, by number. */
export interface ServedShards {
  readonly shards: readonly number[];
  /** They are a cluster: what is spread over its shards can be reached. */
  readonly spread: boolean;
}
