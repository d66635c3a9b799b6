/** Logs of API and worker never contain cells of a file, whatever happens to the file. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logOptions } from '../../../src/lib/log.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  type ProcessAnswer,
  putFile,
} from '../../support/datasets.js';
import { connectKafka } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, putWith } from '../../support/upload-options.js';

const canary = 'kanarienvogel';

let product: TestProduct;
let owner: Client;
const lines: string[] = [];

beforeAll(async () => {
  const log = pino(logOptions('test', 'trace'), { write: (line: string) => lines.push(line) });
  product = await startProduct({ firstChunkBytes: '1000', chunkBytes: '1000', sweepIntervalMs: '200' }, log);
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const rows = (count: number, row: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${row(at)}\n`).join('');

/** Uploads a file. @returns error code of the answer or the process, otherwise the status. */
const outcome = async (file: string, options: Options = {}, dataset?: number): Promise<string> => {
  const id = dataset ?? (await createDataset(owner));
  const answer = await putWith(owner, id, file, options);
  if (answer.status !== 201) return ((await answer.json()) as { code: string }).code;
  let process = (await answer.json()) as ProcessAnswer;
  while (process.status === 'pending')
    process = (await (
      await call(owner, 'GET', `/datasets/${id}/processes/${process.id}`)
    ).json()) as ProcessAnswer;
  return process.error?.code ?? process.status;
};

const manifest = { columns: [{ name: 'n', dataType: 'Decimal' }] };

it('uploads have their expected outcome: failed, quarantined, widened, merged', async () => {
  const numbers = rows(800, String);
  expect(await outcome(`n\n${numbers}${canary}\n${numbers}`)).toBe('completed');
  expect(await outcome(`n\n${numbers}${canary}\n`, { manifest })).toBe('value');
  expect(await outcome(`n\n${numbers}${canary},2\n`)).toBe('field_count');
  expect(await outcome(`n\n${numbers}"${canary}\n`)).toBe('unterminated_quote');
  expect(await outcome(`n\n${numbers}"${canary}"x\n`)).toBe('text_after_quote');
  expect(await outcome(`n\n${canary}\u0000\n`)).toMatch(/^[a-z_]+$/);
  expect(await outcome(`n\n${numbers}${canary},2\n`, { onBadRow: 'quarantine' })).toBe('completed');
  expect(await outcome(`n\n${numbers}${canary}\n`, { manifest, onBadRow: 'quarantine' })).toBe('completed');
  expect(
    await outcome(`n\n${rows(50, () => canary)}`, { manifest, onBadRow: 'quarantine', maxBadRows: '3' }),
  ).toBe('too_many_bad_rows');

  const dataset = await createDataset(owner);
  expect(await outcome(`k,v\n${canary},1\n`, {}, dataset)).toBe('completed');
  expect(await outcome(`k,v\n${canary},${canary}\n`, { mode: 'append' }, dataset)).toBe('value');
  expect(
    await outcome(`k,v\n${canary},2\n${canary},3\n`, { mode: 'upsert', onDuplicateKey: 'fail' }, dataset),
  ).toBe('key_not_unique');
  expect(
    await outcome(`k,v\n${canary},${canary}\n`, { mode: 'append', onTypeConflict: 'widen' }, dataset),
  ).toBe('completed');
  expect(await download(owner, dataset)).toContain(canary);
});

it('an undecodable message is logged as a dead letter', async () => {
  const producer = clientOf(connectKafka('canary')).producer();
  await producer.connect();
  const topic = `${product.config.kafkaPrefix}.chunks.short`;
  await producer.send({ topic, messages: [{ value: canary, headers: { 'request-id': 'r' } }] });
  await producer.disconnect();
  await expect.poll(() => lines.some((line) => line.includes('"dead letter"'))).toBe(true);
});

it('a row that the database rejects is logged', async () => {
  // The database error of a failed CHECK quotes the row.
  await product.sql.query(
    `ALTER TABLE rejects ADD CONSTRAINT no_canary CHECK (raw NOT LIKE '%${canary}%') NOT VALID`,
  );
  const dataset = await createDataset(owner);
  const answer = await putWith(owner, dataset, `n\n1\n${canary},2\n`, { onBadRow: 'quarantine' });
  expect(answer.status).toBe(201);
  await expect
    .poll(() => lines.filter((line) => line.includes('chunk not handled')).length)
    .toBeGreaterThan(1);
  expect(lines.join('')).toContain('no_canary');
  await product.sql.query('ALTER TABLE rejects DROP CONSTRAINT no_canary');
});

it('an aborted upload is logged', async () => {
  const dataset = await createDataset(owner);
  const abort = new AbortController();
  const broken = fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
    method: 'PUT',
    headers: { ...authorization(owner.key), 'content-type': 'multipart/form-data; boundary=b' },
    duplex: 'half',
    signal: abort.signal,
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(
          Buffer.from(
            `--b\r\nContent-Disposition: form-data; name="data"; filename="x.csv"\r\n\r\nn\n${rows(500, () => canary)}`,
          ),
        );
        setTimeout(() => abort.abort(), 500);
      },
    }),
  } as RequestInit).catch(() => 'broken off');
  expect(await broken).toBe('broken off');
  await expect.poll(() => lines.some((line) => line.includes('upload failed'))).toBe(true);
  expect((await putFile(owner, dataset, `${canary}`)).status).toBeLessThan(500);
});

it('no log line contains a value, and every failed upload has one line', () => {
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => line.toLowerCase().includes(canary))).toEqual([]);
  const failed = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'upload failed');
  const processes = failed.map(({ process }) => process);
  expect(new Set(processes).size).toBe(processes.length);
  for (const line of failed)
    expect(line).toMatchObject({
      process: expect.any(Number),
      dataset: expect.any(Number),
      account: expect.any(Number),
      code: expect.stringMatching(/^[a-z_]+$/),
    });
  expect(failed.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      'value',
      'field_count',
      'unterminated_quote',
      'too_many_bad_rows',
      'key_not_unique',
    ]),
  );
});
