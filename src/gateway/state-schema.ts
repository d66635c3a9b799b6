import { z } from 'zod';
import type { DeepReadonly } from '../lib/deep-readonly.js';

/** The state of refreshes and upstreams for operators: schemas for the documents, and the types that follow from them. */

const count = z.int().nonnegative();
const time = z
  .string()
  .meta({ description: 'ISO 8601 in UTC, without zone offset.', example: '2026-01-31T12:00:00.000' });

/** Datasets made of series. `failing`: the last refresh, or the upload of it, failed. */
export const refreshesSchema = z.object({
  datasets: count,
  scheduled: count,
  due: count,
  running: count,
  failing: count,
  failures: z
    .array(
      z.object({
        datasetId: z.int().positive().meta({ description: 'Of the dataset.' }),
        provider: z.string(),
        error: z.string(),
        failures: count,
        since: time,
        lastRunAt: time.nullable(),
        nextRunAt: time.nullable(),
      }),
    )
    .meta({ description: 'At most 100, those that fail longest first.' }),
});
export type RefreshState = DeepReadonly<z.output<typeof refreshesSchema>>;

/** One upstream. Quotas of callers' own keys are not shown. */
export const upstreamSchema = z.object({
  provider: z.string(),
  circuit: z.enum(['closed', 'open', 'testing']).meta({ description: 'State in the process that answers.' }),
  openUntil: time.nullable(),
  failures: count,
  heldUntil: time.nullable().meta({ description: 'End of the hold that the upstream requested.' }),
  holds: z
    .array(
      z.object({
        key: z.enum(['none', 'service', 'own']),
        since: time,
        until: time,
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
      filledAt: time.nullable(),
      failures: count,
      dueAt: time.nullable(),
      failedParts: count.meta({ description: 'Parts of the last listing that could not be fetched.' }),
      lastError: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'Search index; null where the provider searches itself.' }),
});
export type UpstreamState = DeepReadonly<z.output<typeof upstreamSchema>>;
