/** Requests read copies (read-copies.ts) for the API, and detects when one appears or is gone. */
import { createCache } from '../lib/cache.js';
import type { Log } from '../lib/log.js';
import type { ReadableVersion } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import { noteRead, retryMs, withdrawCopy } from './read-copy-records.js';
import { type CopyTable, canBeCopied } from './read-copy-source.js';

/**
 * Reads of a version in one process after which a copy is requested; of one with few rows, within an hour. To make a small copy takes as much
 * CPU as some 50 reads of it save.
 */
const minReads = { few: 100, many: 3 } as const;
const hourMs = 3_600_000;
/** Minimum milliseconds between two requests of a process for the copy of a version. */
const requestIntervalMs = { few: 30_000, many: 10_000 } as const;
/** Minimum milliseconds between two other notes, which keep a copy and notice one that other processes requested. */
const noteIntervalMs = 600_000;
/** Most versions with few rows, and most others, whose reads a process counts. */
const maxCountedVersions = 10_000;

interface Count {
  /** Time of the first counted read. */
  since: number;
  reads: number;
  /** Time at which a read was last noted, or the version was found to have no copy. */
  notedAt: number;
}

export interface ReadNotesOptions {
  readonly sql: Sql;
  /** Minimum rows of a version that gets a copy after a few reads; 0: no copies. */
  readonly minRows: number;
  /** Milliseconds that a copy is kept after its last noted read: reads are noted at least twice in this time. */
  readonly keepMs: number;
  /** Called if a copy has been made or dropped since the caller loaded the version. */
  readonly onChanged: (version: ReadableVersion) => void;
  readonly log: Log;
  /** @default Date.now */
  readonly now?: () => number;
}

/** Each returns at once and works in the background. */
export interface ReadNotes {
  /** Notes that a version was read. */
  read(version: ReadableVersion): void;
  /** Withdraws the copy of a version: a read failed on it and succeeded on the segments. */
  copyFailed(version: ReadableVersion): void;
}

export const createReadNotes = (options: ReadNotesOptions): ReadNotes => {
  const { sql, minRows, keepMs, onChanged, log, now = Date.now } = options;
  const createCounts = () => createCache<Count>({ limit: maxCountedVersions, weigh: () => 1 });
  // Apart, so that reads of many small versions do not displace the counts of large ones.
  const counts = { few: createCounts(), many: createCounts() };
  const countOf = (version: ReadableVersion, rows: keyof typeof counts): Count => {
    const at = now();
    const key = String(version.versionId);
    const notedAt = version.copy === undefined ? at : 0;
    const count = counts[rows].get(key) ?? { since: at, reads: 0, notedAt };
    counts[rows].set(key, count);
    if (rows === 'few' && count.since < at - hourMs) {
      count.since = at;
      count.reads = 0;
    }
    count.reads += 1;
    return count;
  };
  const note = async (version: ReadableVersion, requests: boolean): Promise<void> => {
    const isMade = await noteRead(sql, version.versionId, requests);
    if (isMade !== (version.copy !== undefined)) onChanged(version);
  };
  const withdraw = async ({ versionId, copy }: ReadableVersion): Promise<void> => {
    const { table } = copy as unknown as CopyTable;
    if (await withdrawCopy(sql, table, retryMs))
      log.warn({ version: versionId, table }, 'read copy withdrawn: it cannot be read');
  };
  return {
    read(version) {
      if (minRows === 0 || !canBeCopied(version)) return;
      const { versionId, rowCount, copy } = version;
      const rows = rowCount < minRows ? 'few' : 'many';
      const count = countOf(version, rows);
      const requests = copy === undefined && count.reads >= minReads[rows];
      const intervalMs = Math.min(requests ? requestIntervalMs[rows] : noteIntervalMs, keepMs / 2);
      const isFirstRequest = requests && count.reads === minReads[rows];
      if (!isFirstRequest && now() < count.notedAt + intervalMs) return;
      count.notedAt = now();
      note(version, requests).catch((error: unknown) =>
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
