/**
 * Cost of changing a large table: time until the change is visible, disk space, and reads of the new versions and their
 * diffs. ClickHouse, DuckDB and SQLite make the same changes in the same run.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Changed, type Changing, change, diskOf, upsertOf } from './changes/changing.js';
import {
  changeFigures,
  copiedGoals,
  differenceFigures,
  number,
  ratio,
  readFigures,
  readGoals,
  sizes,
  yearFigures,
} from './changes/figures.js';
import { duckDb, type OtherDatabase, plainClickHouse, sqliteBytes } from './changes/others.js';
import { fileOf, numbersTo, type TableShape } from './changes/rows.js';
import type { Bench, BenchContext } from './support/bench.js';
import { createDataset } from './support/client.js';
import { untilQuiet } from './support/process-stats.js';
import type { ProductSettings } from './support/product.js';
import { readCopiesFrom, untilReadCopy } from './support/read-copy.js';
import { inTurn } from './support/requests.js';
import { median } from './support/statistics.js';

/** Uploads all rows of a table to a new dataset. */
const startDataset = async (
  { product: start, say }: BenchContext,
  shape: TableShape,
  settings?: ProductSettings,
): Promise<{ changing: Changing; base: Changed }> => {
  const product = await start(settings);
  const datasetId = await createDataset(product, `changes ${shape.title} ${Date.now()}`);
  const changing: Changing = { product, shape, datasetId, disk: diskOf(product, datasetId) };
  say(`${shape.title}: upload`);
  const file = fileOf(shape, { numbers: numbersTo(shape.rows), revisionOf: () => 0 });
  return { changing, base: await change(changing, file, {}) };
};

/** A version a day for a year. Uses a fresh dataset, since the 100,000-row changes of the other bench would soon trigger folding. */
const measureYear = async (context: BenchContext, shape: TableShape, turns: number): Promise<void> => {
  const { pick, say, report } = context;
  // No version has this many rows before the last one.
  const copiedRows = shape.rows + 1;
  const { changing, base } = await startDataset(context, shape, readCopiesFrom(copiedRows));
  say(`${shape.title}: a version a day`);
  const year = await yearFigures(changing, {
    days: pick(365, 12),
    rows: Math.min(1_000, shape.rows / 100),
    baseBytes: base.bytes,
  });
  report(year.figures);
  report(
    await readFigures(changing, {
      first: base.versionId,
      last: year.versions.at(-1) ?? '',
      turns,
      when: 'after a year',
      goals: readGoals,
    }),
  );
  report(await differenceFigures(changing, year.versions));
  say(`${shape.title}: read copy`);
  const added = fileOf(shape, { numbers: [shape.rows], revisionOf: () => 0 });
  const last = await change(changing, added, { mode: 'upsert', onDuplicateKey: 'last' });
  await untilReadCopy(changing.product, changing.datasetId, copiedRows);
  report(
    await readFigures(changing, {
      first: base.versionId,
      last: last.versionId,
      turns,
      when: 'after a year, from the read copy',
      goals: copiedGoals,
    }),
  );
};

const measureShape = async (context: BenchContext, shape: TableShape): Promise<void> => {
  const { pick, say, report, defer } = context;
  const turns = pick(5, 1);
  const { changing, base } = await startDataset(context, shape);
  const { product } = changing;
  const baseBytes = base.bytes;
  say(`${shape.title}: sync, 0.1 % changed`);
  await untilQuiet(product);
  const synced = await change(
    changing,
    fileOf(shape, { numbers: numbersTo(shape.rows), revisionOf: (row) => (row % 1_000 === 7 ? 99 : 0) }),
    { mode: 'sync', onDuplicateKey: 'last' },
  );
  report([
    {
      name: `${shape.title}: sync of the whole file, 0.1 % changed, time vs upload`,
      value: synced.seconds / base.seconds,
      unit: '×',
      goal: { atMost: 1.3 },
      yardstick: { name: 'upload', value: base.seconds, unit: 's' },
    },
    {
      name: `${shape.title}: sync, disk vs table`,
      value: (100 * synced.bytes) / baseBytes,
      unit: '%',
      goal: { atMost: 1 },
      yardstick: { name: 'the table', value: baseBytes / 1e6, unit: 'MB' },
    },
  ]);
  const others = [await plainClickHouse(product, shape, defer), await duckDb(shape, defer)];
  const bytesPerRow = baseBytes / shape.rows;
  for (const size of sizes(Math.min(100_000, shape.rows / 10))) {
    say(`${shape.title}: ${number.format(size.rows)} rows`);
    report(await changeFigures(changing, others, { size, turns, bytesPerRow }));
  }
  const checked = await upsertOf(changing, 1, 90, 'fail');
  report([
    {
      name: `${shape.title}: upsert of 1 with onDuplicateKey=fail`,
      value: checked.seconds,
      unit: 's',
      better: 'lower',
    },
    ...(await readFigures(changing, {
      first: base.versionId,
      last: checked.versionId,
      turns,
      when: 'after these changes',
      goals: readGoals,
    })),
  ]);
  say(`${shape.title}: other databases`);
  const [clickhouse, duck] = others;
  const groups = async (other: OtherDatabase | undefined): Promise<number> =>
    median(await inTurn(turns, async () => (await other?.aggregate()) ?? Number.NaN)) * 1000;
  report([
    {
      name: `${shape.title}: group by day, ClickHouse alone`,
      value: await groups(clickhouse),
      unit: 'ms',
      better: 'lower',
    },
    {
      name: `${shape.title}: group by day, DuckDB alone`,
      value: await groups(duck),
      unit: 'ms',
      better: 'lower',
    },
    ratio(
      `${shape.title}: disk of the table vs plain ClickHouse`,
      baseBytes,
      clickhouse?.baseBytes ?? Number.NaN,
      'ClickHouse',
      'B',
    ),
    ratio(
      `${shape.title}: disk of the table vs DuckDB`,
      baseBytes,
      duck?.baseBytes ?? Number.NaN,
      'DuckDB',
      'B',
    ),
    ratio(`${shape.title}: disk of the table vs SQLite`, baseBytes, sqliteBytes(shape), 'SQLite', 'B'),
  ]);
};

/** 10 M rows of 3 columns and 1 M rows of 100; even a quick run has too many rows for a shared pool. */
const shapes = ({ pick }: BenchContext): readonly TableShape[] => [
  { title: '3 columns', rows: pick(10_000_000, 200_000), values: 1 },
  { title: '100 columns', rows: pick(1_000_000, 30_000), values: 98 },
];

export const changes: Bench = async (context) => {
  for (const shape of shapes(context)) {
    await measureShape(context, shape);
    // SQLite blocks the process for a minute; lets it notice connections that the API has closed.
    await sleep(100);
  }
  return [];
};

export const yearOfChanges: Bench = async (context) => {
  for (const shape of shapes(context)) await measureYear(context, shape, context.pick(5, 1));
  return [];
};
