/**
 * What a backup is.
 *
 *   snapshots/<id>/complete.json        size and SHA-256 of the manifest; written last: without it there is no backup
 *   snapshots/<id>/manifest.json        everything else, with size and SHA-256 of each file
 *   snapshots/<id>/catalog/<table>.copy.gz   a table of PostgreSQL, as COPY writes it
 *   segments/<id>/<n>.native.zst        rows of segments of one table of ClickHouse; later backups refer to them
 *
 * Files never change. Several backups of one installation share a folder.
 */
import { z } from 'zod';

export const manifestFormat = 1;

const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const word = z.string().regex(/^[A-Za-z0-9_]+$/);

const fileSchema = z.object({ key: z.string().regex(/^[\w-]+(\/[\w.-]+)*$/), bytes: count, sha256 });

const catalogFileSchema = fileSchema.extend({ table: word, columns: z.array(word).min(1), rows: count });

const segmentFileSchema = fileSchema.extend({
  /** Null pool: the table of this number, as the store had it then. A restore asks the catalog, also for the shard. */
  storeId: count,
  pool: z.enum(['narrow', 'medium', 'wide']).nullable(),
  columns: z.array(z.object({ name: word, type: z.string().regex(/^[A-Za-z0-9_(), ]+$/) })).min(2),
  /** Id, rows and hash of each segment. */
  segments: z.array(z.tuple([count, count, z.string().regex(/^\d+$/)])),
});

const manifestSchema = z.object({
  format: z.literal(manifestFormat),
  id: z.string().regex(/^[\w-]+$/),
  /** Whose rows these are. */
  installation: z.string(),
  /** Version of the product that made it. */
  product: z.string(),
  /** The moment that it shows, ISO 8601 in UTC. */
  takenAt: z.string(),
  /** Names of the migrations of the catalog, in order. */
  migrations: z.array(z.string()),
  catalog: z.array(catalogFileSchema),
  sequences: z.array(z.object({ table: word, column: word, value: count })),
  segments: z.array(segmentFileSchema),
  /** Segments that versions have, and that a restore brings back: files may have more. */
  needed: z.array(count),
  counts: z.object({ accounts: count, datasets: count, versions: count, segments: count, rows: count }),
  /** Export files are made again when they are asked for; none is copied. */
  exports: z.object({ at: z.string(), files: count, bytes: count }),
});

const completeSchema = z.object({ bytes: count, sha256 });

export type StoredFile = z.infer<typeof fileSchema>;
export type CatalogFile = z.infer<typeof catalogFileSchema>;
export type SegmentFile = z.infer<typeof segmentFileSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

export const manifestKey = (id: string): string => `snapshots/${id}/manifest.json`;
export const completeKey = (id: string): string => `snapshots/${id}/complete.json`;

export const parseManifest = (text: string): Manifest => manifestSchema.parse(JSON.parse(text));
export const parseComplete = (text: string): z.infer<typeof completeSchema> =>
  completeSchema.parse(JSON.parse(text));
