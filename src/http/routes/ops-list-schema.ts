import { z } from 'zod';
import { idField, timeField } from './fields.js';

/** Lists of the console. */

const count = z.int().nonnegative();
const size = z.number().nonnegative();

const sampleTopic = z.object({
  topic: z.string(),
  messages: count,
  bytes: count.nullable(),
  seconds: z.number().meta({ description: 'Age of the oldest chunk that waits.' }),
  members: count,
  assignment: z.string().meta({
    description: 'Fingerprint of who has which partitions: another one means that there was a rebalance.',
  }),
});

/** Load and failures of the service in one minute. */
export const sampleSchema = z
  .object({
    at: timeField,
    topics: z.array(sampleTopic).meta({ description: 'Empty: Kafka did not answer.' }),
    pending: count,
    oldestPendingSeconds: z.number(),
    deadLetters: count,
    storeBytes: size.nullable(),
    mostParts: size.nullable(),
    down: z.array(z.string()).meta({ description: 'Components that did not answer.' }),
    completed: count.meta({ description: 'Uploads that completed in the minute before.' }),
    failed: count,
    rows: size.meta({ description: 'Rows of the completed ones.' }),
    bytes: size,
  })
  .meta({ id: 'OperationsSample' });

const uploadFields = {
  process: idField('Of the process.'),
  shownAs: z.int().nullable().meta({ description: 'The id that callers see, of one that was reserved.' }),
  dataset: idField('Of the dataset.'),
  name: z.string().meta({ description: 'Of the dataset.' }),
  account: z.string().meta({ description: 'Who sent the file.' }),
  status: z.enum(['pending', 'completed', 'failed']),
  phase: z.string(),
  attempt: count,
  mode: z.string().nullable(),
  createdAt: timeField,
  inserted: count.meta({ description: 'Chunks that are stored.' }),
  chunks: count.nullable().meta({ description: 'Null: not received to its end.' }),
  error: z.string().nullable().meta({ description: 'Code of the error of a failed one.' }),
};

export const listedUploadSchema = z.object(uploadFields).meta({ id: 'OperationsUpload' });

export const uploadDetailsSchema = z
  .object({
    ...uploadFields,
    receivedAt: timeField.meta({ description: 'Last sign of life of the API that received it.' }),
    sealedAt: timeField.nullable().meta({ description: 'When its last chunk was handed to Kafka.' }),
    completedAt: timeField.nullable(),
    leaseUntil: timeField.nullable().meta({ description: 'Until when a worker has it for itself.' }),
    version: z.int().nullable(),
    rows: count,
    rejectedRows: count,
    bytes: count,
    requestId: z.string().meta({ description: 'By which the logs name the request that brought it.' }),
    message: z.string().nullable(),
  })
  .meta({ id: 'OperationsUploadDetails' });

export const uploadChunkSchema = z
  .object({
    number: count,
    rows: count,
    bytes: count,
    firstLine: z.int(),
    topic: z.string(),
    partition: z.int(),
    offset: z.string().meta({ description: '64 bits, so a text.' }),
    attempt: count.meta({ description: 'The attempt whose segment has its rows; 0: none yet.' }),
  })
  .meta({ id: 'OperationsChunk' });

const place = z.object({ topic: z.string(), partition: z.int(), offset: z.string() });

const deadLetterFields = {
  id: idField('Of the dead letter.'),
  origin: place.meta({ description: 'Topic, partition and offset of the message.' }),
  copy: place.meta({ description: 'Topic, partition and offset of its copy.' }),
  reason: z.string(),
  bytes: count,
  recordedAt: timeField,
  state: z.enum(['waiting', 'replayed', 'dropped']),
};

export const deadLetterSchema = z.object(deadLetterFields).meta({ id: 'DeadLetter' });

export const deadLetterDetailsSchema = z
  .object({
    ...deadLetterFields,
    message: z
      .object({
        key: z.string().nullable(),
        headers: z.record(z.string(), z.string()),
        hex: z.string().meta({ description: 'Its first 256 bytes.' }),
        text: z
          .string()
          .meta({ description: 'The same bytes as text; dots replace those that cannot be printed.' }),
      })
      .nullable()
      .meta({ description: 'Null: removed by Kafka’s retention.' }),
  })
  .meta({ id: 'DeadLetterDetails' });

const tableFields = { table: z.string(), parts: size, rows: size, bytes: size, mostParts: size };

export const storesSchema = z
  .object({
    kinds: z.array(
      z.object({ kind: z.string(), tables: size, parts: size, rows: size, bytes: size }).meta({
        description:
          '`own`: of one dataset; `pool`: of small ones; `running`: of uploads in progress; `copy`: read copies; `other`.',
      }),
    ),
    mostParts: size,
    disks: z.array(z.object({ disk: z.string(), freeBytes: size, bytes: size })),
    everywhereStores: count
      .optional()
      .meta({ description: 'Stores whose rows are on all shards of the cluster.' }),
    shards: z
      .array(
        z.object({
          shard: count,
          state: z.enum(['in use', 'away', 'not configured']).meta({
            description: '`not configured`: it has stores, and `CLICKHOUSE_CLUSTER` does not name it.',
          }),
          error: z.string().nullable(),
          weight: count.meta({
            description: 'Weight in `remote_servers`: its share of new rows. 0: the shard is only read.',
          }),
          stores: count.meta({ description: 'Stores with all of their rows on this shard.' }),
          bytes: size.nullable(),
          rows: size.nullable(),
          parts: size.nullable(),
          freeBytes: size.nullable(),
        }),
      )
      .optional()
      .meta({ description: 'Servers of CLICKHOUSE_CLUSTER; absent without a cluster.' }),
    pools: z.array(z.object(tableFields)),
    largest: z
      .array(
        z.object({
          ...tableFields,
          datasetId: z.int().nullable().meta({ description: 'Null: its dataset was deleted.' }),
          name: z.string().nullable(),
          owner: z.string().nullable(),
          versions: count,
        }),
      )
      .meta({ description: 'Largest tables of one dataset each, old versions included.' }),
  })
  .meta({ id: 'OperationsStores' });

export const auditEventSchema = z
  .object({
    id: idField('Grows with time.'),
    at: timeField,
    actor: z.object({
      kind: z.enum(['account', 'command', 'service']).meta({
        description:
          '`account`: over HTTP with a key; `command`: on the command line; `service`: by the service itself.',
      }),
      accountId: z.int().nullable(),
      name: z.string().nullable().meta({ description: 'As it was then; of a command: user and host.' }),
      keyId: z.int().nullable(),
      address: z.string().nullable().meta({ description: 'Of the client.' }),
      requestId: z.string().nullable(),
    }),
    action: z.string(),
    target: z.object({ kind: z.string(), id: z.int().nullable(), name: z.string().nullable() }),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEvent' });
