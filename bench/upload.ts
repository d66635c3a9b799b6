import type { Bench } from './support/bench.js';
import { createDataset, fileContent, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import { insertAlone } from './support/insert-alone.js';
import { type Measured, measure, usageFigures } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { inTurn } from './support/requests.js';
import { median } from './support/statistics.js';
import { type TableFile, tableColumns, tableFile } from './support/table-file.js';

const uploadOnce = async (
  product: RunningProduct,
  file: TableFile,
  name: string,
): Promise<Measured<unknown>> => {
  const datasetId = await createDataset(product, name);
  const measured = await measure(product, () => uploadAndWait(product, datasetId, fileContent(file.path)));
  if (measured.value.rows !== file.rows) throw new Error(`the upload stored ${measured.value.rows} rows`);
  return measured;
};

/**
 * A 300 MB file, alternating between (a) one `INSERT … FORMAT CSV` into ClickHouse alone and (b) our upload, from the
 * first byte sent until the process completes.
 */
export const upload: Bench = async ({ pick, say, product: open }) => {
  const file = await tableFile(pick(5_000_000, 500_000));
  const megabytes = file.bytes / 1e6;
  const product = await open();
  const pairs = await inTurn(pick(5, 1), async (turn) => {
    const alone = await insertAlone(product, {
      columns: tableColumns,
      content: fileContent(file.path),
      rows: file.rows,
    });
    const { seconds, usage } = await uploadOnce(product, file, `upload ${turn}`);
    say(`ClickHouse alone ${alone.toFixed(2)} s, upload ${seconds.toFixed(2)} s`);
    return { alone, seconds, usage };
  });
  const alone = median(pairs.map((pair) => pair.alone));
  const seconds = median(pairs.map((pair) => pair.seconds));
  const typical = pairs.find((pair) => pair.seconds === seconds) ?? pairs[0]!;
  const figures: Figure[] = [
    {
      name: 'time vs ClickHouse alone',
      value: median(pairs.map((pair) => pair.seconds / pair.alone)),
      unit: '×',
      goal: { atMost: 2.3 },
      yardstick: { name: 'ClickHouse alone', value: alone, unit: 's' },
    },
    { name: 'upload', value: seconds, unit: 's', better: 'lower' },
    { name: 'throughput', value: megabytes / seconds, unit: 'MB/s', better: 'higher' },
    ...usageFigures('upload', typical.usage),
  ];
  return figures;
};
