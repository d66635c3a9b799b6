/** Rows by which two versions of a dataset differ: those of segments that only one of them has. */
import { type StoredColumn, storageName } from '../model/column.js';
import type { SegmentList } from '../model/version.js';
import { type Divergence, divergenceOf, type Lineage } from './lineage.js';
import type { Pair, PairRows } from './pair-rows.js';
import { differingPatches, maxTouchedRows, partsOf, type Side, type SideRows } from './pair-side.js';
import { isSamePlace, namedColumn, sourceOf } from './place.js';
import { type CountedRows, countGuard, storedRows } from './source.js';

/** True if both lists have the same columns, stored in the same types. */
export const areAlike = (some: readonly StoredColumn[], others: readonly StoredColumn[]): boolean =>
  columnSet(some) === columnSet(others);

const columnSet = (columns: readonly StoredColumn[]): string =>
  columns
    .map((column) => `${column.id}/${storageName(column)}`)
    .sort()
    .join();

const cutsOf = ({ cuts = [] }: SegmentList): ReadonlyMap<number, number> =>
  new Map(cuts.map(({ segmentId, beforeUpload }) => [segmentId, beforeUpload]));

/** Segments of a version that another version lacks, or of which it has other rows. */
const segmentsWithout = (version: CountedRows, other: CountedRows): SegmentList => {
  if (version.rowCount === 0) return { segmentIds: [] };
  const [own, others, there] = [cutsOf(version), cutsOf(other), new Set(other.segmentIds)];
  const segmentIds = version.segmentIds.filter((id) => !there.has(id) || own.get(id) !== others.get(id));
  const left = new Set(segmentIds);
  const cuts = (version.cuts ?? []).filter(({ segmentId }) => left.has(segmentId));
  return { segmentIds, ...(cuts.length === 0 ? {} : { cuts }) };
};

const hasPatches = ({ patches = [] }: SegmentList): boolean => patches.length > 0;

const isAll = (rest: SegmentList, { segmentIds, rowCount }: CountedRows): boolean =>
  rowCount === 0 || rest.segmentIds.length === segmentIds.length;

const isNone = ({ segmentIds }: SegmentList): boolean => segmentIds.length === 0;

const sharedOf = (rest: Pair<SegmentList>, { from, to }: Pair<CountedRows>): PairRows['shared'] => {
  if (isAll(rest.from, from) && isAll(rest.to, to)) return 'none';
  if (isNone(rest.from)) return 'all of from';
  return isNone(rest.to) ? 'all of to' : 'some';
};

const none: SegmentList = { segmentIds: [] };

/** Divergence according to the segment lists alone. */
const divergenceOfLists = ({ from, to }: Pair<CountedRows>, isAlike: boolean): Divergence => {
  const rest = isAlike
    ? { from: segmentsWithout(from, to), to: segmentsWithout(to, from) }
    : { from: from.rowCount === 0 ? none : from, to: to.rowCount === 0 ? none : to };
  const isPatched = isAlike && sharedOf(rest, { from, to }) !== 'none';
  return { rest, differing: isPatched ? differingPatches(from, to) : [], retained: [] };
};

/** Rows of both versions in one SELECT; undefined if they cannot be read together. */
const bothSides = (
  database: string,
  { from, to }: Pair<CountedRows>,
  rest: Pair<SegmentList>,
): SideRows | undefined => {
  const { place, columns } = to;
  if (place === null || from.place === null || !isSamePlace(place, from.place)) return undefined;
  if (rest.from.cuts !== undefined || rest.to.cuts !== undefined) return undefined;
  // Patches of one version must not hide rows of the other.
  if (hasPatches(from) || hasPatches(to)) return undefined;
  const segmentIds = [...rest.from.segmentIds, ...rest.to.segmentIds];
  const isWhole = isAll(rest.from, from) && isAll(rest.to, to);
  const guards = isWhole
    ? [countGuard(database, { ...to, segmentIds, rowCount: from.rowCount + to.rowCount }, 'pair')]
    : [countGuard(database, from, 'from'), countGuard(database, to, 'to')];
  const rows = storedRows({
    list: { segmentIds },
    name: 'pair',
    guard: guards.map(({ sql }) => sql).join(' AND '),
  });
  return {
    parts: [
      {
        from: sourceOf(database, place, columns.map(namedColumn)),
        where: rows.sql,
        columns,
        side: '_seg IN {second:Array(UInt64)}',
      },
    ],
    values: {
      ...Object.assign({}, ...guards.map(({ values }) => values)),
      ...rows.values,
      second: rest.to.segmentIds,
    },
  };
};

/**
 * Returns the rows to compare. If both versions have the same columns, leaves out rows that they share. Every statement checks that the
 * versions it reads are complete.
 * @param lineage Lineage of their segments; absent: only segments that both versions list are shared.
 */
export const pairRows = (
  database: string,
  from: CountedRows,
  to: CountedRows,
  lineage?: Lineage,
): PairRows => {
  const isAlike = areAlike(from.columns, to.columns);
  const { rest, differing, retained } =
    (isAlike && lineage !== undefined ? divergenceOf({ from, to }, lineage) : undefined) ??
    divergenceOfLists({ from, to }, isAlike);
  const shared = sharedOf(rest, { from, to });
  const isPatched = differing.length > 0;
  const sides: readonly Side[] = [
    { name: 'from', version: from, only: rest.from, differing, retained },
    { name: 'to', version: to, only: rest.to, differing, retained },
  ];
  const found = sides.map((side) => ({ name: side.name, ...partsOf(database, side) }));
  const present = found.filter(({ parts }) => parts.length > 0);
  const together =
    isAlike && !isPatched && present.length === 2 ? bothSides(database, { from, to }, rest) : undefined;
  const read: readonly SideRows[] = together === undefined ? present : [together];
  const isOneContained = present.length < 2 && shared !== 'none';
  const maxRows = isOneContained ? Math.abs(to.rowCount - from.rowCount) : from.rowCount + to.rowCount;
  return {
    parts: read.flatMap(({ parts }) => parts),
    values: Object.assign({}, ...read.map(({ values }) => values)),
    sides: present.map(({ name }) => name),
    maxRows: isPatched ? maxTouchedRows(sides, retained) : maxRows,
    shared: isPatched ? 'some' : shared,
    byPosition: isPatched,
  };
};
