/**
 * Compares PostgreSQL with ClickHouse: rows and hash of every segment of a version, and the number of rows of every version. Reads a page of
 * segments at a time. Workers may run meanwhile, so every deviation is checked again before it is reported.
 */
import { isAppError, notFound } from '../../lib/errors.js';
import {
  byTable,
  type HashedSegment,
  type Hashes,
  type ReferencedSegment,
  tableOfSegment,
} from '../../rows/index.js';
import { isUnreadable } from '../../storage/clickhouse/errors.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type VersionFault, wrongVersions } from './version-counts.js';
import type { UnreadableVersions, VersionReads } from './version-reads.js';

type SegmentFaultKind = 'rows_missing' | 'rows_surplus' | 'values_changed' | 'unreadable';

export interface Fault {
  /** Lowest id of the affected datasets, and the name of this dataset. */
  readonly dataset: number;
  readonly name: string;
  /** Number of versions with the segment, including those of clones; for a fault of a whole version, its id. */
  readonly versions: number;
  /** Null: the fault is of a whole version. */
  readonly segment: number | null;
  readonly table: string | null;
  readonly fault: SegmentFaultKind | VersionFault['fault'] | UnreadableVersions['fault'];
  /** Rows. */
  readonly expected: number;
  readonly found: number | null;
  /**
   * `repaired` from Kafka; `restored` from a backup; `equal`: the rows match those in Kafka, so the recorded hash was wrong; otherwise the
   * reason why the repair failed; null: not tried.
   */
  readonly repair: string | null;
}

export interface VerificationReport {
  readonly versions: number;
  readonly segments: number;
  readonly rows: number;
  /** Segments whose recorded hash matches, and segments whose hash this run recorded. */
  readonly hashesCompared: number;
  readonly hashesRecorded: number;
  readonly repaired: number;
  /** Faults that remain. */
  readonly left: number;
  /** The first thousand faults. */
  readonly faults: readonly Fault[];
}

/**
 * Writes the rows of a segment again. Returns `equal`, `repaired` or `restored`, or the reason why it could not.
 * @throws AppError with the reason why it could not
 */
export type RepairSegment = (segment: ReferencedSegment) => Promise<string>;

/** Outcomes of successful repairs. */
const successfulRepairs: readonly (string | null)[] = ['repaired', 'restored', 'equal'];

export interface Verification {
  /**
   * @param dataset Only versions of this dataset; undefined: all.
   * @param repair Undefined: nothing is repaired.
   * @throws AppError 404 for an unknown dataset; also for an outage, which is not a fault
   */
  verify(options: {
    readonly dataset?: number;
    readonly repair?: RepairSegment;
  }): Promise<VerificationReport>;
}

interface VerificationOptions {
  readonly sql: Sql;
  readonly hashes: Hashes;
  readonly reads: Pick<VersionReads, 'check'>;
}

const pageSize = 1_000;
const listedFaults = 1_000;

const ownersSql = `
  SELECT min(d.id) AS dataset, (array_agg(d.name ORDER BY d.id))[1] AS name, count(v.id)::int AS versions
  FROM segment_ranges r JOIN datasets d ON d.id = r.dataset_id JOIN versions v ON v.dataset_id = r.dataset_id
    AND v.id >= r.from_version AND (r.until_version IS NULL OR v.id < r.until_version)
  WHERE r.segment_id = $1 HAVING count(*) > 0`;

type Reading = HashedSegment | 'unreadable' | undefined;

interface Deviation {
  readonly fault: SegmentFaultKind;
  readonly found: number | null;
}

const deviationOf = (segment: ReferencedSegment, reading: Reading): Deviation | undefined => {
  if (reading === 'unreadable') return { fault: 'unreadable', found: null };
  const found = reading?.rows ?? 0;
  if (found < segment.rows) return { fault: 'rows_missing', found };
  if (found > segment.rows) return { fault: 'rows_surplus', found };
  if (reading !== undefined && segment.hash !== null && reading.hash !== segment.hash)
    return { fault: 'values_changed', found };
  return undefined;
};

const requireDataset = async (sql: Sql, id: number | undefined): Promise<void> => {
  if (id === undefined) return;
  const [found] = await sql.query('SELECT 1 FROM datasets WHERE id = $1', [id]);
  if (found === undefined) throw notFound('dataset_not_found', `There is no dataset ${id}.`);
};

export const createVerification = ({ sql, hashes, reads }: VerificationOptions): Verification => {
  const readSegment = async (segment: ReferencedSegment): Promise<Reading> => {
    try {
      return (await hashes.read([segment]))[0];
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return 'unreadable';
    }
  };

  /** Reads the rows and hashes of segments of one table. */
  const readTable = async (
    segments: readonly ReferencedSegment[],
  ): Promise<(segment: ReferencedSegment) => Reading> => {
    try {
      const found = new Map((await hashes.read(segments)).map((one) => [one.segmentId, one]));
      return ({ id }) => found.get(id);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
    const found = new Map<number, Reading>();
    for (const segment of segments) found.set(segment.id, await readSegment(segment));
    return ({ id }) => found.get(id);
  };

  /** Checks a deviation again: the segment may have been dropped, moved or joined between the two reads. */
  const checkAgain = async (
    segment: ReferencedSegment,
  ): Promise<(Deviation & { segment: ReferencedSegment }) | undefined> => {
    const now = await hashes.find(segment.id);
    if (now === undefined) return undefined;
    const deviation = deviationOf(now, await readSegment(now));
    if (deviation === undefined) return undefined;
    const still = await hashes.find(segment.id);
    return still?.mapId === now.mapId ? { ...deviation, segment: now } : undefined;
  };

  const faultOf = async (
    segment: ReferencedSegment,
    { fault, found }: Deviation,
  ): Promise<Fault | undefined> => {
    const [owner] = await sql.query<Pick<Fault, 'dataset' | 'name' | 'versions'>>(ownersSql, [segment.id]);
    return (
      owner && {
        ...owner,
        segment: segment.id,
        table: tableOfSegment(segment),
        fault,
        expected: segment.rows,
        found,
        repair: null,
      }
    );
  };

  return {
    async verify({ dataset, repair }) {
      await requireDataset(sql, dataset);
      const count = { segments: 0, rows: 0, hashesCompared: 0, hashesRecorded: 0, repaired: 0, left: 0 };
      const faults: Fault[] = [];

      const report = (fault: Fault): void => {
        if (successfulRepairs.includes(fault.repair)) count.repaired += 1;
        else count.left += 1;
        if (faults.length < listedFaults) faults.push(fault);
      };

      const repairOf = async (segment: ReferencedSegment): Promise<string | null> => {
        if (repair === undefined) return null;
        try {
          const outcome = await repair(segment);
          if (outcome === 'equal') await hashes.forget(segment.id);
          return outcome;
        } catch (error) {
          if (!isAppError(error) || error.kind === 'unavailable') throw error;
          return error.code;
        }
      };

      const checkTable = async (segments: readonly ReferencedSegment[]): Promise<void> => {
        const readingOf = await readTable(segments);
        const fresh: { segment: ReferencedSegment; hash: string }[] = [];
        for (const segment of segments) {
          const reading = readingOf(segment);
          if (deviationOf(segment, reading) !== undefined) {
            const confirmed = await checkAgain(segment);
            const fault = confirmed && (await faultOf(confirmed.segment, confirmed));
            if (confirmed !== undefined && fault !== undefined)
              report({ ...fault, repair: await repairOf(confirmed.segment) });
          } else if (typeof reading === 'object') {
            if (segment.hash === null) fresh.push({ segment, hash: reading.hash });
            else count.hashesCompared += 1;
          }
        }
        count.hashesRecorded += await hashes.keep(fresh);
      };

      for (let after = 0; ; ) {
        const page = await hashes.page(after, pageSize, dataset);
        for (const segments of byTable(page)) await checkTable(segments);
        count.segments += page.length;
        count.rows += page.reduce((sum, { rows }) => sum + rows, 0);
        if (page.length < pageSize) break;
        after = page.at(-1)?.id ?? after;
      }
      const check = (datasets: readonly number[]) => reads.check(datasets, repair !== undefined);
      const versions = await wrongVersions({ sql, hashes, check, dataset }, (fault) =>
        report({ repair: null, ...fault, versions: fault.version, segment: null, table: null }),
      );
      return { versions, ...count, faults };
    },
  };
};
