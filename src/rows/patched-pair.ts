/**
 * The rows by which two versions differ that share segments, and of which one has patches that the other lacks. They differ at the
 * positions of these patches, and in the rows of segments that only one of them has; every other row is the same in both.
 */
import type { SegmentList } from '../model/version.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import type { Divergence } from './lineage.js';
import type { Pair, PairPart, PairRows } from './pair-rows.js';
import { type Condition, patchedRows } from './patches.js';
import { namedColumn, sourceOf, statedTable } from './place.js';
import { type CountedRows, countGuard, requirePlace, segmentRows } from './source.js';

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
  /** Segments that the other version lacks, or has another part of; across a fold those that are no patches. */
  readonly only: SegmentList;
  readonly differing: readonly number[];
  readonly witnesses: Divergence['witnesses'];
}

/** Condition that the version is complete, and all positions of the differing patches are there. */
const guardOf = (database: string, { name, version, witnesses }: Side): Condition => {
  const own = countGuard(database, version, name);
  if (witnesses.length === 0) return own;
  const { place, columns } = version;
  const segmentIds = witnesses.map(({ id }) => id);
  const rowCount = witnesses.reduce((sum, { rows }) => sum + rows, 0);
  const others = countGuard(database, { place, columns, segmentIds, rowCount }, 'witnesses');
  return { sql: `${own.sql} AND ${others.sql}`, values: { ...own.values, ...others.values } };
};

/**
 * True where the version has no row of the segments that both have at a position of the differing patches: all of these are its own,
 * and later than its other patches.
 */
const replacesShared = ({ version: { patches = [] }, only, differing }: Side): boolean => {
  const own = new Set(only.segmentIds);
  const first = Math.min(...differing);
  return differing.every((id) => own.has(id)) && patches.every((id) => own.has(id) || id < first);
};

/** Rows of one version that meet a condition. */
export const partOf = (
  database: string,
  version: CountedRows,
  name: 'from' | 'to',
  where: string,
): PairPart => ({
  from: sourceOf(database, requirePlace(version), version.columns.map(namedColumn)),
  where,
  columns: version.columns,
  side: name === 'from' ? '0' : '1',
});

const partsOf = (database: string, side: Side): { parts: PairPart[]; values: BoundValues } => {
  const { name, version, only, differing } = side;
  const { patches = [], cuts = [] } = version;
  const place = requirePlace(version);
  const guard = guardOf(database, side);
  const touched = patchedRows(statedTable(database, place), differingName);
  const part = (kind: string, list: SegmentList, isTouched: boolean): Condition =>
    segmentRows(database, place, {
      list: { ...list, patches },
      name: `${name}${kind}`,
      guard: guard.sql,
      ...(isTouched ? { within: touched } : {}),
    });
  const { segmentIds } = only;
  const both = without(version.segmentIds, segmentIds);
  const found: Condition[] = [];
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
    const { sql, values } = part('Both', list, true);
    found.push({ sql: `${sql} AND _row IN ${touched}`, values });
  }
  return {
    parts: found.map(({ sql }) => partOf(database, version, name, sql)),
    values: Object.assign({ ...guard.values }, ...found.map(({ values }) => values)),
  };
};

/** Rows that some patches of a version have; infinite where it is not known. */
const rowsOf = ({ patches = [], patchRows = [] }: SegmentList, some: ReadonlySet<number>): number =>
  patches.reduce(
    (sum, id, at) => (some.has(id) ? sum + (patchRows[at] ?? Number.POSITIVE_INFINITY) : sum),
    0,
  );

/**
 * Two SELECTs of each version: one of the segments that it alone has, and one of its others at the positions of the differing
 * patches, which the key of the table finds.
 * @param divergence With at least one differing patch.
 */
export const patchedPair = (
  database: string,
  { from, to }: Pair<CountedRows>,
  { rest, differing, witnesses }: Divergence,
): PairRows => {
  const sides: Side[] = [
    { name: 'from', version: from, only: rest.from, differing, witnesses },
    { name: 'to', version: to, only: rest.to, differing, witnesses },
  ];
  const found = sides
    .filter(({ version }) => version.rowCount > 0)
    .map((side) => ({ name: side.name, ...partsOf(database, side) }));
  const patched = new Set(differing);
  const isPatchesOnly = sides.every(({ only }) => only.segmentIds.every((id) => patched.has(id)));
  // A version has one row at most at each position.
  const others = witnesses.reduce((sum, { rows }) => sum + rows, 0);
  const touched = isPatchesOnly
    ? rowsOf(from, patched) + rowsOf(to, patched) + others
    : Number.POSITIVE_INFINITY;
  return {
    parts: found.flatMap(({ parts }) => parts),
    values: Object.assign({ [differingName]: differing }, ...found.map(({ values }) => values)),
    sides: found.flatMap(({ name, parts }) => (parts.length === 0 ? [] : [name])),
    mostRows: Math.min(from.rowCount, touched) + Math.min(to.rowCount, touched),
    shared: 'some',
    byPosition: true,
  };
};
