import { z } from 'zod';
import { refreshesSchema, upstreamSchema } from '../../gateway/state-schema.js';
import type { DeepReadonly } from '../../lib/deep-readonly.js';
import { idField, timeField } from './fields.js';

const count = z.int().nonnegative();
const seconds = z.number().meta({ description: 'Seconds.' });

const pendingSchema = z.object({
  phase: z.string().meta({
    description: '`receive`, `insert`, `collect`, `replay`, `ready`, `merge` or `merged`.',
  }),
  count,
  oldestCreatedAt: timeField,
  oldestSeconds: seconds,
});

const stuckSchema = z.object({
  processId: idField('Of the process.'),
  datasetId: idField('Of the dataset.'),
  phase: z.string(),
  attempt: count,
  createdAt: timeField,
  ageSeconds: seconds,
  silentSeconds: seconds.meta({ description: 'Seconds since its last sign of life.' }),
  insertedChunks: count,
  chunks: count.nullable().meta({ description: 'Null: not received to its end.' }),
  waitsFor: z.int().nullable().meta({ description: 'An earlier pending upload of the same dataset.' }),
});

const uploadsSchema = z.object({
  pending: z.array(pendingSchema),
  stuck: z.array(stuckSchema).meta({ description: 'No sign of life for 10 minutes; at most 100.' }),
  replaying: count,
  lastDay: z.object({
    completed: count,
    failed: count,
    replayed: count,
    failures: z.array(z.object({ code: z.string(), count })),
  }),
});

const logSchema = z.object({
  lag: z.array(
    z.object({
      group: z.string(),
      topic: z.string(),
      partition: z.int(),
      lag: count.meta({ description: 'Messages that have not been handled.' }),
      bytes: count
        .nullable()
        .meta({ description: 'Bytes of these messages; null: Kafka does not report them.' }),
      seconds: count.meta({ description: 'Age of the first of them, to an eighth of it; 0: there is none.' }),
    }),
  ),
  groups: z
    .array(
      z.object({
        group: z.string(),
        state: z.string().meta({ description: 'State in Kafka: `Stable`, `PreparingRebalance` …' }),
        members: count,
        assigned: count,
        assignments: z.array(
          z.object({ member: z.string(), host: z.string(), partitions: z.array(z.int()) }),
        ),
      }),
    )
    .meta({ description: 'Consumer groups, their members, and how many partitions these have.' }),
  deadLetters: count.meta({ description: 'Dead letters that are not resolved.' }),
});

const { holds, quotas, index, ...upstream } = upstreamSchema.shape;
const providersSchema = z.array(
  z.object({
    ...upstream,
    waiting: count.meta({ description: 'Requests that wait in the process that answers.' }),
    calls: z
      .array(z.object({ outcome: z.string(), count }))
      .meta({ description: 'Requests of the process that answers since it started, by outcome.' }),
    holds,
    quotas,
    index,
  }),
);

export const opsSchema = z
  .object({
    at: timeField,
    components: z.array(
      z.object({
        name: z.enum(['database', 'clickhouse', 'kafka']),
        ok: z.boolean(),
        ms: z.number(),
        error: z.string().nullable(),
        since: timeField.meta({
          description: 'Since when it has been so, as the process that answers saw it.',
        }),
      }),
    ),
    consuming: z.object({
      pausedSince: timeField.nullable().meta({ description: 'Null: workers take chunks.' }),
    }),
    uploads: uploadsSchema,
    log: logSchema.nullable().meta({ description: 'Null: Kafka does not answer.' }),
    refreshes: refreshesSchema,
    providers: providersSchema,
  })
  .meta({ id: 'Operations' });

/** The state of the service for operators. */
export type OpsState = DeepReadonly<z.output<typeof opsSchema>>;

/** State of a component, and since when this process has seen it so. */
export type ComponentState = OpsState['components'][number];
