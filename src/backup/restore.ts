/**
 * Brings a backup back into an empty product.
 *
 *   1 check    the manifest and every byte of every file, and that the product is empty: nothing is touched before
 *   2 schema   the migrations of the backup; those that came later run behind the rows
 *   3 catalog  into PostgreSQL, in one transaction that is still open
 *   4 places   each store gets a shard of those that there are now, or all of them
 *   5 rows     into ClickHouse, each file compared with its counts and hashes
 *   6 commit   from here on there is something
 *
 * What fails midway removes what it brought into ClickHouse. What a server keeps because it has gone meanwhile, or because
 * the command was killed, is removed by the next restore into the same databases.
 */
import { conflict } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { CatalogLoad } from '../storage/postgres/catalog-copy.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type BackupFolder, damaged } from './backup-folder.js';
import { openTable, requireRows } from './catalog-files.js';
import { type Manifest, otherBuild, type SegmentFile } from './manifest.js';
import type { RestoredPlace, SavedSegment, SegmentArchive } from './segment-archive.js';

export interface RestoreReport {
  readonly id: string;
  readonly takenAt: string;
  readonly accounts: number;
  readonly datasets: number;
  readonly versions: number;
  readonly segments: number;
  readonly rows: number;
  /** Uploads that were pending at that moment, and have failed now: their files have to be sent again. */
  readonly failedUploads: number;
}

interface PlacedSegment extends RestoredPlace {
  readonly id: number;
}

export interface RestoreOptions {
  readonly folder: BackupFolder;
  readonly archive: SegmentArchive;
  readonly hold: () => Promise<{ requireHeld(): void; release(): Promise<void> }>;
  /** Identity of the baseline of this version. */
  readonly baseline: string;
  /** Names of all migrations that this version has, in order. */
  readonly knownMigrations: readonly string[];
  /** Brings the catalog up to so many migrations. */
  readonly migrate: (count: number) => Promise<void>;
  readonly load: <T>(work: (load: CatalogLoad) => Promise<T>) => Promise<T>;
  readonly tables: (sql: Sql) => Promise<readonly { name: string; columns: readonly string[] }[]>;
  /** @throws AppError 409 `not_empty` when either database has anything of a product. */
  readonly requireEmpty: () => Promise<void>;
  /** The same in the transaction, when nobody can write any more. */
  readonly requireEmptyCatalog: (sql: Sql) => Promise<void>;
  /** @throws AppError `backup_damaged` when the loaded catalog names columns or types that the product cannot have made. */
  readonly requireOwnNames: (tx: Sql) => Promise<void>;
  /** Binds the servers to this catalog, and removes what an earlier attempt has left. @throws AppError when they are another's. */
  readonly claim: () => Promise<void>;
  /** Removes all tables of rows from servers that answer. */
  readonly clearRows: () => Promise<void>;
  /** Chooses where the rows of each store are to lie. The result says it of segments. */
  readonly place: (tx: Sql) => Promise<(ids: readonly number[]) => Promise<readonly PlacedSegment[]>>;
  readonly recordHashes: (
    tx: Sql,
    found: readonly { readonly id: number; readonly pool: string | null; readonly hash: string }[],
  ) => Promise<void>;
  /** Gives tables the columns that versions have and no saved row needed. */
  readonly mendTables: () => Promise<void>;
  /** What becomes of work that was under way; gives the number of uploads that failed by it. */
  readonly settle: (sql: Sql) => Promise<number>;
  readonly log: Log;
}

/** Ids that the product has handed out since the backup, which Kafka or a log may still know, are not handed out again. */
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

export const createRestore = (options: RestoreOptions) => {
  const { folder, archive, log } = options;

  const requireKnown = ({ id, baseline, migrations, product }: Manifest): void => {
    if (baseline !== options.baseline) throw otherBuild(id);
    const fits = migrations.every((name, at) => options.knownMigrations[at] === name);
    if (!fits)
      throw conflict(
        'other_version',
        `The backup was made by the newer version ${product}; restore it with that version. Nothing was changed.`,
      );
  };

  /** Every segment that is needed lies in one of the files. */
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

  /** Segments of a file, those that go to one place together. */
  const groupsOf = (
    { pool }: SegmentFile,
    wanted: readonly SavedSegment[],
    places: readonly PlacedSegment[],
  ): { readonly place: RestoredPlace; readonly segments: SavedSegment[] }[] => {
    const byId = new Map(places.map((place) => [place.id, place]));
    const groups = new Map<string, { place: RestoredPlace; segments: SavedSegment[] }>();
    for (const segment of wanted) {
      const place = byId.get(segment[0]);
      if (place === undefined) throw damaged(`the catalog has no segment ${segment[0]}`);
      // Stores share the pool of a shard.
      const key = pool === null ? `${place.shard}/${place.storeId}` : `${place.shard}`;
      const group = groups.get(key) ?? { place, segments: [] };
      group.segments.push(segment);
      groups.set(key, group);
    }
    return [...groups.values()];
  };

  const loadRows = async (tx: Sql, { id, segments, needed }: Manifest): Promise<void> => {
    const placesOf = await options.place(tx);
    const left = new Set(needed);
    let rows = 0;
    for (const file of segments) {
      const wanted = file.segments.filter(([segment]) => left.delete(segment));
      const places = await placesOf(wanted.map(([segment]) => segment));
      for (const { place, segments: some } of groupsOf(file, wanted, places))
        rows += await archive.load(file, some, place);
    }
    log.info({ backup: id, rows }, 'rows restored');
  };

  /** What was compared when it was saved and when it came back is known from now on. */
  const recordHashes = async (tx: Sql, { segments }: Manifest): Promise<void> => {
    const all = segments.flatMap(({ pool, segments: saved }) =>
      saved.map(([id, , hash]) => ({ id, hash, pool })),
    );
    for (let at = 0; at < all.length; at += batch) await options.recordHashes(tx, all.slice(at, at + batch));
  };

  /** Gives the number of uploads that failed by it. */
  const loadAll = (manifest: Manifest): Promise<number> =>
    options.load(async (load) => {
      await options.requireEmptyCatalog(load.sql);
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
      await options.requireOwnNames(load.sql);
      await loadRows(load.sql, manifest);
      await recordHashes(load.sql, manifest);
      for (const sequence of manifest.sequences) await load.advance(sequence, idGap);
      return options.settle(load.sql);
    });

  return {
    /** Reads all of a backup and changes nothing. @throws AppError `backup_damaged`, `no_backup`, `other_baseline`, `other_version`. */
    check,

    /** @throws AppError of `check`, `not_empty`, `busy`; an error of a later step leaves an empty product. */
    async run(id?: string): Promise<RestoreReport> {
      const manifest = await check(id);
      await options.requireEmpty();
      const hold = await options.hold();
      try {
        await options.migrate(manifest.migrations.length);
        await options.claim();
        let failedUploads = 0;
        try {
          failedUploads = await loadAll(manifest);
        } catch (error) {
          await options.clearRows();
          throw error;
        }
        await options.migrate(options.knownMigrations.length);
        await options.mendTables();
        return { id: manifest.id, takenAt: manifest.takenAt, ...manifest.counts, failedUploads };
      } finally {
        await hold.release();
      }
    },
  };
};
