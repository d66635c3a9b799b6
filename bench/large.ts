import type { Bench } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import { measure, type Usage, usageFigures } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { fetchAll } from './support/requests.js';
import { tableStream } from './support/table-stream.js';

const sizeText = (bytes: number): string => (bytes >= 1e9 ? `${bytes / 1e9} GB` : `${bytes / 1e6} MB`);

interface Transfer {
  readonly datasetId: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly usage: Usage;
}

const upload = async (product: RunningProduct, size: number): Promise<Transfer> => {
  const { content, rows, bytes } = tableStream(size);
  const datasetId = await createDataset(product, `${sizeText(size)} ${Date.now()}`);
  const { value, seconds, usage } = await measure(product, () => uploadAndWait(product, datasetId, content));
  if (value.rows !== rows) throw new Error(`the upload stored ${value.rows} of ${rows} rows`);
  return { datasetId, bytes, seconds, usage };
};

/** `$skip=0` requests a stream; without options the response would be a link to a file. */
const download = async (product: RunningProduct, { datasetId, bytes }: Transfer) => {
  const { value, seconds, usage } = await measure(product, () =>
    fetchAll(`${product.baseUrl}/datasets/${datasetId}/data?$skip=0`, {
      headers: { authorization: product.authorization },
    }),
  );
  if (value.status !== 200) throw new Error(`the download answered ${value.status}`);
  if (value.bytes < bytes * 0.9) throw new Error(`the download gave ${value.bytes} bytes`);
  return { seconds, usage, rate: value.bytes / 1e6 / seconds };
};

const growth = (name: string, process: string, small: Usage, large: Usage, goal?: Figure['goal']): Figure => {
  const before = small.peakMemoryMb[process] ?? Number.NaN;
  return {
    name,
    value: (large.peakMemoryMb[process] ?? Number.NaN) - before,
    unit: 'MB',
    ...(goal === undefined ? { better: 'lower' } : { goal }),
    yardstick: { name: 'peak with the small file', value: before, unit: 'MB' },
  };
};

/** Memory must not grow with the size of an upload or download. */
export const large: Bench = async ({ pick, say, report, product: open }) => {
  const product = await open();
  const sizes = { tiny: pick(10e6, 1e6), small: pick(300e6, 20e6), large: pick(10e9, 200e6) };
  const tiny = await upload(product, sizes.tiny);
  const small = await upload(product, sizes.small);
  say(`${sizeText(sizes.small)} in ${small.seconds.toFixed(0)} s`);
  const big = await upload(product, sizes.large);
  say(`${sizeText(sizes.large)} in ${big.seconds.toFixed(0)} s`);
  const title = sizeText(sizes.large);
  const against = `over ${sizeText(sizes.small)}`;
  report([
    { name: `upload ${title}`, value: big.bytes / 1e6 / big.seconds, unit: 'MB/s', better: 'higher' },
    ...usageFigures(`upload ${title}`, big.usage),
    growth(`upload ${title}, growth of API memory ${against}`, 'api', small.usage, big.usage),
    growth(`upload ${title}, growth of worker memory ${against}`, 'worker', small.usage, big.usage),
  ]);
  const tinyOut = await download(product, tiny);
  const bigOut = await download(product, big);
  return [
    { name: `download ${title}`, value: bigOut.rate, unit: 'MB/s', better: 'higher' },
    ...usageFigures(`download ${title}`, bigOut.usage),
    growth(
      `download ${title}, growth of API memory over ${sizeText(sizes.tiny)}`,
      'api',
      tinyOut.usage,
      bigOut.usage,
      { atMost: 50 },
    ),
  ];
};
