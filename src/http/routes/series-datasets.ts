import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Dataset } from '../../catalog/dataset-list.js';
import type { Datasets } from '../../catalog/datasets.js';
import { requireWritingKey } from '../../catalog/key-rights.js';
import type { SeriesDatasets } from '../../gateway/datasets/series-datasets.js';
import { invalid } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import type { ProcessView } from '../../model/process.js';
import { datasetReply } from '../json-list.js';
import { bodyId, pathId } from '../parameters.js';
import { type Route, route } from '../route.js';
import { datasetSchema } from './datasets.js';
import { descriptionField, nameField } from './fields.js';
import type { GatewayCallers } from './gateway-caller.js';
import { processSchema } from './process-schema.js';
import { upstreamErrors } from './providers.js';
import { seriesParams } from './series.js';

interface SeriesDatasetRoutesDeps {
  readonly seriesDatasets: SeriesDatasets;
  readonly datasets: Datasets;
  readonly access: Access;
  readonly callerOf: GatewayCallers;
}

const shared = { tags: ['Series'], auth: 'required' } as const;

/** Maximum series of one dataset. They are fetched one by one, within one request. */
const maxSeries = 50;

const idField = z.string().min(1).max(1_000);
const paramsField = z.record(z.string(), z.unknown()).nullish();

const refreshField = z
  .string()
  .max(200)
  .nullish()
  .meta({
    openapi: {
      type: ['string', 'null'],
      maxLength: 200,
      description:
        '`daily`, `weekly`, or five fields of cron in UTC, at most once an hour; null or left out: only on request.',
    },
  });

const observationColumns = ['date', 'value', 'flag'] as const;

const columnsField = z
  .array(z.enum(observationColumns))
  .refine(
    (columns) =>
      new Set(columns).size === columns.length && columns.includes('date') && columns.includes('value'),
    "must have 'date' and 'value', and may have 'flag', each once",
  )
  .optional()
  .meta({
    openapi: {
      type: 'array',
      items: { type: 'string', enum: [...observationColumns] },
      default: ['date', 'value'],
      description:
        'Parts of the observations that become columns: `date` and `value`, and `flag` for a column Flag with the status codes of the provider (`p`), whose meanings are in `series[].flags`.',
    },
  });

const keptBody = z.strictObject({
  repositoryId: bodyId('Repository of the new dataset.'),
  name: nameField('Default: the name of the series at the provider.').optional(),
  description: descriptionField,
  params: paramsField,
  refresh: refreshField,
  columns: columnsField,
  backfill: z.boolean().optional().meta({
    description:
      "`true`: the vintages that the provider keeps (FRED's archive ALFRED) become versions, newest first, in the background; `asOf` and `revisions` then reach back to before the dataset was made. 400 for providers that keep none.",
  }),
  panel: z.boolean().optional().meta({
    description:
      '`true`: the id and the parameters stand for several series, as in `/panel`. The columns are Date, code and label of each open dimension (`country`, `country_label`), Value (and Flag).',
  }),
  seriesIds: z
    .array(z.union([idField, z.strictObject({ id: idField, params: paramsField })]))
    .max(maxSeries - 1)
    .optional()
    .meta({
      description:
        'Further series of the same provider: an id, or `{id, params}` with parameters of its own, which replace those of the same name in `params`.',
    }),
});

/** Creates a dataset of series for the caller. */
export type KeepSeries = (
  request: { readonly caller: Caller; readonly owner: string; readonly requestId: string },
  series: { readonly slug: string; readonly seriesId: string },
  wanted: z.output<typeof keptBody>,
) => Promise<{ readonly dataset: Dataset; readonly process: ProcessView }>;

export const createKeepSeries =
  ({ seriesDatasets, datasets, access, callerOf }: SeriesDatasetRoutesDeps): KeepSeries =>
  async (request, { slug, seriesId }, wanted) => {
    const { caller, requestId } = request;
    const { repositoryId } = wanted;
    // Checked before a request is sent to the upstream.
    await access.repository(caller, repositoryId, 'Write', 'write', 'destination');
    const gatewayCaller = await callerOf(request);
    const shared = wanted.params ?? {};
    const series = [seriesId, ...(wanted.seriesIds ?? [])].map((given) =>
      typeof given === 'string'
        ? { id: given, params: shared }
        : { id: given.id, params: { ...shared, ...given.params } },
    );
    const { datasetId, process } = await seriesDatasets.create(
      { ...gatewayCaller, accountId: caller.accountId },
      {
        slug,
        series,
        refresh: wanted.refresh ?? null,
        withFlags: wanted.columns?.includes('flag') ?? false,
        isPanel: wanted.panel ?? false,
        backfill: wanted.backfill ?? false,
        name: wanted.name,
        description: wanted.description,
      },
      {
        create: (text) => datasets.create(caller, repositoryId, text),
        remove: (id) => datasets.remove(caller, id),
      },
      requestId,
    );
    return { dataset: await datasets.read(caller, datasetId), process };
  };

const create = (keepSeries: KeepSeries): Route =>
  route({
    method: 'POST',
    path: '/providers/:slug/series/*seriesId/dataset',
    operationId: 'keepSeries',
    summary: 'Keep a series as a dataset',
    permit: 'calls',
    description:
      'Creates a dataset with columns Date, Series, Value (and Flag, see `columns`) and uploads all observations. With `refresh` the series is requested again on that schedule, for the account and with the key of the caller; a new version is published only if the data has changed. Needs Write on the repository.',
    ...shared,
    params: seriesParams,
    body: keptBody,
    bodyExample: { repositoryId: 7, name: 'US dollar in Canada', refresh: 'daily' },
    // The repository is named in the body.
    authorize: ({ caller }) => requireWritingKey(caller),
    responses: {
      201: {
        description: 'The dataset, and the process that shows when its rows are visible.',
        schema: datasetSchema.extend({ process: processSchema }),
      },
    },
    errors: [...upstreamErrors, 409],
    handler: async (request) => {
      const { slug, seriesId } = request.params;
      const { dataset, process } = await keepSeries(request, { slug, seriesId }, request.body);
      return datasetReply(201, dataset, { process });
    },
  });

const change = ({ seriesDatasets, datasets, access }: SeriesDatasetRoutesDeps): Route[] => {
  const requireWrite = (caller: Caller, id: number) => access.dataset(caller, id, 'Write', 'write');
  const params = z.object({ id: pathId('Dataset') });
  const responses = { 200: { description: 'The dataset.', schema: datasetSchema } };
  return [
    route({
      method: 'PUT',
      path: '/datasets/:id/refresh',
      operationId: 'setRefresh',
      summary: 'Change when a dataset made of series is refreshed',
      ...shared,
      params,
      body: z.strictObject({ refresh: refreshField }),
      bodyExample: { refresh: '30 6 * * 1-5' },
      authorize: ({ caller, params: { id } }) => requireWrite(caller, id),
      responses,
      errors: [403, 404],
      handler: async ({ caller, params: { id }, body }) => {
        if (body.refresh === undefined) throw invalid('invalid_request', 'body: refresh is required');
        await seriesDatasets.reschedule(id, body.refresh);
        return datasetReply(200, await datasets.read(caller, id));
      },
    }),
    route({
      method: 'POST',
      path: '/datasets/:id/refresh',
      operationId: 'refreshDataset',
      summary: 'Refresh a dataset made of series soon',
      description:
        'The refresh runs in the background, with the next housekeeping; reading the dataset shows its result.',
      ...shared,
      params,
      responses: { 202: { description: 'The run is due.', schema: datasetSchema } },
      errors: [403, 404],
      handler: async ({ caller, params: { id } }) => {
        await requireWrite(caller, id);
        await seriesDatasets.refreshSoon(id);
        return datasetReply(202, await datasets.read(caller, id));
      },
    }),
  ];
};

/** Datasets made of series of providers. */
export const createSeriesDatasetRoutes = (
  deps: SeriesDatasetRoutesDeps & { readonly keepSeries: KeepSeries },
): Route[] => [create(deps.keepSeries), ...change(deps)];
