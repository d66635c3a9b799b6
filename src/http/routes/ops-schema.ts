import { z } from 'zod';
import type { RefreshState } from '../../gateway/datasets/refresh-state.js';
import type { UpstreamState } from '../../gateway/gateway-state.js';
import type { LogState } from '../../storage/kafka/consumer-lag.js';
import type { PipelineState } from '../../uploads/lifecycle/pipeline-state.js';
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

const refreshesSchema = z.object({
  datasets: count,
  scheduled: count,
  due: count,
  running: count,
  failing: count,
  failures: z
    .array(
      z.object({
        datasetId: idField('Of the dataset.'),
        provider: z.string(),
        error: z.string(),
        failures: count,
        since: timeField,
        lastRunAt: timeField.nullable(),
        nextRunAt: timeField.nullable(),
      }),
    )
    .meta({ description: 'At most 100, those that fail longest first.' }),
});

const providersSchema = z.array(
  z.object({
    provider: z.string(),
    circuit: z
      .enum(['closed', 'open', 'testing'])
      .meta({ description: 'State in the process that answers.' }),
    openUntil: timeField.nullable(),
    failures: count,
    heldUntil: timeField.nullable().meta({ description: 'End of the hold that the upstream requested.' }),
    waiting: count.meta({ description: 'Requests that wait in the process that answers.' }),
    calls: z
      .array(z.object({ outcome: z.string(), count }))
      .meta({ description: 'Requests of the process that answers since it started, by outcome.' }),
    holds: z
      .array(
        z.object({
          key: z.enum(['none', 'service', 'own']),
          since: timeField,
          until: timeField,
          state: z.enum(['held', 'over', 'trying']),
        }),
      )
      .meta({
        description: 'Holds that the upstream requested; `own`: for the key of a user.',
      }),
    quotas: z
      .array(
        z.object({
          key: z.enum(['none', 'service']),
          span: z.enum(['minute', 'hour', 'day']),
          limit: count,
          used: count,
          left: count,
        }),
      )
      .meta({ description: 'Shared ones; those of callers’ own keys are not shown.' }),
    index: z
      .object({
        items: count,
        filledAt: timeField.nullable(),
        failures: count,
        dueAt: timeField.nullable(),
        failedParts: count.meta({ description: 'Parts of the last listing that could not be fetched.' }),
        lastError: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'Search index; null where the provider searches itself.' }),
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

/** State of a component that the service depends on. */
export interface ComponentState {
  readonly name: 'database' | 'clickhouse' | 'kafka';
  readonly ok: boolean;
  /** Milliseconds until the answer or the timeout. */
  readonly ms: number;
  readonly error: string | null;
  /** Start of this state, as this process saw it; ISO 8601 in UTC. */
  readonly since: string;
}

/** An upstream, with the counts of the answering process since it started. */
export type OpsUpstream = UpstreamState & {
  readonly waiting: number;
  readonly calls: readonly { readonly outcome: string; readonly count: number }[];
};

/** The state of the service for operators. */
export interface OpsState {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly components: readonly ComponentState[];
  readonly consuming: { readonly pausedSince: string | null };
  readonly uploads: PipelineState;
  /** Null: Kafka does not respond. */
  readonly log: (LogState & { readonly deadLetters: number }) | null;
  readonly refreshes: RefreshState;
  readonly providers: readonly OpsUpstream[];
}
