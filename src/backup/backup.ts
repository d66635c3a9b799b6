/**
 * Makes a backup while the product runs.
 *
 *   1 hold      from here on no rows are dropped from ClickHouse (storage/postgres/held-segments.ts)
 *   2 snapshot  the state of PostgreSQL at one moment, which is that of the backup. Segments are immutable and were
 *               written before a version referenced them, so segments of the snapshot can be copied later, also where
 *               stores are moved to another shard meanwhile: their rows also stay where they were
 *   3 rows      of segments that no earlier backup of the folder has, compared with count and hash
 *   4 manifest  and, last, the file that marks the backup as complete, if the hold was not lost meanwhile
 *
 * The next backup removes the files of one that was interrupted.
 */

import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { conflict } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { isoUtc } from '../lib/time.js';
import { type ReferencedSegment, readNeeded } from '../rows/index.js';
import type { CatalogSnapshot } from '../storage/postgres/catalog-copy.js';
import type { BackupFolder } from './backup-folder.js';
import { type CatalogFile, catalogKey, type Manifest, manifestFormat, type SegmentFile } from './manifest.js';
import { isSavedIn, type SegmentArchive } from './segment-archive.js';

export interface BackupReport {
  readonly id: string;
  readonly takenAt: string;
  readonly accounts: number;
  readonly datasets: number;
  readonly versions: number;
  readonly segments: number;
  readonly rows: number;
  /** Segments whose rows an earlier backup of the folder has. */
  readonly reused: number;
  readonly bytesWritten: number;
  /** Files of this backup, including those that it shares with others. */
  readonly files: number;
  readonly bytes: number;
  /** Files that no backup needs any more. */
  readonly removedFiles: number;
}

interface Hold {
  /** @throws Error if the hold was lost, since rows may have been dropped. */
  requireHeld(): Promise<void>;
  release(): Promise<void>;
}

interface BackupOptions {
  readonly folder: BackupFolder;
  readonly archive: SegmentArchive;
  readonly hold: () => Promise<Hold>;
  readonly snapshot: <T>(work: (snapshot: CatalogSnapshot) => Promise<T>) => Promise<T>;
  /** Identity of the baseline that created the catalog. */
  readonly baseline: string;
  /** Names of the migrations that the catalog has. */
  readonly migrations: (snapshot: CatalogSnapshot) => Promise<string[]>;
  readonly exports: () => Promise<Manifest['exports']>;
  readonly product: string;
  readonly log: Log;
}

const countsSql = `SELECT (SELECT count(*)::int FROM accounts) AS accounts, (SELECT count(*)::int FROM datasets) AS datasets,
  (SELECT count(*)::int FROM versions) AS versions`;

interface Moment {
  readonly takenAt: string;
  readonly installation: string;
  readonly migrations: string[];
  readonly catalog: CatalogFile[];
  readonly sequences: Manifest['sequences'];
  readonly needed: ReferencedSegment[];
  readonly counts: Pick<Manifest['counts'], 'accounts' | 'datasets' | 'versions'>;
}

type Earlier = Awaited<ReturnType<BackupFolder['readManifest']>>;

/** Sorts by time. The random part distinguishes backups of the same millisecond on several hosts. */
const idOf = (at: Date): string =>
  `${at.toISOString().replace(/[-:.Z]/g, '')}-${randomBytes(4).toString('hex')}`;

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

export const createBackup = (options: BackupOptions) => {
  const { folder, archive, log } = options;

  const requireOwn = (before: readonly Earlier[], installation: string): void => {
    const foreign = before
      .map(({ manifest }) => manifest)
      .find((manifest) => manifest.installation !== installation);
    if (foreign !== undefined)
      throw conflict('foreign_backup', `The folder has backups of another installation (${foreign.id}).`);
  };

  const copyCatalog = (id: string, before: readonly Earlier[]): Promise<Moment> =>
    options.snapshot(async (snapshot) => {
      const { sql, tables, sequences } = snapshot;
      const [clock] = await sql.query<{ at: Date; installation: string }>(
        `SELECT now() AS at, (SELECT value FROM settings WHERE name = 'installation') AS installation`,
      );
      requireOwn(before, clock!.installation);
      await folder.removeUnfinished();
      const [counts] = await sql.query<Moment['counts']>(countsSql);
      const catalog: CatalogFile[] = [];
      for (const table of tables) {
        const { source, rows } = snapshot.read(table);
        // An error of either stream is that of the other, which the folder reads or has destroyed.
        const compressed = pipeline(source, createGzip({ level: 3 }), () => undefined);
        const file = await folder.write(
          catalogKey(id, table.name),
          compressed as unknown as AsyncIterable<Buffer>,
        );
        catalog.push({ ...file, table: table.name, columns: [...table.columns], rows: rows() });
      }
      return {
        takenAt: isoUtc(clock!.at),
        installation: clock!.installation,
        migrations: await options.migrations(snapshot),
        catalog,
        sequences: [...sequences],
        needed: await readNeeded(sql),
        counts: counts!,
      };
    });

  /** Complete backups of the folder, oldest first. Rows are reused only from trusted ones. */
  const complete = async (known: readonly Earlier[] = []): Promise<Earlier[]> => {
    const found: Earlier[] = [];
    for (const id of await folder.list())
      found.push(known.find(({ manifest }) => manifest.id === id) ?? (await folder.readManifest(id)));
    return found;
  };

  /** Files of which most rows are still needed, and the ids of these segments. */
  const reusable = async (
    files: readonly SegmentFile[],
    needed: ReadonlyMap<number, ReferencedSegment>,
  ): Promise<{ files: SegmentFile[]; has: Set<number> }> => {
    const kept: SegmentFile[] = [];
    const has = new Set<number>();
    for (const file of files) {
      const alive = file.segments.filter((saved) => {
        const segment = needed.get(saved[0]);
        return segment !== undefined && !has.has(segment.id) && isSavedIn(file, saved, segment);
      });
      const rowsOf = (segments: SegmentFile['segments']): number => sumOf(segments, ([, rows]) => rows);
      if (alive.length === 0 || rowsOf(alive) * 2 < rowsOf(file.segments) || !(await folder.has(file)))
        continue;
      kept.push(file);
      for (const [id] of alive) has.add(id);
    }
    return { files: kept, has };
  };

  /** Removes only files that were there at the start: later ones may belong to a backup that began after this one lost its hold. */
  const sweep = async (
    own: string,
    before: readonly Earlier[],
    files: ReadonlySet<string>,
    keep?: number,
  ) => {
    const all = (await complete(before)).map(({ manifest }) => manifest);
    const first = keep === undefined ? 0 : all.length - keep;
    return folder.sweep(
      all.filter(({ id }, place) => place >= first || id === own),
      files,
    );
  };

  const writeRows = async (id: string, moment: Moment, before: readonly Earlier[]) => {
    const needed = new Map(moment.needed.map((segment) => [segment.id, segment]));
    const seen = new Map(
      before
        .filter(({ trusted }) => trusted)
        .flatMap(({ manifest }) => manifest.segments)
        .map((file) => [file.key, file]),
    );
    const old = await reusable([...seen.values()], needed);
    const written = await archive.write(
      `segments/${id}`,
      moment.needed.filter((segment) => !old.has.has(segment.id)),
    );
    const segments = [...old.files, ...written];
    const manifest: Manifest = {
      format: manifestFormat,
      id,
      installation: moment.installation,
      product: options.product,
      takenAt: moment.takenAt,
      baseline: options.baseline,
      migrations: moment.migrations,
      catalog: moment.catalog,
      sequences: moment.sequences,
      segments,
      needed: moment.needed.map((segment) => segment.id),
      counts: { ...moment.counts, segments: needed.size, rows: sumOf(moment.needed, ({ rows }) => rows) },
      exports: await options.exports(),
    };
    const files = [...moment.catalog, ...segments];
    const report = {
      id,
      takenAt: moment.takenAt,
      ...manifest.counts,
      reused: old.has.size,
      bytesWritten: sumOf([...moment.catalog, ...written], ({ bytes }) => bytes),
      files: files.length + 2,
      bytes: sumOf(files, ({ bytes }) => bytes),
    };
    return { manifest, report };
  };

  return {
    /**
     * @param keep Number of complete backups that stay in the folder, including this one; undefined: all.
     * @throws AppError 409 `rows_damaged` if ClickHouse lacks rows that it must have; `verify` shows which.
     * @throws Error if the hold was lost. Nothing is marked as complete then.
     */
    async run({ keep }: { readonly keep?: number } = {}): Promise<BackupReport> {
      const hold = await options.hold();
      try {
        // Not before the hold, since a backup that still runs would be missing.
        const before = await complete();
        const files = await folder.files();
        const id = idOf(new Date());
        const moment = await copyCatalog(id, before);
        log.info({ backup: id, segments: moment.needed.length }, 'backup begun');
        const { manifest, report } = await writeRows(id, moment, before);
        await hold.requireHeld();
        await folder.complete(manifest);
        await hold.requireHeld();
        return { ...report, removedFiles: await sweep(id, before, files, keep) };
      } finally {
        await hold.release();
      }
    },
  };
};
