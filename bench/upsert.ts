import { type StoredColumn, storageName } from '../src/model/column.js';
import { ensureDatabase } from '../src/rows/ddl.js';
import { createKeys } from '../src/rows/keys.js';
import { createWritePatch } from '../src/rows/merge-patch.js';
import type { SegmentMerge } from '../src/rows/merge-sql.js';
import { firstPosition, tablePlace } from '../src/rows/place.js';
import { createRowTables } from '../src/rows/tables.js';
import { type ClickHouse, createClickHouse } from '../src/storage/clickhouse/client.js';
import { changesOf } from '../src/versions/merge/merge-outcome.js';
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

/** Inserts generated rows: a date, one of 10,000 texts, three numbers. Every `step`-th row has a changed value. */
const fill = (
  clickhouse: ClickHouse,
  segment: number,
  count: number,
  { first = 0, step = 1, upload }: { first?: number; step?: number; upload: number },
): Promise<void> =>
  clickhouse.command(
    `INSERT INTO ${database}.s1 (_seg, _row, ${names.join(', ')})
     SELECT ${segment}, ${firstPosition(String(upload))} + number, toDate32('2000-01-01') + intDiv(number + ${first}, 10000) % 9000,
       concat('series ', toString((number + ${first}) % 10000)), number + ${first}, (number + ${first}) / 4, if(number % ${step} = 0, ${upload}, 1)
     FROM numbers(${count})`,
    { settings: { max_threads: 2, insert_deduplicate: 0 } },
  );

const place = tablePlace({ storeId: 1, shard: 1 });

/** Samples the memory of running queries ten times a second; the returned function stops and returns the peak in MiB. */
const watchMemory = (clickhouse: ClickHouse): (() => number) => {
  let peak = 0;
  const sample = async (): Promise<void> => {
    const [row] = await clickhouse.rows<{ memory: string }>(
      `SELECT toString(max(peak_memory_usage)) AS memory FROM system.processes WHERE query NOT LIKE '%system.processes%'`,
    );
    peak = Math.max(peak, Number(row?.memory ?? 0));
  };
  const timer = setInterval(() => void sample(), 100);
  return () => {
    clearInterval(timer);
    return peak / mebibyte;
  };
};

interface Change {
  readonly name: string;
  readonly mode: SegmentMerge['mode'];
  /** Rows of the file, and the position of the first one in the previous version. */
  readonly rows: number;
  readonly first: number;
  /** Distance between changed rows. @default 1 */
  readonly step?: number;
}

/** Cost of changing a version of 10 M rows in ClickHouse: generates both segments and merges them as the worker does. */
export const upsert: Bench = async ({ pick, product: open, defer }) => {
  const rows = pick(10_000_000, 500_000);
  const { clickhouseUrl } = await open();
  const clickhouse = createClickHouse({ url: clickhouseUrl, database });
  await defer('ClickHouse client', () => clickhouse.close());
  await ensureDatabase(clickhouse);
  const tables = createRowTables(clickhouse);
  await tables.dropOwnTable(1);
  await tables.ensure(
    place,
    columns.map((own, at) => ({ name: names[at] ?? '', physical: own.physical })),
  );
  await fill(clickhouse, 1001, rows, { upload: 1 });
  const keys = createKeys(clickhouse);
  const writePatch = createWritePatch(clickhouse, tables);
  const endWatch = watchMemory(clickhouse);
  await defer('memory watch', () => void endWatch());

  const measured: { name: string; seconds: number }[] = [];
  const measure = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work();
    measured.push({ name, seconds: (performance.now() - startedAt) / 1000 });
    return result;
  };

  let upload = 1;
  const change = async ({ name, mode, rows: count, first, step = 1 }: Change): Promise<void> => {
    upload += 1;
    const fileSegment = upload * 1000 + 1;
    await fill(clickhouse, fileSegment, count, { first, step, upload });
    const planned: SegmentMerge = {
      mode,
      target: fileSegment + 500,
      targetPlace: place,
      basePlace: place,
      filePlace: place,
      base: { segmentIds: [1001], rowCount: rows },
      baseColumns: columns,
      fileSegment,
      fileColumns: columns,
      columns,
      keyIds: [1, 2],
      keep: 'last',
    };
    const counts = await measure(`${name}: count keys`, async () => {
      const synced = mode === 'sync' ? await keys.countSync(planned) : undefined;
      return synced ?? (await keys.count(planned));
    });
    const { changes, expected } = changesOf(planned, counts, rows);
    await measure(`${name}: write`, () => writePatch(planned, counts, changes));
    if (mode === 'upsert' && expected !== Math.max(rows, first + count))
      throw new Error(`${name}: ${expected} rows`);
    await tables.dropStaging(fileSegment);
  };
  await measure('unique keys', async () => {
    const planned = { mode: 'upsert', base: { segmentIds: [1001], rowCount: rows }, basePlace: place };
    const merge = {
      ...planned,
      targetPlace: place,
      filePlace: place,
      baseColumns: columns,
      fileColumns: columns,
    };
    await keys.repeated(
      { ...merge, columns, keyIds: [1, 2], keep: 'last', target: 1, fileSegment: 1 } as SegmentMerge,
      'base',
    );
  });
  await change({ name: 'upsert of 1 row', mode: 'upsert', rows: 1, first: rows / 2 });
  await change({ name: 'delete of 1 row', mode: 'delete', rows: 1, first: rows / 2 });
  await change({ name: 'upsert of 1,000 rows', mode: 'upsert', rows: 1000, first: rows - 900 });
  await change({ name: 'upsert of 1 %', mode: 'upsert', rows: rows / 100, first: rows - (rows / 1000) * 9 });
  await change({ name: 'sync of 0.1 %', mode: 'sync', rows, first: 0, step: 1000 });
  const peakMb = endWatch();
  await tables.dropOwnTable(1);
  return [
    ...measured.map(({ name, seconds }) => ({ name, value: seconds, unit: 's', better: 'lower' as const })),
    { name: 'peak memory of a query', value: peakMb, unit: 'MB', better: 'lower' },
  ];
};
