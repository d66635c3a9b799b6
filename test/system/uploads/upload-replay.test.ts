import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/admin/run.js';
import { createUploadCommands } from '../../../src/admin/uploads.js';
import { openUploadReplay } from '../../../src/compose/operator.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import {
  authorization,
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { connectKafka } from '../../support/kafka.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { recordSql } from '../../support/records.js';

let product: TestProduct;
let owner: Client;
let kafka: KafkaConnection;

beforeAll(async () => {
  product = await startProduct(
    {
      poolMaxRows: '0',
      sweepIntervalMs: '200',
      firstChunkBytes: '2000',
      chunkBytes: '2000',
      receiveTimeoutMs: '60000',
    },
    silentLog,
  );
  owner = await product.createAccount('owner');
  kafka = connectKafka('replay-test');
});

afterAll(() => product?.close());

const admin = async (line: string): Promise<string> => {
  const scope = createScope(silentLog);
  try {
    return await runCommandLine([createUploadCommands(openUploadReplay)], line.split(' '), async () => ({
      config: product.config,
      log: silentLog,
      scope,
      sql: product.sql,
    }));
  } finally {
    await scope.close();
  }
};

const replay = async (process: number, options = ''): Promise<Record<string, unknown>> =>
  JSON.parse(await admin(`upload replay ${process} --json${options}`)) as Record<string, unknown>;

const file = (rows: number, from = 0): string =>
  `id,text\n${Array.from({ length: rows }, (_, at) => `${from + at},text ${from + at}\n`).join('')}`;

/** CSV of a download. */
const stored = (rows: number): string =>
  `"id","text"\n${Array.from({ length: rows }, (_, at) => `${at},"text ${at}"\n`).join('')}`;

/** Deletes rows of the dataset in ClickHouse, as if a disk had lost them. */
const loseRows = async (dataset: number, where: string): Promise<void> => {
  const [row] = await product.sql.query<{ storeId: number }>(
    'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
    [dataset],
  );
  await product.clickhouse(
    `ALTER TABLE ${product.config.clickhouseDatabase}.s${row?.storeId} DELETE WHERE ${where} SETTINGS mutations_sync = 2`,
  );
};

const send = async (dataset: number, form: FormData): Promise<ProcessAnswer> => {
  const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
    method: 'PUT',
    headers: authorization(owner.key),
    body: form,
  });
  return ended(owner, await json<ProcessAnswer>(answer, 201));
};

const sendAs = (mode: string, dataset: number, content: string): Promise<ProcessAnswer> => {
  const form = new FormData();
  form.set('mode', mode);
  form.set('data', new Blob([content]), 'data.csv');
  return send(dataset, form);
};

describe('a completed upload', () => {
  it('is reported as equal and not changed', async () => {
    const dataset = await createDataset(owner);
    const process = await upload(owner, dataset, file(1_000));
    expect(process.progress.chunks).toBeGreaterThan(3);
    expect(await replay(process.id)).toEqual({
      process: process.id,
      outcome: 'equal',
      rows: 1_000,
      rowsBefore: 1_000,
      versions: 1,
    });
    expect((await readDataset(owner, dataset)).currentVersionId).toBe(process.versionId);
    expect(await download(owner, dataset)).toBe(stored(1_000));
  });

  it('is reported as equal also after widened types and rejected records', async () => {
    const dataset = await createDataset(owner);
    const rows = Array.from({ length: 1_000 }, (_, at) =>
      at === 700 ? '700,x,y' : at === 900 ? 'nine,9' : `${at},${at}`,
    );
    const form = new FormData();
    form.set('onBadRow', 'quarantine');
    form.set('data', new Blob([`a,b\n${rows.join('\n')}\n`]), 'data.csv');
    const process = await send(dataset, form);
    expect(process).toMatchObject({
      status: 'completed',
      rows: 999,
      rejectedRows: 1,
      progress: { attempt: 2 },
    });
    expect(await replay(process.id)).toMatchObject({ outcome: 'equal', rows: 999, rowsBefore: 999 });
  });

  it('is repaired after a loss of rows, in its version and in those based on it', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, file(500));
    const second = await sendAs('append', dataset, file(500, 500));
    expect(await download(owner, dataset)).toBe(stored(1_000));
    await loseRows(dataset, `${recordSql} % 7 = 3 AND _seg < ${String(second.id * 1_000)}`);
    expect(await replay(first.id)).toMatchObject({
      outcome: 'repaired',
      rows: 500,
      rowsBefore: 429,
      versions: 2,
    });
    expect((await readDataset(owner, dataset)).currentVersionId).toBe(second.versionId);
    expect(await download(owner, dataset, `?versionId=${second.versionId}&$top=2000`)).toBe(stored(1_000));
    expect(await download(owner, dataset, `?versionId=${first.versionId}&$top=2000`)).toBe(stored(500));
    // Files that were exported before the repair are exported again.
    expect(await download(owner, dataset)).toBe(stored(1_000));
    expect(await replay(first.id)).toMatchObject({ outcome: 'equal', rowsBefore: 500 });
  });

  it('is repaired after values were altered, and nothing made from them is served', async () => {
    const dataset = await createDataset(owner);
    const process = await upload(owner, dataset, file(1_000));
    const [row] = await product.sql.query<{ storeId: number }>(
      'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
      [dataset],
    );
    const database = product.config.clickhouseDatabase;
    const table = `s${row?.storeId}`;
    const text = await product.clickhouse(
      `SELECT name FROM system.columns WHERE database = '${database}' AND table = '${table}' AND name LIKE '%\\_s'`,
    );
    await product.clickhouse(
      `ALTER TABLE ${database}.${table} UPDATE ${text.trim()} = 'altered' WHERE ${recordSql} = 7 SETTINGS mutations_sync = 2`,
    );
    const { repositoryId } = await json<{ repositoryId: number }>(
      await call(owner, 'GET', `/datasets/${dataset}`),
    );
    const clone = await json<{ id: number }>(
      await call(owner, 'POST', `/datasets/${dataset}/clone`, { repositoryId, name: `clone of ${dataset}` }),
      201,
    );
    const paths = [dataset, clone.id].flatMap((id) => [
      `/datasets/${id}/data?$top=2000&$format=csv`,
      `/datasets/${id}/data.csv`,
      `/datasets/${id}/summary`,
      `/datasets/${id}/columns/text/values?startsWith=alt`,
    ]);
    const readAll = () =>
      Promise.all(
        paths.map(async (path) => {
          const answer = await call(owner, 'GET', path);
          return { tag: answer.headers.get('etag'), body: await answer.text() };
        }),
      );
    const before = await readAll();
    expect(before.map(({ body }) => body.includes('altered'))).toEqual(paths.map(() => true));
    expect(await replay(process.id)).toMatchObject({ outcome: 'repaired', rows: 1_000, rowsBefore: 1_000 });
    const after = await readAll();
    expect(after.map(({ body }) => body.includes('altered'))).toEqual(paths.map(() => false));
    for (const at of [0, 1, 4, 5]) {
      expect(after[at]?.body).toBe(before[at]?.body.replace('altered', 'text 7'));
      expect(after[at]?.tag).not.toBe(before[at]?.tag);
    }
  });

  it('cannot be replayed after its rows were merged with others', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\nb,2\n');
    const process = await sendAs('upsert', dataset, 'k,v\nb,3\n');
    expect(process.status).toBe('completed');
    await expect(replay(process.id)).rejects.toMatchObject({ code: 'rows_joined' });
  });
});

describe('a failed upload', () => {
  const fail = (process: number, code: string) =>
    product.sql.query(`UPDATE processes SET status = 'failed', error = $2, ended_at = now() WHERE id = $1`, [
      process,
      JSON.stringify({ code, message: 'made up' }),
    ]);

  it('completes when it is replayed, also if no worker has read its chunks', async () => {
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const { id } = await json<ProcessAnswer>(await putFile(owner, dataset, file(1_000)), 201);
    await fail(id, 'store_refused');
    await product.startWorker();
    // The worker has dropped the failed chunks by then.
    await upload(owner, await createDataset(owner), file(1_000));
    expect(await replay(id)).toMatchObject({ outcome: 'completed', rows: 1_000, error: null });
    expect(await download(owner, dataset)).toBe(stored(1_000));
  });

  it('fails again with the same error if its file is invalid', async () => {
    const dataset = await createDataset(owner);
    const failed = await upload(owner, dataset, `${file(800)}1,2,3\n`);
    expect(failed.error?.code).toBe('field_count');
    expect(await replay(failed.id)).toMatchObject({
      outcome: 'failed',
      error: { code: 'field_count', line: failed.error?.line },
    });
  });

  it('cannot be replayed over a newer version or after it was cancelled', async () => {
    const dataset = await createDataset(owner);
    const failed = await upload(owner, dataset, 'a\n1,2\n');
    const newer = await upload(owner, dataset, 'a\n1\n');
    await expect(replay(failed.id)).rejects.toMatchObject({
      code: 'superseded',
      message: expect.stringContaining(`version ${newer.versionId}`),
    });
    const other = await upload(owner, await createDataset(owner), 'a\n1,2\n');
    await fail(other.id, 'cancelled');
    await expect(replay(other.id)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('cannot be replayed if its file was not received completely', async () => {
    const dataset = await createDataset(owner);
    const content = `${file(800)}${'x'.repeat(30)}\u0000\n`;
    const answer = await putFile(owner, dataset, content);
    expect(answer.status).toBe(400);
    const [{ id } = { id: 0 }] = await json<ProcessAnswer[]>(
      await call(owner, 'GET', `/datasets/${dataset}/processes`),
    );
    await expect(replay(id)).rejects.toMatchObject({ code: 'not_received' });
    expect(await download(owner, dataset).catch(() => '')).not.toContain('text 1');
  });
});

describe('a pending upload', () => {
  it('cannot be replayed without --take-over', async () => {
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const { id } = await json<ProcessAnswer>(await putFile(owner, dataset, file(1_000)), 201);
    await expect(replay(id)).rejects.toMatchObject({ code: 'still_pending' });
    const topic = `${product.config.kafkaPrefix}.chunks.bulk`;
    const client = clientOf(kafka).admin();
    await client.connect();
    await client.setOffsets({
      groupId: `${product.config.kafkaPrefix}.bulk`,
      topic,
      partitions: (await client.fetchTopicOffsets(topic)).map(({ partition, high }) => ({
        partition,
        offset: high,
      })),
    });
    await client.disconnect();
    await product.startWorker();
    expect(await admin('upload list --pending')).toMatch(
      new RegExp(`^${id} +${dataset} +pending +insert`, 'm'),
    );
    expect(await replay(id, ' --take-over')).toMatchObject({ outcome: 'completed', rows: 1_000 });
    expect(await download(owner, dataset)).toBe(stored(1_000));
    expect(JSON.parse(await admin(`upload show ${id} --json`))).toMatchObject({
      process: id,
      status: 'completed',
    });
  });
});

describe('an upload whose chunks Kafka has deleted', () => {
  it('is reported as expired, whether it completed or failed', async () => {
    const completed = await upload(owner, await createDataset(owner), file(1_000));
    const failed = await upload(owner, await createDataset(owner), `${file(1_000)}1,2,3\n`);
    const topic = `${product.config.kafkaPrefix}.chunks.bulk`;
    const client = clientOf(kafka).admin();
    await client.connect();
    const ends = await client.fetchTopicOffsets(topic);
    await client.deleteTopicRecords({
      topic,
      partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
    });
    await client.disconnect();
    await expect(replay(completed.id)).rejects.toMatchObject({ code: 'chunks_expired' });
    await expect(replay(failed.id)).rejects.toMatchObject({ code: 'chunks_expired' });
    await expect(replay(999_999)).rejects.toMatchObject({ code: 'unknown_process' });
  });

  it('loses its chunk positions after twice the retention of Kafka', async () => {
    const [old, recent] = [
      await upload(owner, await createDataset(owner), file(1_000)),
      await upload(owner, await createDataset(owner), file(1_000)),
    ];
    const known = async ({ id }: ProcessAnswer): Promise<number> =>
      (await product.sql.query('SELECT 1 FROM chunks WHERE process_id = $1', [id])).length;
    const count = await known(recent);
    expect(count).toBeGreaterThan(1);
    const age = (process: ProcessAnswer, times: number): Promise<unknown> =>
      product.sql.query(
        `UPDATE processes SET created_at = now() - $2 * interval '1 millisecond' WHERE id = $1`,
        [process.id, times * product.config.kafkaRetentionMs],
      );
    await age(recent, 1.5);
    await age(old, 2.5);
    await expect.poll(() => known(old)).toBe(0);
    expect(await known(recent)).toBe(count);
    await expect(replay(old.id)).rejects.toMatchObject({ code: 'chunks_expired' });
    expect(await download(owner, old.datasetId)).toBe(stored(1_000));
  });
});
