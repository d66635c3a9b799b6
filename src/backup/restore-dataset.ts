/**
 * Restores one dataset of a backup, or one version of it, into a running product, as a new dataset.
 *
 *   1 read       rows of the catalog that describe it into temporary tables of one session, which holds segments
 *   2 register   its store and segments, which no version references: they are invisible
 *   3 rows       into ClickHouse, compared with counts and hashes
 *   4 publish    dataset, columns, versions and ranges in one transaction, which step 2 has tried and rolled back
 *
 * When the session ends before step 4, the hold ends with it, and the sweep removes segments and store.
 */
import { type AppError, conflict, notFound } from '../lib/errors.js';
import type { NamedColumn } from '../model/column.js';
import {
  keepSavedVersion,
  publishSaved,
  readSavedDataset,
  registerSaved,
  type SavedDataset,
  type SavedSegmentRow,
  type StoreHome,
  savedSegments,
  savedTableColumns,
  savedTables,
  skipColumnIds,
  tablePlace,
} from '../rows/index.js';
import type { ShardNumber } from '../storage/clickhouse/client.js';
import type { CatalogSession } from '../storage/postgres/catalog-copy.js';
import { holdSegmentsInSession } from '../storage/postgres/held-segments.js';
import { strangeName } from '../storage/postgres/restored-names.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type BackupFolder, damaged } from './backup-folder.js';
import { openRowsOf, requireRows } from './catalog-files.js';
import { type CatalogFile, type Manifest, otherBuild, type SegmentFile } from './manifest.js';
import { chooseBackup } from './restore.js';
import { isSavedIn, type SavedSegment, type SegmentArchive } from './segment-archive.js';

export interface WantedDataset {
  readonly dataset: number;
  /** Absent: all. */
  readonly version?: number | undefined;
  /** Id of the target repository. */
  readonly into: number;
  /** @default the name in the backup */
  readonly name?: string | undefined;
  /** Id of the backup. @default the newest one */
  readonly backup?: string | undefined;
}

export interface DatasetRestoreReport {
  /** Id of the new dataset. */
  readonly dataset: number;
  readonly name: string;
  readonly repository: number;
  readonly backup: string;
  readonly takenAt: string;
  readonly versions: number;
  readonly segments: number;
  readonly rows: number;
}

interface DatasetRestoreOptions {
  readonly folder: BackupFolder;
  readonly archive: Pick<SegmentArchive, 'load'>;
  readonly session: <T>(work: (session: CatalogSession) => Promise<T>) => Promise<T>;
  /** Hash of the baseline of the schema. */
  readonly baseline: string;
  /** Names of all migrations that the catalog has. */
  readonly migrations: readonly string[];
  /** Chooses the home shard of the store, or all shards. */
  readonly homeFor: (saved: SavedDataset) => Promise<StoreHome>;
  /** Creates the table of a store with these columns. */
  readonly ensureTable: (
    storeId: number,
    shard: ShardNumber,
    columns: readonly NamedColumn[],
  ) => Promise<void>;
  /**
   * Locks the repository and returns the account that owns it.
   * @throws AppError for a repository that is missing or full, an invalid name, and a dataset beyond the plan of the account.
   */
  readonly admit: (tx: Sql, into: number, name: string, saved: SavedDataset) => Promise<number>;
  readonly nameTaken: (name: string) => AppError;
  /** Called in the transaction that publishes. @throws AppError when retention would remove versions at once. */
  readonly published: (tx: Sql, report: DatasetRestoreReport, wanted: WantedDataset) => Promise<void>;
}

type SavedTable = keyof typeof savedTables | 'segments' | 'slot_maps';

interface FileRows {
  readonly file: SegmentFile;
  readonly segments: readonly SavedSegment[];
}

export const createDatasetRestore = (options: DatasetRestoreOptions) => {
  const { folder, archive } = options;

  const save = async (
    session: CatalogSession,
    { catalog }: Manifest,
    name: SavedTable,
    column: string,
    ids: Iterable<number>,
  ): Promise<void> => {
    const file: CatalogFile | undefined = catalog.find(({ table }) => table === name);
    if (file === undefined) throw damaged(`there is no table ${name}`);
    await requireRows(folder, file);
    await session.save(
      { name, columns: file.columns },
      await openRowsOf(folder, file, column, new Set([...ids].map(String))),
    );
  };

  const readCatalog = async (session: CatalogSession, manifest: Manifest, wanted: WantedDataset) => {
    const { sql } = session;
    const { dataset, version } = wanted;
    for (const [table, column] of Object.entries(savedTables))
      await save(session, manifest, table as SavedTable, column, [dataset]);
    if (version !== undefined) await keepSavedVersion(sql, version);
    const idsOf = async (query: string) => (await sql.query<{ id: number }>(query)).map(({ id }) => id);
    const segments = await idsOf('SELECT DISTINCT segment_id AS id FROM saved_segment_ranges');
    await save(session, manifest, 'segments', 'id', segments);
    const maps = await idsOf(
      'SELECT DISTINCT slot_map_id AS id FROM saved_segments WHERE slot_map_id IS NOT NULL',
    );
    await save(session, manifest, 'slot_maps', 'id', maps);
    const saved = await readSavedDataset(sql);
    if (saved === undefined) throw notFound('dataset_not_found', `The backup has no dataset ${dataset}.`);
    if (version !== undefined && saved.versions === 0)
      throw notFound('version_not_found', `The backup has no version ${version} of dataset ${dataset}.`);
    const strange = await strangeName(sql, 'saved_');
    if (strange !== undefined)
      throw damaged(`${strange} names columns or types that are none of the product`);
    return saved;
  };

  /** Files that have the rows. Each is read once first: a restore does not start with a damaged backup. */
  const checkedFiles = async (
    { segments: files }: Manifest,
    wanted: readonly SavedSegmentRow[],
  ): Promise<FileRows[]> => {
    const left = new Map(wanted.map((segment) => [segment.id, segment]));
    const found: FileRows[] = [];
    for (const file of files) {
      const segments = file.segments.filter((saved) => {
        const segment = left.get(saved[0]);
        return segment !== undefined && isSavedIn(file, saved, segment) && left.delete(segment.id);
      });
      if (segments.length > 0) found.push({ file, segments });
    }
    const [missing] = left.keys();
    if (missing !== undefined) throw damaged(`no file has the rows of segment ${missing}`);
    for (const { file } of found) await folder.check(file);
    return found;
  };

  const publish = async (
    tx: Sql,
    saved: SavedDataset,
    storeId: number,
    wanted: WantedDataset,
    summary: Omit<DatasetRestoreReport, 'dataset'>,
  ): Promise<DatasetRestoreReport> => {
    const { name, repository: repositoryId } = summary;
    const accountId = await options.admit(tx, repositoryId, name, saved);
    const dataset = await publishSaved(tx, saved, { repositoryId, accountId, storeId, name }).catch(
      (error: unknown) => {
        throw error instanceof RangeError ? damaged(error.message) : error;
      },
    );
    if (dataset === undefined) throw options.nameTaken(name);
    const report = { dataset, ...summary };
    await options.published(tx, report, wanted);
    return report;
  };

  const restore = async (
    session: CatalogSession,
    manifest: Manifest,
    wanted: WantedDataset,
  ): Promise<DatasetRestoreReport> => {
    const { sql } = session;
    await holdSegmentsInSession(sql);
    const saved = await readCatalog(session, manifest, wanted);
    const files = await checkedFiles(manifest, await savedSegments(sql));
    const ids = files.flatMap(({ segments }) => segments);
    const summary = {
      name: wanted.name ?? saved.name,
      repository: wanted.into,
      backup: manifest.id,
      takenAt: manifest.takenAt,
      versions: saved.versions,
      segments: ids.length,
      rows: ids.reduce((sum, [, rows]) => sum + rows, 0),
    };
    await skipColumnIds(
      sql,
      manifest.sequences.find(({ table, column }) => table === 'columns' && column === 'id')?.value ?? 0,
    );
    const home = await options.homeFor(saved);
    const { storeId, shard, segments } = await session.tx(async (tx) => {
      const registered = await registerSaved(tx, home);
      await session.rehearse(() => publish(tx, saved, registered.storeId, wanted, summary));
      return registered;
    });
    const columns = await savedTableColumns(sql);
    if (columns.length > 0) await options.ensureTable(storeId, shard, columns);
    for (const { file, segments: some } of files)
      await archive.load(file, some, tablePlace({ storeId, shard }), segments);
    return session.tx((tx) => publish(tx, saved, storeId, wanted, summary));
  };

  return {
    /** @throws AppError `backup_damaged`, `no_backup`, `other_version`, `…_not_found`, and those of `admit` and `published`. */
    async run(wanted: WantedDataset): Promise<DatasetRestoreReport> {
      const manifest = await chooseBackup(folder, wanted.backup);
      if (manifest.baseline !== options.baseline) throw otherBuild(manifest.id);
      if (manifest.migrations.join() !== options.migrations.join())
        throw conflict(
          'other_version',
          `The backup was made by version ${manifest.product} with another schema: restore all of it into an empty product. Nothing was changed.`,
        );
      return options.session((session) => restore(session, manifest, wanted));
    },
  };
};
