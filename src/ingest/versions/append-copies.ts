/**
 * An append to a version in the table of its store, whose own rows lie in a pool: they are copied to where those of the
 * version are. Appends that wait behind it, and change nothing of what is there either, are copied with it: one statement
 * for all of them. Each is then published where it is due, without a merge of its own.
 *
 *   1 choose    the upload and those directly behind it in one slot map, while every column stays as it is
 *   2 look      count and hash of their rows; one that lost rows is left to its own turn, with all behind it
 *   3 copy      each into a segment whose number is used once
 *   4 compare   count and hash again
 *   5 say so    the dispatcher writes it down, and publishes whatever is due
 *
 * One that cannot be joined when its turn comes (another version came in between) is merged like any other upload.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import { isSamePlace, type Placement } from '../../model/placement.js';
import { segmentId, timeColumnOf } from '../../model/version.js';
import type { AppendCopier } from '../../rows/append-copier.js';
import { namedColumn } from '../../rows/places.js';
import { requireEqualRows, type SegmentFingerprint } from '../../rows/segments.js';
import type { StoreTables } from '../../rows/tables.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { BaseVersion } from '../layout/base-version.js';
import { joinedColumns, storedColumns } from '../layout/layout.js';
import type { MergeRecords, UploadTurn, WaitingAppend } from '../lifecycle/merge-records.js';
import type { Outcome } from '../lifecycle/outcome.js';
import { joinFacts } from './joined-facts.js';
import { boundTo, conflictingNames, isBoundTo, isKeptIn, isStale } from './layout-rebase.js';
import { Miscount } from './miscount.js';

export interface AppendCopiesOptions {
  readonly sql: Sql;
  readonly tables: Pick<StoreTables, 'ensure' | 'forget'>;
  readonly copier: AppendCopier;
  readonly merges: Pick<MergeRecords, 'appendsInLine' | 'beginCopies'>;
}

/** Undefined: the upload has to be merged. */
export type CopyAppends = (turn: UploadTurn, base: BaseVersion) => Promise<Outcome | undefined>;

/** Uploads that are copied together. Each is a part of its own in the table. */
const maxAppends = 64;
/** Their raw bytes, but for the first. */
const maxBytes = 64 * 1024 * 1024;

const none: SegmentFingerprint = { rows: 0, hash: '0' };

const sourceOfAppend = ({ processId, attempt }: WaitingAppend): number => segmentId(processId, attempt);

/** The appends that leave every column as it is, up to the first that does not. */
const plainOnes = (line: readonly WaitingAppend[], base: BaseVersion): WaitingAppend[] => {
  const [first] = line;
  const plain: WaitingAppend[] = [];
  let columns = base.columns;
  let bytes = 0;
  for (const append of line) {
    const { layout, placement, facts } = append;
    const bound = boundTo(layout, { ...base, columns }, 'append');
    const joined = joinedColumns(columns, bound);
    bytes += facts.bytes;
    const fits =
      first !== undefined &&
      isSamePlace(placement, first.placement) &&
      (append === first || bytes <= maxBytes) &&
      isKeptIn(joined, columns) &&
      conflictingNames(bound).length === 0 &&
      isBoundTo(layout, bound) &&
      (facts.days !== undefined || timeColumnOf(joined) === undefined);
    if (!fits) break;
    plain.push(append);
    columns = joined;
  }
  return plain;
};

const allColumns = (appends: readonly WaitingAppend[]): StoredColumn[] => {
  const columns = appends.flatMap(({ layout }) => storedColumns(layout));
  return [...new Map(columns.map((column) => [storageName(column), column])).values()];
};

export const createAppendCopies = ({ sql, tables, copier, merges }: AppendCopiesOptions): CopyAppends => {
  const isPossible = async (turn: UploadTurn, base: BaseVersion): Promise<Placement | undefined> => {
    const { mode, copied, placement, layout, facts, datasetId } = turn;
    const place = base.placement;
    if (mode !== 'append' || copied || place === null || place.pool !== null || placement.pool === null)
      return undefined;
    if (!isSamePlace({ ...placement, pool: null }, place) || (await isStale(sql, turn))) return undefined;
    const columns = joinedColumns(base.columns, layout);
    const joined = await joinFacts(sql, datasetId, base, columns, { columns: storedColumns(layout), facts });
    return joined && place;
  };

  /** Those whose rows are all there, up to the first that lacks some. */
  const whole = (
    appends: readonly WaitingAppend[],
    found: ReadonlyMap<number, SegmentFingerprint>,
  ): readonly WaitingAppend[] => {
    const lacking = appends.findIndex(
      (append) => (found.get(sourceOfAppend(append)) ?? none).rows !== append.facts.rows,
    );
    if (lacking === 0) throw new Miscount('the segment of the file lost rows');
    return lacking < 0 ? appends : appends.slice(0, lacking);
  };

  return async (turn, base) => {
    const to = await isPossible(turn, base);
    if (to === undefined) return undefined;
    const from = turn.placement;
    const line = plainOnes(await merges.appendsInLine(turn, maxAppends), base);
    if (line[0]?.processId !== turn.processId) return undefined;
    const columns = allColumns(line).map(namedColumn);
    await tables.ensure(to, columns);
    const before = await copier.fingerprints(from, columns, line.map(sourceOfAppend));
    const appends = new Map(whole(line, before).map((append) => [append.processId, append]));
    const begun = await merges.beginCopies(turn, [...appends.keys()]);
    const segments = begun.flatMap(({ processId, segmentId: target }) => {
      const append = appends.get(processId);
      return append === undefined
        ? []
        : [{ source: sourceOfAppend(append), target, rows: append.facts.rows }];
    });
    if (segments.length === 0) return { kind: 'done' };
    try {
      await copier.copy({ from, to, columns, segments });
    } catch (error) {
      tables.forget(to);
      throw error;
    }
    const after = await copier.fingerprints(
      to,
      columns,
      segments.map(({ target }) => target),
    );
    for (const { source, target, rows } of segments)
      requireEqualRows(before.get(source) ?? none, after.get(target) ?? none, rows);
    return { kind: 'copied', copies: begun };
  };
};
