/**
 * The rows by which two versions differ that share segments, and of which one has patches that the other lacks. They differ at the
 * positions of these patches, and in the rows of segments that only one of them has; every other row is the same in both.
 */
import type { SegmentList } from '../model/version.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import type { Pair, PairPart, PairRows } from './pair-rows.js';
import { patchedRows } from './patches.js';
import { namedColumn, sourceOf, statedTable } from './place.js';
import { type CountedRows, countGuard, segmentRows } from './source.js';

const without = (some: readonly number[], others: readonly number[]): number[] => {
  const there = new Set(others);
  return some.filter((id) => !there.has(id));
};

/** Patches that only one of two versions has. */
export const differingPatches = (
  { patches: one = [] }: SegmentList,
  { patches: other = [] }: SegmentList,
): number[] => [...without(one, other), ...without(other, one)];

/** Parameter that lists the differing patches. */
const differingName = 'differing';

interface Side {
  readonly name: 'from' | 'to';
  readonly version: CountedRows;
  /** Segments that the other version lacks, or has another part of. */
  readonly only: SegmentList;
  readonly differing: readonly number[];
}

/**
 * True where the version has no row of the segments that both have at a position of the differing patches: all of these are its own,
 * and later than its other patches.
 */
const replacesShared = ({ version: { patches = [] }, only, differing }: Side): boolean => {
  const own = new Set(only.segmentIds);
  const first = Math.min(...differing);
  return differing.every((id) => own.has(id)) && patches.every((id) => own.has(id) || id < first);
};

const partsOf = (database: string, side: Side): { parts: PairPart[]; values: BoundValues } => {
  const { name, version, only, differing } = side;
  const { place, columns, patches = [], cuts = [] } = version;
  if (place === null) throw new Error('a version has rows but no segment');
  const guard = countGuard(database, version, name);
  const touched = patchedRows(statedTable(database, place), differingName);
  const part = (kind: string, list: SegmentList, isTouched: boolean) => {
    const { sql, params } = segmentRows(database, place, {
      list: { ...list, patches },
      name: `${name}${kind}`,
      guard: guard.sql,
      ...(isTouched ? { within: touched } : {}),
    });
    return { sql, params };
  };
  const { segmentIds } = only;
  const both = without(version.segmentIds, segmentIds);
  const found = [];
  if (segmentIds.length > 0)
    found.push(
      part(
        'Only',
        only,
        segmentIds.every((id) => differing.includes(id)),
      ),
    );
  if (both.length > 0 && !replacesShared(side)) {
    const list = { segmentIds: both, cuts: cuts.filter(({ segmentId }) => both.includes(segmentId)) };
    const { sql, params } = part('Both', list, true);
    found.push({ sql: `${sql} AND _row IN ${touched}`, params });
  }
  return {
    parts: found.map(({ sql }) => ({
      from: sourceOf(database, place, columns.map(namedColumn)),
      where: sql,
      columns,
      side: name === 'from' ? '0' : '1',
    })),
    values: Object.assign({ ...guard.values }, ...found.map(({ params }) => params)),
  };
};

/** Rows that some patches of a version have; infinite where it is not known. */
const rowsOf = ({ patches = [], patchRows = [] }: SegmentList, some: ReadonlySet<number>): number =>
  patches.reduce(
    (sum, id, at) => (some.has(id) ? sum + (patchRows[at] ?? Number.POSITIVE_INFINITY) : sum),
    0,
  );

/**
 * Two SELECTs of each version: one of the segments that it alone has, and one of those of both at the positions of the differing
 * patches, which the key of the table finds.
 * @param rest Segments that only one of the versions has.
 * @param differing Patches among them; at least one.
 */
export const patchedPair = (
  database: string,
  { from, to }: Pair<CountedRows>,
  rest: Pair<SegmentList>,
  differing: readonly number[],
): PairRows => {
  const sides: Side[] = [
    { name: 'from', version: from, only: rest.from, differing },
    { name: 'to', version: to, only: rest.to, differing },
  ];
  const found = sides
    .filter(({ version }) => version.rowCount > 0)
    .map((side) => ({ name: side.name, ...partsOf(database, side) }));
  const patched = new Set(differing);
  const isPatchesOnly = sides.every(({ only }) => only.segmentIds.every((id) => patched.has(id)));
  // A version has one row at most at each position.
  const touched = isPatchesOnly ? rowsOf(from, patched) + rowsOf(to, patched) : Number.POSITIVE_INFINITY;
  return {
    parts: found.flatMap(({ parts }) => parts),
    values: Object.assign({ [differingName]: differing }, ...found.map(({ values }) => values)),
    sides: found.flatMap(({ name, parts }) => (parts.length === 0 ? [] : [name])),
    mostRows: Math.min(from.rowCount, touched) + Math.min(to.rowCount, touched),
    shared: 'some',
    byPosition: true,
  };
};
