/**
 * Layout of a backup folder.
 *
 *   snapshots/<id>/complete.json        size, SHA-256 and signature of the manifest; written last: without it there is no backup
 *   snapshots/<id>/manifest.json        everything else, with size and SHA-256 of each file
 *   snapshots/<id>/catalog/<table>.copy.gz   a table of PostgreSQL, as COPY writes it
 *   segments/<id>/<n>.native.zst        rows of segments of one table of ClickHouse; later backups refer to them
 *
 * Files never change. Several backups of one installation share a folder.
 */
import { z } from 'zod';
import { type AppError, conflict } from '../lib/errors.js';
import { poolClasses, strangeColumn } from '../rows/index.js';

export const manifestFormat = 2;

/** Maximum size of the two files that are read whole. */
export const maxCompleteBytes = 4 * 1024;
export const maxManifestBytes = 256 * 1024 * 1024;

const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Name of a table or column of PostgreSQL. */
const word = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);
const idSchema = z.string().regex(/^[\w-]{1,64}$/);

const fileSchema = z.object({ key: z.string().max(200), bytes: count, sha256 });

const catalogFileSchema = fileSchema.extend({ table: word, columns: z.array(word).min(1), rows: count });

const segmentSchema = fileSchema.extend({
  key: z.string().regex(/^segments\/[\w-]{1,64}\/[1-9]\d{0,8}\.native\.zst$/),
  /** With a null pool, the store's own table had this number at the time of the backup. A restore asks the catalog, also for the shard. */
  storeId: count,
  pool: z.enum(poolClasses).nullable(),
  columns: z.array(z.object({ name: z.string().max(64), type: z.string().max(64) })).min(2),
  /** Id, rows and hash of each segment. */
  segments: z.array(z.tuple([count, count, z.string().regex(/^\d{1,20}$/)])),
});

const segmentFileSchema = segmentSchema.superRefine(({ columns, pool, key }, context) => {
  const strange = strangeColumn(columns, pool);
  if (strange !== undefined)
    context.addIssue({
      code: 'custom',
      message: `${key} has a column that is none of the product: ${strange}`,
    });
});

const manifestSchema = z.object({
  format: z.literal(manifestFormat),
  id: idSchema,
  /** Installation that the rows belong to. */
  installation: z.string(),
  /** Version of the product that made it. */
  product: z.string(),
  /** Time of the snapshot, ISO 8601 in UTC. */
  takenAt: z.string(),
  /** Identity of the baseline that created the catalog. */
  baseline: z.string(),
  /** Names of the migrations of the catalog, in order. */
  migrations: z.array(z.string()),
  catalog: z.array(catalogFileSchema),
  sequences: z.array(z.object({ table: word, column: word, value: count })),
  segments: z.array(segmentFileSchema),
  /** Segments that versions reference and that a restore loads. Files may have more. */
  needed: z.array(count),
  counts: z.object({ accounts: count, datasets: count, versions: count, segments: count, rows: count }),
  /** Export files are not saved: the next request makes them again. */
  exports: z.object({ at: z.string(), files: count, bytes: count }),
});

const completeSchema = z.object({
  bytes: count.max(maxManifestBytes),
  sha256,
  /** Made with the key of the backup; absent without one. */
  signature: sha256.optional(),
});

export type StoredFile = z.infer<typeof fileSchema>;
export type CatalogFile = z.infer<typeof catalogFileSchema>;
export type SegmentFile = z.infer<typeof segmentFileSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

/** True if the text can be an id of a backup, which becomes part of file names. */
export const isBackupId = (text: string): boolean => idSchema.safeParse(text).success;

export const catalogKey = (id: string, table: string): string => `snapshots/${id}/catalog/${table}.copy.gz`;
export const manifestKey = (id: string): string => `snapshots/${id}/manifest.json`;
export const completeKey = (id: string): string => `snapshots/${id}/complete.json`;

export const otherBuild = (id: string): AppError =>
  conflict(
    'other_baseline',
    `Backup ${id} was made by another build of the product, which this one cannot upgrade: restore it with the build that made it, and use another folder for the backups of this one. Nothing was changed.`,
  );

/** @throws Error if it is not a manifest of this id; AppError 409 `other_baseline` if it has the format of another build. */
export const parseManifest = (id: string, text: string): Manifest => {
  const content: unknown = JSON.parse(text);
  const format = z.object({ format: count }).safeParse(content);
  if (format.success && format.data.format !== manifestFormat) throw otherBuild(id);
  const manifest = manifestSchema.parse(content);
  if (manifest.id !== id) throw new Error(`it is the manifest of ${manifest.id}`);
  const misnamed = manifest.catalog.find(({ key, table }) => key !== catalogKey(id, table));
  if (misnamed !== undefined) throw new Error(`${misnamed.key} is not the file of table ${misnamed.table}`);
  return manifest;
};
export const parseComplete = (text: string): z.infer<typeof completeSchema> =>
  completeSchema.parse(JSON.parse(text));
