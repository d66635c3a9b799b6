/**
 * A file of 300 MB to three servers of ClickHouse against the same to one, on the same cores: what the division itself costs.
 * Both products run side by side and are sent to in turn, so that whatever else the machine does meets both.
 */
import type { Bench } from './support/bench.js';
import { createDataset, fileContent, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import { type RunningProduct, startWholeProduct } from './support/product.js';
import { fetchAll, inTurn } from './support/requests.js';
import { median } from './support/statistics.js';
import { tableFile } from './support/table-file.js';
import { warmUp } from './support/warm-up.js';

const nodes = 3;

interface Turn {
  readonly uploadSeconds: number;
  readonly downloadSeconds: number;
}

export const cluster: Bench = async ({ pick, say, defer }) => {
  const file = await tableFile(pick(5_000_000, 200_000));
  const open = async (clickhouseNodes: number): Promise<RunningProduct> => {
    // Every dataset that has a table of its own lies on all servers.
    const product = await startWholeProduct({ spreadMinBytes: '1' }, { clickhouseNodes });
    await defer(`product of ${clickhouseNodes}`, product.stop);
    await warmUp(product);
    return product;
  };
  const one = await open(1);
  const three = await open(nodes);

  const take = async (product: RunningProduct, name: string): Promise<Turn> => {
    const datasetId = await createDataset(product, name);
    const begun = performance.now();
    const { rows } = await uploadAndWait(product, datasetId, fileContent(file.path));
    const uploadSeconds = (performance.now() - begun) / 1_000;
    if (rows !== file.rows) throw new Error(`the upload stored ${rows} rows`);
    const { baseUrl, authorization } = product;
    const { status, totalMs } = await fetchAll(`${baseUrl}/datasets/${datasetId}/data?$skip=0`, {
      headers: { authorization },
    });
    if (status !== 200) throw new Error(`the download answered ${status}`);
    return { uploadSeconds, downloadSeconds: totalMs / 1_000 };
  };
  const turns = await inTurn(pick(5, 1), async (turn) => {
    const both = { one: await take(one, `turn ${turn}`), three: await take(three, `turn ${turn}`) };
    const told = [both.one, both.three].map(
      ({ uploadSeconds, downloadSeconds }) =>
        `up ${uploadSeconds.toFixed(2)} s, down ${downloadSeconds.toFixed(2)} s`,
    );
    say(`one server: ${told[0]}; ${nodes}: ${told[1]}`);
    return both;
  });

  const ratio = (name: string, of: keyof Turn, goal: Figure['goal']): Figure => ({
    name,
    value: median(turns.map(({ one: alone, three: divided }) => divided[of] / alone[of])),
    unit: '×',
    ...(goal === undefined ? { better: 'lower' } : { goal }),
    yardstick: { name: 'one server', value: median(turns.map(({ one: alone }) => alone[of])), unit: 's' },
  });
  return [
    ratio(`upload to ${nodes} servers, time of one`, 'uploadSeconds', { atMost: 1.2 }),
    ratio(`download from ${nodes} servers, time of one`, 'downloadSeconds', undefined),
  ];
};
