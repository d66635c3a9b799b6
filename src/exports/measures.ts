import { mkdir, statfs } from 'node:fs/promises';
import type { Metrics } from '../lib/metrics/metrics.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';
import type { ExportFolder } from './export-folder.js';

/** Size and free space of the disk on which export files are written, even if a bucket stores them. */
export const measureDisk = async (folder: string, metrics: Metrics['exports']): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const { bsize, blocks, bavail } = await statfs(folder);
  metrics.diskBytes.set(bsize * blocks);
  metrics.diskFreeBytes.set(bsize * bavail);
};

export const measureFiles = async (folder: ExportFolder, metrics: Metrics['exports']): Promise<void> => {
  const { files, bytes } = await folder.size();
  metrics.files.set(files);
  metrics.bytes.set(bytes);
};

/** Number and bytes of the finished export files. */
export const countFiles = async (
  storage: Pick<ObjectStorage, 'list'>,
): Promise<{ files: number; bytes: number }> => {
  let files = 0;
  let bytes = 0;
  for await (const { key, size } of storage.list()) {
    if (key.startsWith('spool/')) continue;
    files += 1;
    bytes += size;
  }
  return { files, bytes };
};
