/**
 * What an upsert costs ClickHouse: 10 M rows, of which a file of 100,000 changes 90,000 and adds 10,000.
 *
 *     npx vite-node bench/upsert.ts http://127.0.0.1:8123 [rows] [changes]
 *
 * Writes both segments with generated rows, merges them as the worker does, and prints seconds and peak memory.
 */
import type { StoredColumn } from '../src/model/column.js';
import { storageName } from '../src/model/column.js';
import { createClickHouse } from '../src/storage/clickhouse/client.js';
import { createSegmentMerger, type SegmentMerge } from '../src/storage/clickhouse/segment-merge.js';
import { createStoreTables, ensureDatabase } from '../src/storage/clickhouse/store-table.js';

const [url, rowsText = '10000000', changesText = '100000'] = process.argv
  .slice(2)
  .filter((text) => text !== '--');
if (url === undefined) throw new Error('give the HTTP address of a ClickHouse server');
const rows = Number(rowsText);
const changes = Number(changesText);
const mebibyte = 1024 * 1024;

const column = (
  id: number,
  dataType: StoredColumn['dataType'],
  physical: StoredColumn['physical'],
): StoredColumn => ({
  id,
  storageId: id,
  name: `column ${id}`,
  description: null,
  dataType,
  physical,
  isEntity: dataType !== 'Decimal',
});
const columns = [
  column(1, 'Date', 'd'),
  column(2, 'String', 's'),
  column(3, 'Decimal', 'f'),
  column(4, 'Decimal', 'f'),
  column(5, 'Decimal', 'f'),
];

const clickhouse = createClickHouse({ url, database: 'bench_upsert' });
await ensureDatabase(clickhouse);
const tables = createStoreTables(clickhouse);
await tables.dropStore(1);
const names = columns.map(storageName);
await tables.ensure(
  1,
  columns.map((own, at) => ({ name: names[at] ?? '', physical: own.physical })),
);

/** Rows by number: a date, a text of some 10,000 different ones, three numbers. */
const fill = (segment: number, count: number, first: number): Promise<void> =>
  clickhouse.command(
    `INSERT INTO bench_upsert.s1 (_seg, _row, ${names.join(', ')})
     SELECT ${segment}, number, toDate32('2000-01-01') + intDiv(number + ${first}, 10000) % 9000,
       concat('series ', toString((number + ${first}) % 10000)), number, number / 4, ${segment}
     FROM numbers(${count})`,
    { settings: { max_threads: 2, insert_deduplicate: 0 } },
  );
await fill(1001, rows, 0);
await fill(2001, changes, rows - Math.floor(changes * 0.9));

const merge: SegmentMerge = {
  storeId: 1,
  target: 2501,
  baseSegments: [1001],
  baseColumns: columns,
  fileSegment: 2001,
  fileColumns: columns,
  columns,
  keyIds: [1, 2],
  keep: 'last',
};

let peak = 0;
const watch = setInterval(() => {
  clickhouse
    .rows<{ memory: string }>(
      `SELECT toString(max(peak_memory_usage)) AS memory FROM system.processes WHERE query NOT LIKE '%system.processes%'`,
    )
    .then(([row]) => {
      peak = Math.max(peak, Number(row?.memory ?? 0));
    })
    .catch((error: unknown) => console.error('memory was not read', error));
}, 100);
const merger = createSegmentMerger(clickhouse);
const startedAt = performance.now();
const counts = await merger.countKeys(merge);
const countedAt = performance.now();
await merger.write(merge, counts);
const endedAt = performance.now();
clearInterval(watch);

console.log(
  JSON.stringify({
    rows,
    changes,
    counts,
    countSeconds: Math.round(countedAt - startedAt) / 1000,
    writeSeconds: Math.round(endedAt - countedAt) / 1000,
    peakQueryMiB: Math.round(peak / mebibyte),
    benchRssMiB: Math.round(process.memoryUsage().rss / mebibyte),
    stored: await tables.countRows(1, merge.target),
  }),
);
await tables.dropStore(1);
await clickhouse.close();
