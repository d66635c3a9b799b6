/**
 * Rows of one of two versions that a comparison reads: rows of segments that only this version has and, if patches differ, rows of the
 * shared segments at the positions of these patches. All other rows are the same in both versions.
 */
import type { SegmentList } from '../model/version.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import { type Divergence, without } from './lineage.js';
import type { PairPart } from './pair-rows.js';
import { type Condition, patchedRows } from './patches.js';
import { namedColumn, sourceOf, statedTable } from './place.js';
import { type CountedRows, countGuard, requirePlace, segmentRows } from './source.js';

/** Patches that only one of two versions has. */
export const differingPatches = (
  { patches: one = [] }: SegmentList,
  { patches: other = [] }: SegmentList,
): number[] => [...without(one, other), ...without(other, one)];

/** Query parameter with the ids of the differing patches. */
const differingParam = 'differing';

export interface Side extends Pick<Divergence, 'differing' | 'retained'> {
  readonly name: 'from' | 'to';
  readonly version: CountedRows;
  /** Segments that the other version lacks, or has another part of; without patches across a fold. */
  readonly only: SegmentList;
}

/** Condition that the version is complete and all positions of the differing patches are present. */
const guardOf = (database: string, { name, version, retained }: Side): Condition => {
  const own = countGuard(database, version, name);
  if (retained.length === 0) return own;
  const { place, columns } = version;
  const segmentIds = retained.map(({ id }) => id);
  const rowCount = retained.reduce((sum, { rows }) => sum + rows, 0);
  const others = countGuard(database, { place, columns, segmentIds, rowCount }, 'retained');
  return { sql: `${own.sql} AND ${others.sql}`, values: { ...own.values, ...others.values } };
};

/**
 * True if the differing patches replace every other row at their positions: this version has all of them, and they are later than its
 * other patches.
 */
const replacesOthers = ({ version: { patches = [] }, differing }: Side): boolean => {
  const those = new Set(differing);
  const first = Math.min(...differing);
  return differing.every((id) => patches.includes(id)) && patches.every((id) => those.has(id) || id < first);
};

/** Segments besides those that only this version has, which may have a row at a position of the differing patches. */
const sharedSegments = (side: Side): number[] => {
  const { version, only, differing } = side;
  if (differing.length === 0) return [];
  return without(replacesOthers(side) ? differing : version.segmentIds, only.segmentIds);
};

/** SELECTs of the differing rows, of one version or of both, with the values of their parameters. */
export interface SideRows {
  readonly parts: readonly PairPart[];
  readonly values: BoundValues;
}

/** One SELECT of the segments that only this version has, and one of the shared segments at patched positions, by the primary key. */
export const partsOf = (database: string, side: Side): SideRows => {
  const { name, version, only, differing } = side;
  const { patches = [], cuts = [] } = version;
  const shared = sharedSegments(side);
  if (version.rowCount === 0 || only.segmentIds.length + shared.length === 0)
    return { parts: [], values: {} };
  const place = requirePlace(version);
  const guard = guardOf(database, side);
  const touched = patchedRows(statedTable(database, place), differingParam);
  const rows = (kind: string, list: SegmentList, isTouched: boolean): Condition =>
    segmentRows(database, place, {
      // All patches of the version decide which rows are visible.
      list: { ...list, patches },
      name: `${name}${kind}`,
      guard: guard.sql,
      ...(isTouched ? { within: touched } : {}),
    });
  const found: Condition[] = [];
  if (only.segmentIds.length > 0)
    found.push(
      rows(
        'Only',
        only,
        only.segmentIds.every((id) => differing.includes(id)),
      ),
    );
  if (shared.length > 0) {
    const list = { segmentIds: shared, cuts: cuts.filter(({ segmentId }) => shared.includes(segmentId)) };
    const { sql, values } = rows('Both', list, true);
    found.push({ sql: `${sql} AND _row IN ${touched}`, values });
  }
  const { columns } = version;
  const from = sourceOf(database, place, columns.map(namedColumn));
  return {
    parts: found.map(({ sql }) => ({ from, where: sql, columns, side: name === 'from' ? '0' : '1' })),
    values: Object.assign(
      differing.length === 0 ? {} : { [differingParam]: differing },
      guard.values,
      ...found.map(({ values }) => values),
    ),
  };
};

/** Number of rows in some patches of a version; infinite if unknown. */
const rowsInPatches = ({ patches = [], patchRows = [] }: SegmentList, some: ReadonlySet<number>): number =>
  patches.reduce(
    (sum, id, at) => (some.has(id) ? sum + (patchRows[at] ?? Number.POSITIVE_INFINITY) : sum),
    0,
  );

/** Upper bound of the rows to read: those at patched positions if the versions differ in nothing else, otherwise all rows. */
export const maxTouchedRows = (sides: readonly Side[], retained: Divergence['retained']): number => {
  const patched = new Set(sides.flatMap(({ differing }) => differing));
  const isPatchesOnly = sides.every(({ only }) => only.segmentIds.every((id) => patched.has(id)));
  const own = sides.reduce((sum, { version }) => sum + rowsInPatches(version, patched), 0);
  const touched = isPatchesOnly
    ? retained.reduce((sum, { rows }) => sum + rows, own)
    : Number.POSITIVE_INFINITY;
  // A version has at most one row per position.
  return sides.reduce((sum, { version }) => sum + Math.min(version.rowCount, touched), 0);
};
