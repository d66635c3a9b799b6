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
    lastError: z.string().nullable().meta({ description: 'Why the last run failed; null: it did not.' }),
    nextRunAt: timeField.nullable(),
  })
  .meta({ id: 'Refresh' });
