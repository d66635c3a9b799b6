/** Pools: tables that many small datasets share. Their columns are slots; a slot map says which column is in which slot. */
import type { NamedColumn } from '../model/column.js';
import type { PlainKind } from '../model/column-types/column-type.js';
import { columnTypeOf } from '../model/column-types/column-types.js';

export const poolClasses = ['narrow', 'medium', 'wide'] as const;
export type PoolClass = (typeof poolClasses)[number];

/** Number of slots of each kind. Slots may be added, but never removed. */
export const poolShapes: Readonly<Record<PoolClass, Readonly<Record<PlainKind, number>>>> = {
  narrow: { d: 2, s: 5, f: 6, i: 2, h: 0 },
  medium: { d: 3, s: 10, f: 14, i: 3, h: 1 },
  wide: { d: 4, s: 16, f: 26, i: 6, h: 2 },
};

/** Slot names (`f0`) by names of stored columns (`c12_f`). */
export type Slots = Readonly<Record<string, string>>;

/** Adds slots for more columns; undefined if the class has no room for them. */
export const extendSlots = (
  pool: PoolClass,
  slots: Slots,
  columns: readonly NamedColumn[],
): Slots | undefined => {
  const extended: Record<string, string> = { ...slots };
  const taken = new Set(Object.values(slots));
  for (const { name, physical } of columns) {
    if (Object.hasOwn(extended, name)) continue;
    const kind = columnTypeOf(physical).plain.kind(physical);
    let number = 0;
    while (taken.has(`${kind}${number}`)) number += 1;
    if (number >= poolShapes[pool][kind]) return undefined;
    extended[name] = `${kind}${number}`;
    taken.add(`${kind}${number}`);
  }
  return extended;
};

/** The smallest class with slots for the columns; undefined if there is none. */
export const poolClassFor = (columns: readonly NamedColumn[]): PoolClass | undefined =>
  poolClasses.find((pool) => extendSlots(pool, {}, columns) !== undefined);

/** Largest dataset in a pool. */
export interface PoolLimits {
  readonly maxRows: number;
  /** Raw bytes. */
  readonly maxBytes: number;
}

export const fitsPool = (
  { maxRows, maxBytes }: PoolLimits,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): boolean => rows <= maxRows && bytes <= maxBytes;

const slotTypes: Readonly<Record<PlainKind, string>> = {
  d: 'Date32',
  s: 'String',
  f: 'Float64',
  // A decimal as an integer, without its point.
  i: 'Int128',
  h: 'Int256',
};

export interface ColumnDefinition {
  readonly name: string;
  /** In ClickHouse's notation. */
  readonly type: string;
}

export const slotColumns = (pool: PoolClass): readonly ColumnDefinition[] =>
  Object.entries(poolShapes[pool]).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, number) => ({
      name: `${kind}${number}`,
      type: `Nullable(${slotTypes[kind as PlainKind]})`,
    })),
  );

/** ClickHouse type of the slot for a column. */
export const slotType = ({ physical }: Pick<NamedColumn, 'physical'>): string =>
  slotTypes[columnTypeOf(physical).plain.kind(physical)];
