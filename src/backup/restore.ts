/**
 * Restores a backup into an empty product.
 *
 *   1 check    the manifest and every byte of every file, and that the product is empty, before anything is changed
 *   2 schema   the migrations of the backup; later ones run after the rows
 *   3 catalog  into PostgreSQL, in one transaction that is still open
 *   4 places   each store gets one of the current shards, or all of them
 *   5 rows     into ClickHouse, each file compared with its counts and hashes
 *   6 commit   from here on the restored data is visible
 *
 * A restore that fails removes the rows that it has written to ClickHouse, unless PostgreSQL may have committed. If it
 * cannot, because a server is gone or the command was killed, the next restore into the same databases removes them.
 */
import { conflict, isAppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { byTable, type RestoreTarget, restoreHashes, type SegmentPlace, tablePlace } from '../rows/index.js';
import type { CatalogLoad } from '../storage/postgres/catalog-copy.js';
import { strangeName } from '../storage/postgres/restored-names.js';
import { hasTable } from '../storage/postgres/schema.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type BackupFolder, damaged } from './backup-folder.js';
import { openTable, requireRows } from './catalog-files.js';
import { type Manifest, otherBuild, type SegmentFile } from './manifest.js';
import type { SavedSegment, SegmentArchive } from './segment-archive.js';

export interface RestoreReport {
  readonly id: string;
  readonly takenAt: string;
  readonly accounts: number;
  readonly datasets: number;
  readonly versions: number;
  readonly segments: number;
  readonly rows: number;
  /** Uploads that were pending at the time of the backup. They have failed now, and their files must be sent again. */
  readonly failedUploads: number;
}

interface RestoreOptions {
  readonly folder: BackupFolder;
  readonly archive: SegmentArchive;
  readonly hold: () => Promise<{ release(): Promise<void> }>;
  /** Identity of the baseline of this version. */
  readonly baseline: string;
  /** Names of all migrations that this version has, in order. */
  readonly knownMigrations: readonly string[];
  readonly sql: Sql;
  /** Applies migrations up to this number. */
  readonly migrate: (count: number) => Promise<void>;
  /** @throws AppError when PostgreSQL has the catalog of another build. */
  readonly refuseOther: () => Promise<void>;
  readonly load: <T>(work: (load: CatalogLoad) => Promise<T>) => Promise<T>;
  readonly tables: (sql: Sql) => Promise<readonly { name: string; columns: readonly string[] }[]>;
  readonly target: RestoreTarget;
  /** Adds the columns to tables that versions have and no saved row needed. */
  readonly repairTables: () => Promise<void>;
  /** Ends work that was in progress. Returns the number of uploads that failed. */
  readonly settle: (sql: Sql, installation: string) => Promise<number>;
  readonly log: Log;
}

/** Gap before the next ids: those allocated since the backup may still be in Kafka or a log, and are not allocated again. */
const idGap = 1_000_000;

const batch = 10_000;

/** The newest backup, or the one of this id. @throws AppError as `BackupFolder.manifest` does. */
export const chooseBackup = async (folder: BackupFolder, id: string | undefined): Promise<Manifest> => {
  // Also where an id is given: the list refuses a folder with anything but files in it.
  const all = await folder.list();
  const newest = id ?? all.at(-1);
  if (newest === undefined) throw conflict('no_backup', 'There is no complete backup. Nothing was changed.');
  return folder.manifest(newest);
};

const requireEmptyCatalog = async (sql: Sql): Promise<void> => {
  const [some] = await sql.query<{ accounts: boolean; stores: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM accounts) AS accounts, EXISTS (SELECT 1 FROM stores) AS stores',
  );
  if (some?.accounts === true || some?.stores === true)
    throw conflict(
      'not_empty',
      'A backup can only be restored into an empty product: PostgreSQL has accounts. Nothing was changed.',
    );
};

/** Requires that the loaded catalog has only columns and types that the product can have created. */
const requireOwnNames = async (tx: Sql): Promise<void> => {
  const strange = await strangeName(tx);
  if (strange !== undefined) throw damaged(`${strange} names columns or types that are none of the product`);
};

export const createRestore = (options: RestoreOptions) => {
  const { folder, archive, sql, target, log } = options;

  const requireKnown = ({ id, baseline, migrations, product }: Manifest): void => {
    if (baseline !== options.baseline) throw otherBuild(id);
    const fits = migrations.every((name, at) => options.knownMigrations[at] === name);
    if (!fits)
      throw conflict(
        'other_version',
        `The backup was made by the newer version ${product}; restore it with that version. Nothing was changed.`,
      );
  };

  /** Requires that one of the files has each needed segment. */
  const requireWhole = ({ needed, segments, counts }: Manifest): void => {
    const has = new Set(segments.flatMap((file) => file.segments.map(([id]) => id)));
    const missing = needed.find((id) => !has.has(id));
    if (missing !== undefined || needed.length !== counts.segments)
      throw damaged(`no file has the rows of segment ${missing ?? '?'}`);
  };

  const check = async (id?: string): Promise<Manifest> => {
    const manifest = await chooseBackup(folder, id);
    requireKnown(manifest);
    requireWhole(manifest);
    for (const file of manifest.catalog) await requireRows(folder, file);
    for (const file of manifest.segments) await folder.check(file);
    return manifest;
  };

  /** Loads the segments of a file, those of one table together. Returns the number of rows. */
  const loadFile = async (
    file: SegmentFile,
    wanted: readonly SavedSegment[],
    places: readonly SegmentPlace[],
  ): Promise<number> => {
    const known = new Set(places.map(({ id }) => id));
    const lost = wanted.find(([id]) => !known.has(id));
    if (lost !== undefined) throw damaged(`the catalog has no segment ${lost[0]}`);
    let rows = 0;
    for (const some of byTable(places)) {
      const ids = new Set(some.map(({ id }) => id));
      const segments = wanted.filter(([id]) => ids.has(id));
      rows += await archive.load(file, segments, tablePlace(some[0]!));
    }
    return rows;
  };

  const loadRows = async (tx: Sql, { id, segments, needed }: Manifest): Promise<void> => {
    const placesOf = await target.place(tx);
    const left = new Set(needed);
    let rows = 0;
    for (const file of segments) {
      const wanted = file.segments.filter(([segment]) => left.delete(segment));
      rows += await loadFile(file, wanted, await placesOf(wanted.map(([segment]) => segment)));
    }
    log.info({ backup: id, rows }, 'rows restored');
  };

  /** Records the hashes, which were compared both at the backup and at the restore. */
  const recordHashes = async (tx: Sql, { segments }: Manifest): Promise<void> => {
    const all = segments.flatMap(({ pool, segments: saved }) =>
      saved.map(([id, , hash]) => ({ id, hash, pool })),
    );
    for (let at = 0; at < all.length; at += batch) await restoreHashes(tx, all.slice(at, at + batch));
  };

  /** Returns the number of uploads that failed. */
  const loadAll = (manifest: Manifest, installation: string): Promise<number> =>
    options.load(async (load) => {
      // From here on no other session can write.
      await load.sql.query('LOCK TABLE accounts, stores IN ACCESS EXCLUSIVE MODE');
      await requireEmptyCatalog(load.sql);
      const tables = await options.tables(load.sql);
      await load.empty(tables);
      for (const { name, columns } of tables) {
        const file = manifest.catalog.find(({ table }) => table === name);
        if (file === undefined) throw damaged(`there is no table ${name}`);
        const strange = file.columns.find((column) => !columns.includes(column));
        if (strange !== undefined) throw damaged(`table ${name} has no column ${strange}`);
        const rows = await load.write({ name, columns: file.columns }, await openTable(folder, file));
        if (rows !== file.rows) throw damaged(`table ${name} has ${rows} rows of ${file.rows}`);
      }
      await requireOwnNames(load.sql);
      await loadRows(load.sql, manifest);
      await recordHashes(load.sql, manifest);
      for (const sequence of manifest.sequences) await load.advance(sequence, idGap);
      return options.settle(load.sql, installation);
    });

  /** Removes the rows of a failed restore unless the catalog refers to them: PostgreSQL may have committed although its answer was lost. */
  const undo = async (cause: unknown): Promise<void> => {
    try {
      // Waits for a transaction that has not ended yet.
      await requireEmptyCatalog(sql);
    } catch (found) {
      const state =
        isAppError(found) && found.code === 'not_empty'
          ? 'PostgreSQL has restored the catalog, but its answer was lost'
          : 'It is not known whether PostgreSQL has restored the catalog';
      throw new Error(
        `The restore is not complete. ${state}. The rows in ClickHouse were kept. Restore again, into other empty databases.`,
        { cause },
      );
    }
    await target.clear();
  };

  return {
    /** Reads a whole backup and changes nothing. @throws AppError `backup_damaged`, `no_backup`, `other_baseline`, `other_version`. */
    check,

    /** @throws AppError of `check`, `not_empty`, `busy`; an error of a later step leaves an empty product, unless it says otherwise. */
    async run(id?: string): Promise<RestoreReport> {
      const manifest = await check(id);
      await options.refuseOther();
      if (await hasTable(sql, 'accounts')) await requireEmptyCatalog(sql);
      await target.requireEmpty();
      const hold = await options.hold();
      try {
        await target.prepare();
        await options.migrate(manifest.migrations.length);
        const installation = await target.claim();
        let failedUploads = 0;
        try {
          failedUploads = await loadAll(manifest, installation);
        } catch (error) {
          await undo(error);
          throw error;
        }
        await options.migrate(options.knownMigrations.length);
        await options.repairTables();
        return { id: manifest.id, takenAt: manifest.takenAt, ...manifest.counts, failedUploads };
      } finally {
        await hold.release();
      }
    },
  };
};
