/**
 * Cost of sharding: a 300 MB file to three ClickHouse servers compared with one, on the same cores.
 * Both products run at the same time and take turns, so that other load on the machine affects both.
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
    // Every dataset with a table of its own is spread over all servers.
    const product = await startWholeProduct({ spreadMinBytes: '1' }, { clickhouseNodes });
    await defer(`product of ${clickhouseNodes}`, product.stop);
    await warmUp(product);
    return product;
  };
  const one = await open(1);
  const three = await open(nodes);

  const take = async (product: RunningProduct, name: string): Promise<Turn> => {
    const datasetId = await createDataset(product, name);
    const startedAt = performance.now();
    const { rows } = await uploadAndWait(product, datasetId, fileContent(file.path));
    const uploadSeconds = (performance.now() - startedAt) / 1_000;
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
    const shown = [both.one, both.three].map(
      ({ uploadSeconds, downloadSeconds }) =>
        `up ${uploadSeconds.toFixed(2)} s, down ${downloadSeconds.toFixed(2)} s`,
    );
    say(`one server: ${shown[0]}; ${nodes}: ${shown[1]}`);
    return both;
  });

  const ratio = (name: string, of: keyof Turn, goal: Figure['goal']): Figure => ({
    name,
    value: median(turns.map(({ one: alone, three: sharded }) => sharded[of] / alone[of])),
    unit: '×',
    ...(goal === undefined ? { better: 'lower' } : { goal }),
    yardstick: { name: 'one server', value: median(turns.map(({ one: alone }) => alone[of])), unit: 's' },
  });
  return [
    ratio(`upload to ${nodes} servers, time vs one`, 'uploadSeconds', { atMost: 1.2 }),
    ratio(`download from ${nodes} servers, time vs one`, 'downloadSeconds', undefined),
  ];
};
