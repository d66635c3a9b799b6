import { setTimeout as sleep } from 'node:timers/promises';
import { Partitioners } from 'kafkajs';
import { childEnvironment, loadConfig } from '../src/config.js';
import { createRecordSplitter } from '../src/csv/record-splitter.js';
import { createLog } from '../src/lib/log.js';
import { createKafka } from '../src/storage/kafka/connection.js';
import { clientOf } from '../src/storage/kafka/kafkajs/client.js';
import type { Bench } from './support/bench.js';
import { createDataset, fileContent, uploadAndWait } from './support/client.js';
import type { RunningProduct } from './support/product.js';
import { inTurn, queryClickHouse } from './support/requests.js';
import { median } from './support/statistics.js';
import { type TableFile, tableColumns, tableFile } from './support/table-file.js';

const partitions = 4;
const maxMessageBytes = 24 << 20;
const pollMs = 20;

/** Writes the chunks of the file to a new topic, split as in an upload but uncompressed. */
const fillTopic = async (product: RunningProduct, topic: string, file: TableFile): Promise<void> => {
  const log = createLog('bench', 'warn', 2);
  const kafka = createKafka({
    settings: loadConfig(childEnvironment(product.access)),
    clientId: 'bench',
    log,
  });
  const admin = clientOf(kafka).admin();
  await admin.connect();
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      {
        topic,
        numPartitions: partitions,
        configEntries: [{ name: 'max.message.bytes', value: String(maxMessageBytes) }],
      },
    ],
  });
  await admin.disconnect();
  const producer = clientOf(kafka).producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  const splitter = createRecordSplitter({ firstChunkBytes: 4 << 20, chunkBytes: 16 << 20 });
  let number = 0;
  const send = async (chunks: ReturnType<typeof splitter.push>): Promise<void> => {
    for (const { bytes } of chunks) {
      await producer.send({ topic, messages: [{ partition: number++ % partitions, value: bytes }] });
    }
  };
  try {
    for await (const piece of fileContent(file.path)) await send(splitter.push(piece));
    await send(splitter.end());
  } finally {
    await producer.disconnect();
  }
};

/** By default the engine waits seconds for its last block to fill. */
const fastFlush = 'kafka_flush_interval_ms = 500';
const settingsOf = {
  plain: fastFlush,
  tuned: `${fastFlush}, kafka_num_consumers = 2, kafka_thread_per_consumer = 1, kafka_max_block_size = 1048576`,
};

interface EngineRead {
  readonly topic: string;
  readonly rows: number;
  readonly settings: keyof typeof settingsOf;
}

/** Seconds from the start of ClickHouse's Kafka engine until every row is readable. */
const readByEngine = async (product: RunningProduct, read: EngineRead): Promise<number> => {
  const { topic, rows, settings } = read;
  const ask = (sql: string): Promise<string> => queryClickHouse(product.clickhouseUrl, sql);
  const drop = async (): Promise<void> => {
    for (const table of ['engine_view', 'engine_queue', 'engine_rows'])
      await ask(`DROP TABLE IF EXISTS default.${table} SYNC`);
  };
  await drop();
  await ask(`CREATE TABLE default.engine_rows (${tableColumns}) ENGINE = MergeTree ORDER BY tuple()`);
  await ask(
    `CREATE TABLE default.engine_queue (${tableColumns}) ENGINE = Kafka
     SETTINGS kafka_broker_list = '${product.access.kafkaBrokers}', kafka_security_protocol = 'sasl_plaintext',
       kafka_sasl_mechanism = 'PLAIN', kafka_sasl_username = '${product.access.kafkaSaslUsername}',
       kafka_sasl_password = '${product.access.kafkaSaslPassword}', kafka_topic_list = '${topic}',
       kafka_group_name = '${topic}.${settings}', kafka_format = 'CSV', ${settingsOf[settings]}`,
  );
  const startedAt = performance.now();
  await ask(
    'CREATE MATERIALIZED VIEW default.engine_view TO default.engine_rows AS SELECT * FROM default.engine_queue',
  );
  while (Number(await ask('SELECT count() FROM default.engine_rows')) < rows) await sleep(pollMs);
  const seconds = (performance.now() - startedAt) / 1000;
  await drop();
  return seconds;
};

/**
 * A 300 MB file, alternating: ClickHouse's Kafka engine reads chunks already in Kafka, plain and tuned (a consumer per
 * core, large blocks), then our upload of the file. The engine has a head start: its chunks are already split and
 * stored, and it validates no values.
 */
export const kafkaEngine: Bench = async ({ pick, say, product: open }) => {
  const file = await tableFile(pick(5_000_000, 200_000));
  const product = await open();
  const rounds = await inTurn(pick(3, 1), async (turn) => {
    const topic = `bench.engine.${Date.now()}.${turn}`;
    await fillTopic(product, topic, file);
    const plain = await readByEngine(product, { topic, rows: file.rows, settings: 'plain' });
    const tuned = await readByEngine(product, { topic, rows: file.rows, settings: 'tuned' });
    const datasetId = await createDataset(product, `after the Kafka engine ${Date.now()} ${turn}`);
    const startedAt = performance.now();
    await uploadAndWait(product, datasetId, fileContent(file.path));
    const seconds = (performance.now() - startedAt) / 1000;
    say(`Kafka engine ${plain.toFixed(2)} s, tuned ${tuned.toFixed(2)} s, upload ${seconds.toFixed(2)} s`);
    return { plain, tuned, seconds };
  });
  const engine = (name: 'plain' | 'tuned'): number => median(rounds.map((round) => round[name]));
  const ratio = (name: 'plain' | 'tuned'): number =>
    median(rounds.map((round) => round.seconds / round[name]));
  return [
    {
      name: "time vs ClickHouse's Kafka engine",
      value: ratio('plain'),
      unit: '×',
      goal: { atMost: 0.5 },
      yardstick: { name: 'Kafka engine', value: engine('plain'), unit: 's' },
    },
    {
      name: "time vs ClickHouse's Kafka engine, tuned",
      value: ratio('tuned'),
      unit: '×',
      better: 'lower',
      yardstick: { name: 'Kafka engine, tuned', value: engine('tuned'), unit: 's' },
    },
  ];
};
