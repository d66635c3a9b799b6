import { z } from 'zod';
import { requireWritingKey } from '../../catalog/key-rights.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import type { Caller } from '../../model/permission.js';
import { type Tool, tool } from '../tool.js';
import { providerField, seriesIdField } from './series.js';

interface Wanted {
  readonly repositoryId: number;
  readonly name?: string | undefined;
  readonly params?: Record<string, unknown> | undefined;
  readonly refresh?: string | undefined;
}

export interface KeepSeriesDeps {
  /** Creates a dataset of a series, like the route. */
  readonly keepSeries: (
    request: { readonly caller: Caller; readonly owner: string; readonly requestId: string },
    series: { readonly slug: string; readonly seriesId: string },
    wanted: Wanted,
  ) => Promise<{
    readonly dataset: { readonly id: number; readonly name: string; readonly repositoryId: number };
    readonly process: { readonly id: number; readonly status: string };
  }>;
  /** The caller's own repository. */
  readonly homeOf: (caller: Caller) => Promise<{ readonly id: number }>;
  readonly semaphore: Semaphore;
}

export const createKeepSeriesTool = ({ keepSeries, homeOf, semaphore }: KeepSeriesDeps): Tool =>
  tool({
    name: 'keep_series',
    title: 'Keep a series as a dataset',
    description:
      'Creates a dataset (columns Date, Series, Value) with all observations of a series, and refreshes it on a schedule if one is given. It can be queried once its process is completed, which takes seconds. Changes the catalog: do this only when the user asks for it.',
    openWorld: true,
    writes: true,
    input: z.strictObject({
      provider: providerField.meta({ description: 'Slug of the provider, as search_series returns it.' }),
      seriesId: seriesIdField,
      repositoryId: z.int().min(1).optional().meta({ description: 'Default: the Home repository.' }),
      name: z.string().min(1).max(255).optional().meta({ description: 'Default: the label of the series.' }),
      refresh: z
        .string()
        .max(200)
        .optional()
        .meta({ description: 'daily, weekly, or five fields of cron in UTC. Default: never.' }),
      params: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: 'Parameters of the provider, such as params of a search result.' }),
    }),
    output: z.object({
      datasetId: z.int(),
      name: z.string(),
      repositoryId: z.int(),
      processId: z.int(),
      status: z.string(),
    }),
    run: async (request, { provider, seriesId, repositoryId, ...wanted }) => {
      const { caller, owner, signal, requestId } = request;
      requireWritingKey(caller);
      const repository = repositoryId ?? (await homeOf(caller)).id;
      request.releasePermit();
      const { dataset, process } = await semaphore.run(owner, signal, () =>
        keepSeries(
          { caller, owner, requestId },
          { slug: provider, seriesId },
          { ...wanted, repositoryId: repository },
        ),
      );
      return {
        datasetId: dataset.id,
        name: dataset.name,
        repositoryId: dataset.repositoryId,
        processId: process.id,
        status: process.status,
      };
    },
  });
