/**
 * Read copies. Segments are written before it is known which other values their table will get, so their columns are Nullable and
 * texts have no dictionary (docs/adr/0090-own-tables-stay-plain.md); small versions share tables. A version never changes: if it is read
 * repeatedly, a worker makes a copy of its own whose column types are chosen by its values (docs/adr/0095-read-copies.md).
 *
 *   request   the API notes that a version was read several times (read-notes.ts)
 *   copy      a worker copies the rows in order to a table of their own, at low priority, while nothing writes the dataset
 *   compare   count and hash of the copy with those of the version (read-copy-write.ts)
 *   publish   from now on reads of the version use the copy (read-copy-source.ts)
 *   drop      when it is no longer read, or others need the space
 *
 * The segments stay; everything that changes, compares, saves or verifies rows uses them. A copy may be lost at any time: a read that
 * fails on it is repeated on the segments. If it succeeds there, the copy is withdrawn.
 */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { ReadableVersion } from '../model/version.js';
import type { ClickHouseServers, Connection } from '../storage/clickhouse/client.js';
import { isOutage } from '../storage/outage.js';
import type { Sql } from '../storage/postgres/sql.js';
import { insideOf, isPooled, tableOf } from './place.js';
import { createDropCopies } from './read-copy-drop.js';
import {
  beginCopy,
  type CopyConditions,
  type CopyLimits,
  forgetSurplus,
  forgetUnread,
  makeRoom,
  nextWanted,
  outageRetryMs,
  postponeCopy,
  publishCopy,
  retryMs,
  type WantedCopy,
} from './read-copy-records.js';
import { canBeCopied } from './read-copy-source.js';
import { createWriteReadCopy } from './read-copy-write.js';
import { requirePlace } from './source.js';

export interface ReadCopierOptions extends CopyConditions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  /** Finds a version. @throws AppError if it was deleted. */
  readonly find: (wanted: WantedCopy) => Promise<ReadableVersion>;
  readonly limits: CopyLimits;
  /** Most bytes of all copies on disk. */
  readonly maxBytes: number;
  /** Milliseconds that a copy is kept after its last read. */
  readonly keepMs: number;
  /** Called with the number of rows of each copy. */
  readonly onCopied: (rows: number) => void;
  readonly log: Log;
}

/** Table name of an attempt, matched by `copyTables`. Random, so that attempts never share a table. */
const newTable = (versionId: number): string => `r${versionId}_${randomBytes(8).toString('hex')}`;

/** Bytes on disk of some partitions of an own table; of all, if none are given. */
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

/** Returns a round of the worker: it makes the requested copies one by one, and drops unneeded ones. */
export const createReadCopier = (options: ReadCopierOptions): ((stop: AbortSignal) => Promise<void>) => {
  const { sql, clickhouse: servers, find, limits, log } = options;
  const { minRows, maxCount } = limits;
  const dropUnknown = createDropCopies(sql, servers);
  const write = createWriteReadCopy(servers);

  const make = async (wanted: WantedCopy & { isSmall: boolean }, stop: AbortSignal): Promise<void> => {
    const { versionId } = wanted;
    const version = await find(wanted);
    if (!canBeCopied(version)) return postponeCopy(sql, versionId, options.keepMs);
    const place = requirePlace(version);
    const clickhouse = servers.at(insideOf(place));
    // Parts of a pool have rows of many versions.
    const bytes = isPooled(place)
      ? version.byteSize
      : await bytesOf(clickhouse, tableOf(place), version.segmentIds);
    const room = { bytes, freeBytes: await freeBytes(clickhouse), maxBytes: options.maxBytes };
    if (!(await makeRoom(sql, wanted, room))) return postponeCopy(sql, versionId, retryMs);
    if (wanted.isSmall) await forgetSurplus(sql, minRows, maxCount - 1);
    const startedAt = Date.now();
    const table = newTable(versionId);
    if (!(await beginCopy(sql, version, table))) return;
    const { plain } = await write(version, table, stop);
    const copy = { table, plain, bytes: await bytesOf(clickhouse, table) };
    if (!(await publishCopy(sql, versionId, copy))) return;
    const { rowCount: rows } = version;
    options.onCopied(rows);
    log.info({ version: versionId, rows, bytes: copy.bytes, ms: Date.now() - startedAt }, 'read copy made');
  };

  return async (stop) => {
    await forgetUnread(sql, options.keepMs);
    await forgetSurplus(sql, minRows, maxCount);
    for (;;) {
      await dropUnknown();
      const wanted = await nextWanted(sql, limits, options);
      if (stop.aborted || wanted === undefined) break;
      try {
        await make(wanted, stop);
      } catch (error) {
        if (stop.aborted) break;
        log.warn({ err: error, version: wanted.versionId, reason: messageOf(error) }, 'read copy not made');
        await postponeCopy(sql, wanted.versionId, isOutage(error) ? outageRetryMs : retryMs);
      }
    }
  };
};
