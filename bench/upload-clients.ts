import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench } from './support/bench.js';
import { createDataset, fileContent, untilCompleted, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import { insertAlone } from './support/insert-alone.js';
import { measure } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { inTurn } from './support/requests.js';
import { median } from './support/statistics.js';
import { tableColumns, tableFile } from './support/table-file.js';

const run = promisify(execFile);
const python = process.env.CLIENTS_PYTHON ?? 'python3';

interface Sender {
  readonly name: string;
  /** Sends the file and waits until its version is published. */
  send(product: RunningProduct, datasetId: number, path: string): Promise<unknown>;
}

const dataUrl = ({ baseUrl }: RunningProduct, datasetId: number): string =>
  `${baseUrl}/datasets/${datasetId}/data`;

const large: Sender = {
  name: 'Node, 1 MiB pieces',
  send: (product, datasetId, path) => uploadAndWait(product, datasetId, fileContent(path)),
};

const curl: Sender = {
  name: 'curl -F',
  async send(product, datasetId, path) {
    const header = `Authorization: ${product.authorization}`;
    const args = ['-sSf', '-X', 'PUT', '-H', header, '-F', `data=@${path}`, dataUrl(product, datasetId)];
    return untilCompleted(product, (await run('curl', args)).stdout);
  },
};

const script = `
import requests, sys
url, authorization, path = sys.argv[1:]
with open(path, "rb") as file:
    answer = requests.put(url, headers={"Authorization": authorization}, files={"data": file})
answer.raise_for_status()
print(answer.text)
`;

const requests: Sender = {
  name: 'Python requests',
  async send(product, datasetId, path) {
    const args = ['-c', script, dataUrl(product, datasetId), product.authorization, path];
    return untilCompleted(product, (await run(python, args)).stdout);
  },
};

const works = (program: string, args: string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );

/**
 * The file of the bench `upload`, sent by common clients in turn: Node with large pieces, curl with 64 KiB pieces, and
 * Python requests with the whole form in memory (`CLIENTS_PYTHON` names a Python that has it).
 */
export const uploadClients: Bench = async ({ pick, say, product: open }) => {
  const senders = [large];
  if (await works('curl', ['--version'])) senders.push(curl);
  else say('NOT MEASURED: curl is not installed');
  if (await works(python, ['-c', 'import requests'])) senders.push(requests);
  else say(`NOT MEASURED: ${python} has no package requests`);
  const file = await tableFile(pick(5_000_000, 500_000));
  const product = await open();
  const turns = await inTurn(pick(3, 1), async (turn) => {
    const content = fileContent(file.path);
    const alone = await insertAlone(product, { columns: tableColumns, content, rows: file.rows });
    const results = new Map<string, { ratio: number; cpu: number }>();
    for (const { name, send } of senders) {
      const datasetId = await createDataset(product, `${name} ${turn}`);
      const { seconds, usage } = await measure(product, () => send(product, datasetId, file.path));
      const cpu = usage.cpuSeconds.api ?? 0;
      results.set(name, { ratio: seconds / alone, cpu });
      say(`${name}: ${seconds.toFixed(2)} s, CPU of the API ${cpu.toFixed(2)} s`);
    }
    return results;
  });
  const typical = (name: string, pick: (one: { ratio: number; cpu: number }) => number): number =>
    median(turns.flatMap((turn) => turn.get(name) ?? []).map(pick));
  const cpuOfLarge = typical(large.name, ({ cpu }) => cpu);
  return senders.flatMap(({ name }): Figure[] => [
    {
      name: `${name}, time vs ClickHouse alone`,
      value: typical(name, (one) => one.ratio),
      unit: '×',
      better: 'lower',
    },
    { name: `${name}, CPU of api`, value: typical(name, ({ cpu }) => cpu), unit: 's', better: 'lower' },
    ...(name === large.name
      ? []
      : [
          {
            name: `${name}, CPU of api vs large pieces`,
            value: typical(name, ({ cpu }) => cpu) / cpuOfLarge,
            unit: '×',
            goal: { atMost: 1.1 },
          },
        ]),
  ]);
};
