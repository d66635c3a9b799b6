import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
} from '../../support/datasets.js';
import { type FurtherProcess, startFurther } from '../../support/further-process.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    firstChunkBytes: '512',
    chunkBytes: '2048',
    kafkaPartitions: '6',
    sweepIntervalMs: '500',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const records = (upload: number, rows: number): string[] =>
  Array.from({ length: rows }, (_, row) => `${upload},${row},"text ${upload}/${row}"`);

const fileOf = (lines: readonly string[]): string => `upload,row,text\n${lines.join('\n')}\n`;
const shownOf = (lines: readonly string[]): string => `"upload","row","text"\n${lines.join('\n')}\n`;

describe('workers that start and stop in the middle of an upload', () => {
  it('store every record once, in order and in one attempt', async () => {
    const dataset = await createDataset(owner);
    const lines = records(0, 8_000);
    const process = await json<ProcessAnswer>(await putFile(owner, dataset, fileOf(lines)), 201);
    const ending = ended(owner, process);

    const second = await startFurther(product, 'worker');
    const third = await startFurther(product, 'worker');
    await second.stop();
    await product.stopWorker();
    await product.startWorker();
    await third.stop();

    expect(await ending).toMatchObject({
      status: 'completed',
      rows: lines.length,
      progress: { attempt: 1 },
    });
    expect(await download(owner, dataset)).toBe(shownOf(lines));
  });
});

describe('two API processes and three workers', () => {
  const further: FurtherProcess[] = [];
  afterAll(() => Promise.all(further.map((process) => process.stop())));

  it('publish many uploads exactly once, in the order of their acceptance', async () => {
    further.push(await startFurther(product, 'worker'), await startFurther(product, 'worker'));
    const api = await startFurther(product, 'api');
    further.push(api);
    const clients = [owner, { ...owner, baseUrl: api.baseUrl }];
    const datasets = await Promise.all(Array.from({ length: 4 }, () => createDataset(owner)));

    const sent = await Promise.all(
      Array.from({ length: 36 }, async (_, upload) => {
        const client = clients[upload % 2] ?? owner;
        const dataset = datasets[upload % 4] ?? 0;
        const rows = upload % 5 === 0 ? 600 : 3 + upload;
        const mode = upload % 12 < 8 ? 'append' : 'replace';
        const lines = records(upload, rows);
        const answer = await putWith(client, dataset, fileOf(lines), { mode });
        return { dataset, mode, lines, process: await json<ProcessAnswer>(answer, 201) };
      }),
    );
    const results = await Promise.all(sent.map(({ process }) => ended(owner, process)));
    expect(results.map(({ status }) => status)).toEqual(sent.map(() => 'completed'));

    const versionOf = new Map(results.map(({ id, versionId }) => [id, Number(versionId)]));
    for (const dataset of datasets) {
      const inOrder = sent
        .filter((upload) => upload.dataset === dataset)
        .sort((a, b) => a.process.id - b.process.id);
      const versions = inOrder.map(({ process }) => versionOf.get(process.id) ?? 0);
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      let lines: string[] = [];
      for (const [at, upload] of inOrder.entries()) {
        lines = upload.mode === 'replace' ? upload.lines : [...lines, ...upload.lines];
        expect(await download(owner, dataset, `?versionId=${versions[at]}`)).toBe(shownOf(lines));
      }
    }
  });
});
