/**
 * Lineage of compacted segments: the uploaded segments that each was made of. Compaction does not change the rows of a version, so two
 * versions made of the same uploaded segments have the same rows. They differ only at positions of patches, and in rows of other segments,
 * that were written for one of them only. This also holds across a fold: its rows need not be compared with those of the bases. Records of
 * compactions are never deleted.
 */
import type { SegmentList } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import { inState } from './compaction-states.js';
import type { Pair } from './pair-rows.js';
import { isSamePlace } from './place.js';
import type { CountedRows } from './source.js';

/** A segment of a run that was joined or folded. */
interface Part {
  readonly id: number;
  /** Null: its record was deleted. */
  readonly patch: boolean | null;
  readonly rows: number;
  /** False: its rows are deleted, or may be soon. */
  readonly stored: boolean;
}

interface Run {
  readonly folds: boolean;
  readonly parts: readonly Part[];
}

/** Runs by the segment that each became. */
export type Lineage = ReadonlyMap<number, Run>;

/** Segments written for only one of two versions. */
export interface Divergence {
  /** Segments, except patches, that only one version has, for each. */
  readonly rest: Pair<SegmentList>;
  /** Stored patches that include all positions of the patches that only one version has. */
  readonly differing: readonly number[];
  /** Patches among them that neither version lists, and possibly no other version. */
  readonly retained: readonly Pick<Part, 'id' | 'rows'>[];
}

const readSql = `
  WITH RECURSIVE part (target, folds, id) AS (
    SELECT c.segment_id, c.folds, run.id FROM compactions c, unnest(c.run) AS run (id)
    WHERE c.segment_id = ANY ($1) AND ${inState('swapping', 'done')}
    UNION
    SELECT c.segment_id, c.folds, run.id FROM part JOIN compactions c ON c.segment_id = part.id, unnest(c.run) AS run (id)
    WHERE ${inState('swapping', 'done')}
  )
  SELECT part.target, part.folds, part.id, s.patch, coalesce(s.rows, 0) AS rows,
    s.id IS NOT NULL AND s.unreferenced_at IS NULL AS stored
  FROM part LEFT JOIN segments s ON s.id = part.id`;

/** Ids of one list that another list lacks. */
export const without = (some: readonly number[] = [], others: readonly number[] = []): number[] => {
  const there = new Set(others);
  return some.filter((id) => !there.has(id));
};

const basesWithout = ({ segmentIds, patches }: SegmentList, other: SegmentList): number[] =>
  without(without(segmentIds, patches), other.segmentIds);

const patchesWithout = ({ patches }: SegmentList, other: SegmentList): number[] =>
  without(patches, other.patches);

/** True if each of two versions has segments that the other lacks. */
const isMutual = (
  { from, to }: Pair<CountedRows>,
  lacking: (version: SegmentList, other: SegmentList) => readonly number[],
): boolean => lacking(from, to).length > 0 && lacking(to, from).length > 0;

/** Lineage of the segments of two versions; undefined if their lists are enough to compare them, or they share nothing. */
export const readLineage = async (
  sql: Sql,
  from: CountedRows,
  to: CountedRows,
): Promise<Lineage | undefined> => {
  if (from.place === null || to.place === null || !isSamePlace(from.place, to.place)) return undefined;
  const mayBeFolded = isMutual({ from, to }, basesWithout);
  // Patches of the earlier version may have been joined with patches of the later one.
  const mayBeJoined = !mayBeFolded && isMutual({ from, to }, patchesWithout);
  if (!mayBeFolded && !mayBeJoined) return undefined;
  const rows = await sql.query<Part & { readonly target: number; readonly folds: boolean }>(readSql, [
    [...new Set([...from.segmentIds, ...to.segmentIds])],
  ]);
  if (!mayBeJoined && !rows.some(({ folds }) => folds)) return undefined;
  const lineage = new Map<number, { folds: boolean; parts: Part[] }>();
  for (const { target, folds, ...part } of rows) {
    const run = lineage.get(target) ?? { folds, parts: [] };
    lineage.set(target, { ...run, parts: [...run.parts, part] });
  }
  return lineage;
};

/** How a version includes a segment that an upload wrote. */
interface Written {
  /** Undefined: no longer known. */
  readonly patch: boolean | undefined;
  /** The stored patch that includes its positions; undefined: none. */
  readonly cover: number | undefined;
}

const writtenIn = ({ segmentIds, patches = [] }: SegmentList, lineage: Lineage): Map<number, Written> => {
  const found = new Map<number, Written>();
  const visit = (id: number, written: Written): void => {
    const run = lineage.get(id);
    if (run === undefined) found.set(id, written);
    else
      for (const part of run.parts) {
        // Except in a fold, bases are joined with bases and patches with patches.
        const patch = part.patch ?? (run.folds ? undefined : written.patch);
        visit(part.id, { patch, cover: written.cover ?? (patch && part.stored ? part.id : undefined) });
      }
  };
  const isPatch = new Set(patches);
  for (const id of segmentIds) visit(id, { patch: isPatch.has(id), cover: isPatch.has(id) ? id : undefined });
  return found;
};

/** Returns undefined if the records do not tell how two versions differ. */
export const divergenceOf = ({ from, to }: Pair<CountedRows>, lineage: Lineage): Divergence | undefined => {
  if (from.cuts !== undefined || to.cuts !== undefined) return undefined;
  const written = { from: writtenIn(from, lineage), to: writtenIn(to, lineage) };
  const rest: Pair<number[]> = { from: [], to: [] };
  const differing = new Set<number>();
  const addDifferences = (
    name: 'from' | 'to',
    version: CountedRows,
    other: ReadonlyMap<number, Written>,
  ): boolean => {
    const named = new Set(version.segmentIds);
    for (const [id, { patch, cover }] of written[name]) {
      if (other.has(id)) continue;
      if (cover !== undefined) differing.add(cover);
      else if (patch === false && named.has(id)) rest[name].push(id);
      else return false;
    }
    return true;
  };
  if (!addDifferences('from', from, written.to) || !addDifferences('to', to, written.from)) return undefined;
  const named = new Set([...from.segmentIds, ...to.segmentIds]);
  const parts = [...lineage.values()].flatMap((run) => run.parts);
  const retained = new Map(
    parts.filter(({ id }) => differing.has(id) && !named.has(id)).map((part) => [part.id, part]),
  );
  return {
    rest: { from: { segmentIds: rest.from }, to: { segmentIds: rest.to } },
    differing: [...differing],
    retained: [...retained.values()],
  };
};
