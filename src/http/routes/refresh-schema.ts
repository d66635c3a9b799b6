import { z } from 'zod';
import { timeField } from './fields.js';

/** How a dataset made of series of a provider is kept up to date. */
export const refreshSchema = z
  .object({
    schedule: z
      .string()
      .nullable()
      .meta({ description: '`daily`, `weekly` or five fields of cron in UTC; null: only when asked.' }),
    lastRunAt: timeField.nullable(),
    lastError: z
      .string()
      .nullable()
      .meta({ description: 'Why the last run failed; null when it succeeded.' }),
    nextRunAt: timeField.nullable(),
  })
  .meta({ id: 'Refresh' });

/** Series of a provider that a dataset is made of. */
export const seriesSchema = z
  .array(
    z
      .object({
        provider: z.string().meta({ description: 'Slug.' }),
        seriesId: z.string(),
        params: z
          .record(z.string(), z.union([z.string(), z.number()]))
          .meta({ description: 'Parameters of the request, defaults included.' }),
        label: z.string().nullable(),
        unit: z.string().nullable().meta({ description: 'What a value times `unitMultiplier` is in.' }),
        unitMultiplier: z.number().nullable(),
      })
      .meta({ id: 'KeptSeries' }),
  )
  .meta({ description: 'The series of the dataset, as the provider last described them.' });
