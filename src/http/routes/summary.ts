import { z } from 'zod';
import { invalid } from '../../lib/errors.js';
import type { Instant } from '../../lib/instant.js';
import type { Caller } from '../../model/permission.js';
import type { ColumnValues } from '../../query/summary/column-values.js';
import type { Summaries } from '../../query/summary/summaries.js';
import type { Versions } from '../../query/versions.js';
import { pathId, pathName, queryId, queryInstant, queryInteger, queryText } from '../parameters.js';
import { ok, type Route, route } from '../route.js';
import { countField } from './fields.js';
import type { FindDataset } from './find-dataset.js';

interface SummaryRoutesDeps {
  /** Finds a dataset whose rows the caller may download. */
  readonly findDataset: FindDataset;
  readonly versions: Versions;
  readonly summaries: Summaries;
  readonly columnValues: ColumnValues;
}

const shown = z.union([z.number(), z.string(), z.null()]);

const columnSummary = z
  .object({
    id: z.int(),
    name: z.string(),
    dataType: z.enum(['Date', 'String', 'Decimal']),
    rows: countField('Rows, nulls included.'),
    nulls: countField('Rows without a value.'),
    distinct: countField('Different values.'),
    distinctExact: z.boolean().meta({ description: 'False: `distinct` is an estimate.' }),
    min: shown,
    max: shown,
    mean: z.number().nullable().optional(),
    quantiles: z.record(z.string(), shown).optional(),
    histogram: z.array(z.object({ from: shown, to: shown, count: countField('Values.') })).optional(),
    top: z.array(z.object({ value: z.string(), count: countField('Rows.') })).optional(),
  })
  .meta({ id: 'ColumnSummary' });

const versionId = queryId('Id of a version; without it the current data.').optional();
const asOf = queryInstant('The version that was current then.').optional();

export const createSummaryRoutes = (deps: SummaryRoutesDeps): Route[] => {
  const open = async (
    request: {
      readonly caller: Caller | undefined;
      readonly requestId: string;
      readonly signal: AbortSignal;
    },
    datasetId: number,
    { versionId: named, asOf: at }: { versionId?: number | undefined; asOf?: Instant | undefined },
  ) => {
    if (named !== undefined && at !== undefined)
      throw invalid('bad_combination', 'versionId and asOf both name a version; give one of them.');
    const access = await deps.findDataset(request.caller, datasetId);
    const version = await deps.versions.find({
      datasetId: access.id,
      currentVersionId: access.currentVersionId,
      versionId: at === undefined ? named : await deps.versions.at(access.id, at),
    });
    const { requestId, signal } = request;
    return { version, context: { queryId: `summary-${requestId}`, requestId, signal } };
  };

  /** Fields that both routes share. */
  const shared = { tags: ['Data'], auth: 'optional', permit: 'own', errors: [402, 403, 404, 504] } as const;

  return [
    route({
      ...shared,
      method: 'GET',
      path: '/datasets/:id/summary',
      operationId: 'getSummary',
      summary: 'What the columns hold',
      description:
        'Per column, over all rows: nulls, different values, bounds, mean, quantiles and a histogram of numbers and dates, the most frequent texts. Kept per version.',
      params: z.object({ id: pathId('Dataset') }),
      query: z.object({
        $filter: queryText('Only rows that match.', { maxLength: 65_536 }).optional(),
        $select: queryText('Columns by name or id, separated by commas.', { maxLength: 65_536 }).optional(),
        versionId,
        asOf,
      }),
      responses: {
        200: {
          description: 'The columns in their order.',
          schema: z
            .object({ versionId: z.string(), rows: countField('Rows.'), columns: z.array(columnSummary) })
            .meta({ id: 'Summary' }),
        },
      },
      handler: async (request) => {
        const { query, params } = request;
        const { version, context } = await open(request, params.id, query);
        request.releasePermit();
        const { rows, columns } = await deps.summaries.summarise({
          version,
          filter: query.$filter,
          select: query.$select,
          owner: request.owner,
          context,
        });
        return {
          status: 200,
          headers: { 'Content-Type': 'application/json; charset=utf-8' },
          body: `{"versionId":"${version.versionId}","rows":${rows},"columns":[${columns.join(',')}]}`,
        };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/datasets/:id/columns/:column/values',
      operationId: 'listColumnValues',
      summary: 'Values of a column',
      description: 'Each value with the number of its rows, the most frequent first; for completion.',
      params: z.object({ id: pathId('Dataset'), column: pathName('Name or id of the column.') }),
      query: z.object({
        startsWith: queryText('Only values with this prefix.').optional(),
        $top: queryInteger('Most values; 100 unless given.', { min: 1, max: 10_000 }).optional(),
        versionId,
        asOf,
      }),
      responses: {
        200: {
          description: 'The values.',
          schema: z.array(z.object({ value: z.string(), count: countField('Rows.') })),
        },
      },
      handler: async (request) => {
        const { query, params } = request;
        const { version, context } = await open(request, params.id, query);
        request.releasePermit();
        const values = await deps.columnValues.find({
          version,
          column: params.column,
          startsWith: query.startsWith ?? '',
          top: query.$top ?? 100,
          owner: request.owner,
          context,
        });
        return ok([...values]);
      },
    }),
  ];
};
