import { z } from 'zod';
import { countField, timeField } from './fields.js';

/** Refresh schedule of a dataset made of series of a provider. */
export const refreshSchema = z
  .object({
    schedule: z
      .string()
      .nullable()
      .meta({ description: '`daily`, `weekly` or five fields of cron in UTC; null: only on request.' }),
    lastRunAt: timeField.nullable(),
    lastError: z
      .string()
      .nullable()
      .meta({ description: 'Why the last run failed; null when it succeeded.' }),
    nextRunAt: timeField.nullable(),
    backfill: z
      .object({
        state: z.enum(['running', 'waiting', 'done']).meta({
          description: '`waiting`: the last step failed; it is tried again at `nextRunAt`.',
        }),
        done: countField('Vintages that are versions, or were until retention removed them.'),
        total: countField('Vintages that the provider had when the dataset was made.'),
        skipped: countField('Vintages older than those that retention keeps.'),
        error: z.string().nullable(),
        nextRunAt: timeField.nullable(),
      })
      .optional()
      .meta({ description: 'With `backfill`: how far the vintages of the provider have been brought in.' }),
  })
  .meta({ id: 'Refresh' });

/** Series of a provider in a dataset. */
export const seriesSchema = z
  .array(
    z
      .object({
        name: z.string().meta({
          description:
            'Value of the column Series: the id, and the parameters that differ where several series have the same id.',
        }),
        provider: z.string().meta({ description: 'Slug.' }),
        seriesId: z.string(),
        params: z
          .record(z.string(), z.union([z.string(), z.number()]))
          .meta({ description: 'Parameters of the request, defaults included.' }),
        label: z.string(),
        unit: z.string().nullable().meta({ description: 'What a value times `unitMultiplier` is in.' }),
        unitMultiplier: z.number().nullable(),
        source: z.string(),
        license: z.string().nullable(),
        attribution: z
          .string()
          .nullable()
          .meta({ description: 'The sentence that the terms of the provider ask to show with the data.' }),
        flags: z
          .record(z.string(), z.string())
          .meta({ description: 'Meanings of the flags of its observations.' }),
      })
      .meta({ id: 'KeptSeries' }),
  )
  .meta({ description: 'The series of the dataset, as the provider last described them.' });
