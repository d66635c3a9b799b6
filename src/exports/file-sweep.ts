import type { ObjectStorage, StoredObject } from '../storage/objects/object-storage.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { ExportFolder } from './export-folder.js';

/** Returns which of the given versions still exist. */
export type KeptVersions = (versionIds: readonly number[]) => Promise<ReadonlySet<number>>;

interface FileSweepOptions {
  readonly storage: ObjectStorage;
  readonly folder: Pick<ExportFolder, 'adopt' | 'forget'>;
  /** Milliseconds after which a file is removed; a later request makes it again. */
  readonly maxAgeMs: number;
  readonly kept: KeptVersions;
}

const batchSize = 1_000;

/** Keys of export files start with the version, so that a sweep needs no index of them. */
export const fileKeyOf = (versionId: number, name: string): string => `v${versionId}/${name}`;

const versionOfKey = (key: string): number | undefined => {
  const match = /^v(\d+)\//.exec(key);
  return match === null ? undefined : Number(match[1]);
};

/** Files of a deleted version stay while a clone or a restored copy of it exists. */
const keptSql = `
  SELECT id FROM versions WHERE id = ANY($1::bigint[])
  UNION SELECT content_id FROM versions WHERE content_id = ANY($1::bigint[])`;

export const keptVersions =
  (sql: Sql): KeptVersions =>
  async (versionIds) => {
    const rows = await sql.query<{ id: number }>(keptSql, [versionIds]);
    return new Set(rows.map(({ id }) => id));
  };

/** Removes files of deleted versions, and files beyond their age. Returns their number. */
export const sweepFiles = async ({ storage, folder, maxAgeMs, kept }: FileSweepOptions): Promise<number> => {
  let removed = 0;
  const oldest = Date.now() - maxAgeMs;
  const judge = async (batch: ReadonlyMap<StoredObject, number>): Promise<void> => {
    const alive = await kept([...new Set(batch.values())]);
    const gone: string[] = [];
    const left = new Map<StoredObject, number>();
    for (const [object, versionId] of batch) {
      if (alive.has(versionId) && object.storedAtMs >= oldest) left.set(object, versionId);
      else {
        await storage.delete(object.key);
        gone.push(object.key);
      }
    }
    if (gone.length > 0) await folder.forget(gone);
    if (left.size > 0) await folder.adopt(left);
    removed += gone.length;
  };
  let batch = new Map<StoredObject, number>();
  for await (const object of storage.list()) {
    const versionId = versionOfKey(object.key);
    if (versionId === undefined) continue;
    batch.set(object, versionId);
    if (batch.size < batchSize) continue;
    await judge(batch);
    batch = new Map();
  }
  if (batch.size > 0) await judge(batch);
  return removed;
};
