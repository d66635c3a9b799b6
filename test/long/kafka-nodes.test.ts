import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../../src/embedded/components.js';
import { silentLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { clientOf } from '../../src/storage/kafka/kafkajs/client.js';
import { type Client, createDataset, download, ended, type ProcessAnswer } from '../support/datasets.js';
import { connectKafka } from '../support/kafka.js';
import { startProduct, type TestProduct } from '../support/product.js';
import type { KafkaAccess } from '../support/services.js';
import { putPatiently } from '../support/upload-options.js';

const folder = mkdtempSync(join(tmpdir(), 'tabulary-kafka-nodes-'));
const dataDir = join(folder, 'data');
const scope = createScope(silentLog);
const need = { postgres: false, kafka: true, clickhouse: false };

let embedded: Embedded;
let access: KafkaAccess;
let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  embedded = await startEmbedded({ dataDir, need, kafkaNodes: 3, log: silentLog, scope });
  const { databaseUrl: _, clickhouseUrl: __, ...kafka } = embedded.access;
  access = kafka;
  product = await startProduct({
    ...access,
    firstChunkBytes: '512',
    chunkBytes: '2048',
    kafkaPartitions: '3',
    backlogProbeMs: '300',
  });
  owner = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await scope.close();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (rows: number, upload: number): string =>
  `upload,row,text\n${Array.from({ length: rows }, (_, row) => `${upload},${row},"text ${upload}/${row}"`).join('\n')}\n`;
const downloadOf = (file: string): string => file.replace('upload,row,text', '"upload","row","text"');

const withAdmin = async <T>(run: (admin: ReturnType<ReturnType<typeof clientOf>['admin']>) => Promise<T>) => {
  const admin = clientOf(connectKafka('nodes-test', access)).admin();
  await admin.connect();
  try {
    return await run(admin);
  } finally {
    await admin.disconnect();
  }
};

const topic = (): string => `${product.config.kafkaPrefix}.chunks.bulk`;

describe('three brokers', () => {
  it('keep three replicas of each partition and require two in sync', async () => {
    const { topics } = await withAdmin((admin) => admin.fetchTopicMetadata({ topics: [topic()] }));
    expect(topics[0]?.partitions.map(({ replicas }) => [...replicas].sort())).toEqual(
      new Array(3).fill([1, 2, 3]),
    );
    const { resources } = await withAdmin((admin) =>
      admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: 2, name: topic(), configNames: ['min.insync.replicas'] }],
      }),
    );
    expect(resources[0]?.configEntries[0]?.configValue).toBe('2');
  });

  it('lose nothing when any one of them is killed during uploads', {
    timeout: 900_000,
  }, async () => {
    const datasets = await Promise.all([1, 2, 3].map(() => createDataset(owner)));
    for (const [index, pid] of embedded.kafkaPids().entries()) {
      let killed = false;
      const sending = datasets.map(async (dataset, upload) => {
        const sent: string[] = [];
        const processes: ProcessAnswer[] = [];
        // Continues until the broker is down, so that uploads arrive before and during the kill.
        for (let turn = 0; turn < 3 || !killed; turn += 1) {
          const file = fileOf(400, 100 * index + 10 * turn + upload);
          processes.push(await putPatiently(owner, dataset, file, {}));
          sent.push(file);
        }
        const ends = await Promise.all(processes.map((process) => ended(owner, process)));
        expect(ends.map(({ status }) => status)).toEqual(sent.map(() => 'completed'));
        expect(await download(owner, dataset)).toBe(downloadOf(sent.at(-1) ?? ''));
      });
      await sleep(300);
      process.kill(pid ?? 0, 'SIGKILL');
      while (embedded.kafkaPids()[index] === pid) await sleep(50);
      killed = true;
      await Promise.all(sending);
      while (embedded.kafkaPids()[index] === undefined) await sleep(50);
    }
    const { rows } = await product.sql
      .query<{ n: number }>(`SELECT count(*)::int AS n FROM dead_letters`)
      .then((found) => ({ rows: found }));
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('use partitions added at runtime', async () => {
    await withAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic: topic(), count: 5 }] }));
    const used = async (): Promise<number> => {
      const offsets = await withAdmin((admin) => admin.fetchTopicOffsets(topic()));
      return offsets.filter(({ partition, high }) => partition >= 3 && Number(high) > 0).length;
    };
    const dataset = await createDataset(owner);
    while ((await used()) < 2) {
      const file = fileOf(400, 7);
      const process = await putPatiently(owner, dataset, file, {});
      expect(await ended(owner, process)).toMatchObject({ status: 'completed' });
      expect(await download(owner, dataset)).toBe(downloadOf(file));
    }
  });

  it('cannot change in number after the data folder was created', async () => {
    await product.close();
    await scope.close();
    const next = createScope(silentLog);
    try {
      await expect(startEmbedded({ dataDir, need, log: silentLog, scope: next })).rejects.toMatchObject({
        code: 'kafka_nodes_fixed',
      });
    } finally {
      await next.close();
    }
  });
});
