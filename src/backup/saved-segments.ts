/** Rows of single segments from the backups of a folder, for the repair of damaged segments. */
import { conflict } from '../lib/errors.js';
import type { Place } from '../model/version.js';
import type { BackupFolder } from './backup-folder.js';
import type { SegmentFile } from './manifest.js';
import { isSavedIn, type SavedSegment, type SegmentArchive, type WantedSegment } from './segment-archive.js';

interface SavedSegments {
  /**
   * Finds the rows of a segment and reads their file once. The result writes them to a place as segment `id`.
   * @throws AppError 409 `not_in_backup`, `foreign_backup`; 400 `backup_damaged`.
   */
  find(segment: WantedSegment): Promise<(id: number, place: Place) => Promise<void>>;
}

interface SavedSegmentsOptions {
  readonly folder: BackupFolder;
  readonly archive: Pick<SegmentArchive, 'load'>;
  /** Installation that the rows must belong to. */
  readonly installation: () => Promise<string | undefined>;
}

export const createSavedSegments = (options: SavedSegmentsOptions): SavedSegments => {
  const { folder, archive } = options;

  /** Files of all backups, those of the newest first. */
  const readFiles = async (): Promise<SegmentFile[]> => {
    const own = await options.installation();
    const files = new Map<string, SegmentFile>();
    for (const id of (await folder.list()).reverse()) {
      const manifest = await folder.manifest(id);
      if (manifest.installation !== own)
        throw conflict('foreign_backup', `The folder has backups of another installation (${id}).`);
      for (const file of manifest.segments) if (!files.has(file.key)) files.set(file.key, file);
    }
    return [...files.values()];
  };
  let files: Promise<SegmentFile[]> | undefined;

  const search = async (wanted: WantedSegment): Promise<{ file: SegmentFile; saved: SavedSegment }> => {
    files ??= readFiles();
    for (const file of await files) {
      const saved = file.segments.find((segment) => isSavedIn(file, segment, wanted));
      if (saved !== undefined) return { file, saved };
    }
    throw conflict('not_in_backup', `No backup of the folder has the rows of segment ${wanted.id}.`);
  };

  return {
    async find(segment) {
      const { file, saved } = await search(segment);
      await folder.check(file);
      return async (id, place) => {
        await archive.load(file, [saved], place, new Map([[segment.id, id]]));
      };
    },
  };
};
