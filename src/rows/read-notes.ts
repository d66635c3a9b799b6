/** Requests read copies (read-copies.ts) for the API, and detects when one appears or is gone. */
import { createCache } from '../lib/cache.js';
import type { Log } from '../lib/log.js';
import type { ReadableVersion } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import { noteRead, retryMs, withdrawCopy } from './read-copy-records.js';
import { type CopyTable, canBeCopied } from './read-copy-source.js';

/** Reads of a version in one process after which a copy is requested. */
const minReads = 3;
/** Maximum milliseconds between two notes of a process about a version, without and with a copy. */
const noteIntervalMs = { without: 10_000, with: 600_000 } as const;
/** Versions whose reads a process counts. */
const maxCountedVersions = 10_000;

export interface ReadNotesOptions {
  readonly sql: Sql;
  /** Minimum rows of a version with a copy; 0: no copies. */
  readonly minRows: number;
  /** Milliseconds that a copy is kept after its last noted read: reads are noted at least twice in this time. */
  readonly keepMs: number;
  /** Called if a copy has been made or dropped since the caller loaded the version. */
  readonly onChanged: (version: ReadableVersion) => void;
  readonly log: Log;
}

/** Each returns at once and works in the background. */
export interface ReadNotes {
  /** Notes that a version was read. */
  read(version: ReadableVersion): void;
  /** Withdraws the copy of a version: a read failed on it and succeeded on the segments. */
  copyFailed(version: ReadableVersion): void;
}

export const createReadNotes = ({ sql, minRows, keepMs, onChanged, log }: ReadNotesOptions): ReadNotes => {
  const counts = createCache<{ reads: number; dueAt: number }>({ limit: maxCountedVersions, weigh: () => 1 });
  const note = async (version: ReadableVersion): Promise<void> => {
    const isMade = await noteRead(sql, version.versionId);
    if (isMade !== undefined && isMade !== (version.copy !== undefined)) onChanged(version);
  };
  const withdraw = async ({ versionId, copy }: ReadableVersion): Promise<void> => {
    const { table } = copy as unknown as CopyTable;
    if (await withdrawCopy(sql, table, retryMs))
      log.warn({ version: versionId, table }, 'read copy withdrawn: it cannot be read');
  };
  return {
    read(version) {
      const { versionId, rowCount, copy } = version;
      if (minRows === 0 || rowCount < minRows || !canBeCopied(version)) return;
      const count = counts.get(String(versionId)) ?? { reads: 0, dueAt: 0 };
      counts.set(String(versionId), count);
      count.reads += 1;
      if (count.reads < minReads || Date.now() < count.dueAt) return;
      const intervalMs = noteIntervalMs[copy === undefined ? 'without' : 'with'];
      count.dueAt = Date.now() + Math.min(intervalMs, keepMs / 2);
      note(version).catch((error: unknown) =>
        log.warn({ err: error, version: versionId }, 'read of a version not noted'),
      );
    },
    copyFailed(version) {
      withdraw(version).catch((error: unknown) =>
        log.warn({ err: error, version: version.versionId }, 'read copy not withdrawn'),
      );
    },
  };
};
