/**
 * Copies for reading. The segments of a version are written before anybody knows what else their table will get, so their columns are
 * Nullable and texts have no dictionary (docs/adr/0090-own-tables-stay-plain.md). A version never changes: of one that is large
 * and read again, a worker makes a copy whose types follow from its values (docs/adr/0095-copies-for-reading.md).
 *
 *   request   the API notes that a version was read several times (read-notes.ts)
 *   copy      a worker reads the rows in their order into a table of their own, at low priority, while nobody writes the dataset
 *   compare   count and hash of the copy with those of the version (read-copy-write.ts)
 *   publish   versions that are found from now on have the copy (read-copy-source.ts)
 *   drop      when it is not read any more, or others need the room
 *
 * The segments stay, and whatever changes, compares, saves or verifies rows reads them. A copy may be lost at any time: a read that
 * fails on it is repeated on the segments.
 */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { ReadableVersion } from '../model/version.js';
import type { ClickHouseServers, Connection } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { insideOf, tableOf } from './place.js';
import { createDropCopies } from './read-copy-drop.js';
import {
  beginCopy,
  forgetUnread,
  makeRoom,
  nextWanted,
  postponeCopy,
  publishCopy,
  type WantedCopy,
} from './read-copy-records.js';
import { canBeCopied } from './read-copy-source.js';
import { createWriteReadCopy } from './read-copy-write.js';
import { requirePlace } from './source.js';

export interface ReadCopierOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  /** Finds a version. @throws AppError for one that was deleted. */
  readonly find: (wanted: WantedCopy) => Promise<ReadableVersion>;
  /** Condition that something writes a store, by the alias of the table of stores. */
  readonly isBeingWritten: (stores: string) => string;
  /** Milliseconds since a version was published after which it is copied. */
  readonly quietMs: number;
  /** Most bytes of all copies on disk. */
  readonly maxBytes: number;
  /** Milliseconds that a copy stays after its last read. */
  readonly keepMs: number;
  /** Called with the number of rows of each copy. */
  readonly onCopied: (rows: number) => void;
  readonly log: Log;
}

/** Milliseconds until a copy that failed, or for which there was no room, is tried again. */
const retryMs = 3_600_000;

/** Name of the table of an attempt, as `copyTables` matches it: no two attempts write into one. */
const newTable = (versionId: number): string => `r${versionId}_${randomBytes(8).toString('hex')}`;

/** Bytes on disk of some partitions of a table, or of all. */
const bytesOf = async (
  clickhouse: Connection,
  table: string,
  partitions: readonly number[] = [],
): Promise<number> => {
  const [row] = await clickhouse.rows<{ bytes: number }>(
    `SELECT toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts WHERE active AND database = {database:String}
     AND table = {table:String} AND (empty({partitions:Array(String)}) OR partition IN {partitions:Array(String)})`,
    { params: { database: clickhouse.database, table, partitions: partitions.map(String) } },
  );
  return row?.bytes ?? 0;
};

const freeBytes = async (clickhouse: Connection): Promise<number> => {
  const [row] = await clickhouse.rows<{ free: number }>(
    'SELECT toFloat64(min(free_space)) AS free FROM system.disks',
  );
  return row?.free ?? 0;
};

/** A round of the worker: makes the copies that are requested, one after the other, and drops those that nobody needs. */
export const createReadCopier = (options: ReadCopierOptions): ((stop: AbortSignal) => Promise<void>) => {
  const { sql, clickhouse: servers, find, log } = options;
  const dropUnknown = createDropCopies(sql, servers);
  const write = createWriteReadCopy(servers);

  const make = async (wanted: WantedCopy, stop: AbortSignal): Promise<void> => {
    const { versionId } = wanted;
    const version = await find(wanted);
    if (!canBeCopied(version)) return postponeCopy(sql, versionId, options.keepMs);
    const place = requirePlace(version);
    const clickhouse = servers.at(insideOf(place));
    const bytes = await bytesOf(clickhouse, tableOf(place), version.segmentIds);
    const room = { bytes, freeBytes: await freeBytes(clickhouse), maxBytes: options.maxBytes };
    if (!(await makeRoom(sql, wanted, room))) return postponeCopy(sql, versionId, retryMs);
    const startedAt = Date.now();
    const table = newTable(versionId);
    if (!(await beginCopy(sql, versionId, table))) return;
    const { plain } = await write(version, table, stop);
    const copy = { table, plain, bytes: await bytesOf(clickhouse, table) };
    if (!(await publishCopy(sql, versionId, copy))) return;
    const { rowCount: rows } = version;
    options.onCopied(rows);
    log.info(
      { version: versionId, rows, bytes: copy.bytes, ms: Date.now() - startedAt },
      'copy for reading made',
    );
  };

  return async (stop) => {
    await forgetUnread(sql, options.keepMs);
    await dropUnknown();
    for (;;) {
      const wanted = await nextWanted(sql, options.quietMs, options.isBeingWritten);
      if (stop.aborted || wanted === undefined) break;
      try {
        await make(wanted, stop);
      } catch (error) {
        if (stop.aborted) break;
        log.warn(
          { err: error, version: wanted.versionId, reason: messageOf(error) },
          'copy for reading not made',
        );
        await postponeCopy(sql, wanted.versionId, retryMs);
      }
    }
    await dropUnknown();
  };
};
