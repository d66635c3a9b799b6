/** The API's part of copies for reading (read-copies.ts): it requests them, and learns when there is one. */
import { createCache } from '../lib/cache.js';
import type { Log } from '../lib/log.js';
import type { ReadableVersion } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import { noteRead } from './read-copy-records.js';
import { canBeCopied } from './read-copy-source.js';

/** Reads of a version by a process after which a copy is requested. */
const leastReads = 3;
/** Milliseconds between two notes of a process about a version, while it has no copy and when it has one. */
const noteIntervalMs = { without: 10_000, with: 600_000 } as const;
/** Versions whose reads a process counts. */
const mostCounted = 10_000;

export interface ReadNotesOptions {
  readonly sql: Sql;
  /** Rows of a version from which a copy is made; 0: never. */
  readonly minRows: number;
  /** Called when the version has a copy that the caller did not know, or no longer has the one that it knew. */
  readonly onChanged: (version: ReadableVersion) => void;
  readonly log: Log;
}

/** Notes that a version was read. It takes no time of the caller. */
export type NoteRead = (version: ReadableVersion) => void;

export const createReadNotes = ({ sql, minRows, onChanged, log }: ReadNotesOptions): NoteRead => {
  const counts = createCache<{ reads: number; dueAt: number }>({ limit: mostCounted, weigh: () => 1 });
  const note = async (version: ReadableVersion): Promise<void> => {
    const isMade = await noteRead(sql, version.versionId);
    if (isMade !== undefined && isMade !== (version.copy !== undefined)) onChanged(version);
  };
  return (version) => {
    const { versionId, rowCount, copy } = version;
    if (minRows === 0 || rowCount < minRows || !canBeCopied(version)) return;
    const count = counts.get(String(versionId)) ?? { reads: 0, dueAt: 0 };
    counts.set(String(versionId), count);
    count.reads += 1;
    if (count.reads < leastReads || Date.now() < count.dueAt) return;
    count.dueAt = Date.now() + noteIntervalMs[copy === undefined ? 'without' : 'with'];
    note(version).catch((error: unknown) =>
      log.warn({ err: error, version: versionId }, 'read of a version not noted'),
    );
  };
};
