import { type StoredColumn, storageName } from '../src/model/column.js';
import { ensureDatabase } from '../src/rows/ddl.js';
import { createKeys } from '../src/rows/keys.js';
import { createMerge, type SegmentMerge } from '../src/rows/merge.js';
import { tablePlace } from '../src/rows/place.js';
import { createStoreTables } from '../src/rows/tables.js';
import { type ClickHouse, createClickHouse } from '../src/storage/clickhouse/client.js';
import type { Bench } from './support/bench.js';

const database = 'bench_upsert';
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

const names = columns.map(storageName);

/** Rows by number: a date, a text of some 10,000 different ones, three numbers. */
const fill = (clickhouse: ClickHouse, segment: number, count: number, first: number): Promise<void> =>
  clickhouse.command(
    `INSERT INTO ${database}.s1 (_seg, _row, ${names.join(', ')})
     SELECT ${segment}, number, toDate32('2000-01-01') + intDiv(number + ${first}, 10000) % 9000,
       concat('series ', toString((number + ${first}) % 10000)), number, number / 4, ${segment}
     FROM numbers(${count})`,
    { settings: { max_threads: 2, insert_deduplicate: 0 } },
  );

const place = tablePlace({ storeId: 1, shard: 1 });

/** @param rows Of the version before. */
const mergeOf = (rows: number): SegmentMerge => ({
  mode: 'upsert',
  target: 2501,
  targetPlace: place,
  basePlace: place,
  filePlace: place,
  base: { segmentIds: [1001], rowCount: rows },
  baseColumns: columns,
  fileSegment: 2001,
  fileColumns: columns,
  columns,
  keyIds: [1, 2],
  keep: 'last',
});

/** Looks at the memory of running queries ten times a second; gives the largest, in MB, when it is ended. */
const watchMemory = (clickhouse: ClickHouse): (() => number) => {
  let peak = 0;
  const look = async (): Promise<void> => {
    const [row] = await clickhouse.rows<{ memory: string }>(
      `SELECT toString(max(peak_memory_usage)) AS memory FROM system.processes WHERE query NOT LIKE '%system.processes%'`,
    );
    peak = Math.max(peak, Number(row?.memory ?? 0));
  };
  const timer = setInterval(() => void look(), 100);
  return () => {
    clearInterval(timer);
    return peak / mebibyte;
  };
};

/**
 * What an upsert costs ClickHouse: 10 M rows, of which a file of 100,000 changes 90,000 and adds 10,000. Both segments
 * are generated, then merged as the worker does it.
 */
export const upsert: Bench = async ({ pick, product: open, defer }) => {
  const rows = pick(10_000_000, 500_000);
  const changes = rows / 100;
  const { clickhouseUrl } = await open();
  const clickhouse = createClickHouse({ url: clickhouseUrl, database });
  await defer('ClickHouse client', () => clickhouse.close());
  await ensureDatabase(clickhouse);
  const tables = createStoreTables(clickhouse);
  await tables.dropStore(1);
  await tables.ensure(
    place,
    columns.map((own, at) => ({ name: names[at] ?? '', physical: own.physical })),
  );
  await fill(clickhouse, 1001, rows, 0);
  await fill(clickhouse, 2001, changes, rows - changes * 0.9);

  const endWatch = watchMemory(clickhouse);
  await defer('memory watch', () => void endWatch());
  const keys = createKeys(clickhouse);
  const write = createMerge(clickhouse, tables);
  const startedAt = performance.now();
  const merge = mergeOf(rows);
  const counts = await keys.count(merge);
  const countedAt = performance.now();
  await write(merge, counts);
  const endedAt = performance.now();
  const peakMb = endWatch();
  const stored = await tables.countRows(place, merge.target);
  if (stored !== rows + changes * 0.1) throw new Error(`the merged segment holds ${stored} rows`);
  await tables.dropStore(1);
  return [
    { name: 'count keys', value: (countedAt - startedAt) / 1000, unit: 's', better: 'lower' },
    { name: 'write merged segment', value: (endedAt - countedAt) / 1000, unit: 's', better: 'lower' },
    { name: 'peak memory of a query', value: peakMb, unit: 'MB', better: 'lower' },
  ];
};
