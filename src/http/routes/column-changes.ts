import { z } from 'zod';
import type { Access, DatasetAccess } from '../../catalog/access.js';
import type { Columns } from '../../catalog/columns.js';
import type { Quotas } from '../../catalog/quotas.js';
import { invalid } from '../../lib/errors.js';
import { maxColumnNameBytes } from '../../model/column.js';
import { maxNameLength } from '../../model/names.js';
import type { Caller } from '../../model/permission.js';
import type { ProcessRecords } from '../../uploads/lifecycle/process-records.js';
import { uploadError } from '../../uploads/options/upload-error.js';
import type { ColumnMergeRequests } from '../../versions/columns/column-merge-request.js';
import type { ColumnRemoval } from '../../versions/columns/column-removal.js';
import { pathId, queryInteger } from '../parameters.js';
import { noContentAfter, ok, type Reply, type Route, route } from '../route.js';
import { columnExample, columnSchema } from './columns.js';
import { descriptionField } from './fields.js';
import { processSchema } from './process-schema.js';
import { waitFor } from './process-wait.js';
import { requireView } from './processes.js';

interface ColumnChangeRoutesDeps {
  readonly access: Access;
  readonly columns: Pick<Columns, 'update'>;
  readonly removal: ColumnRemoval;
  readonly merges: ColumnMergeRequests;
  readonly processes: Pick<ProcessRecords, 'view'>;
  readonly quotas: Pick<Quotas, 'holdStorage'>;
  /** True while the server stops: waiting requests are answered with their progress. */
  readonly stopping: () => boolean;
}

const tags = ['Columns'];
const params = z.object({ dataset_id: pathId('Id of the dataset.'), column_id: pathId('Id of the column.') });

const removal = ({ access, removal }: ColumnChangeRoutesDeps): Route =>
  route({
    method: 'DELETE',
    path: '/datasets/:dataset_id/columns/:column_id',
    operationId: 'deleteColumn',
    summary: 'Delete a column',
    description:
      'Makes a new version of the same rows without the column; older versions keep it. An upload that has a column of ' +
      'its name brings it back, without the values that it had. Needs Write.',
    tags,
    auth: 'required',
    params,
    authorize: ({ caller, params }) => access.dataset(caller, params.dataset_id, 'Write', 'write'),
    responses: { 204: { description: 'Deleted; the new version is the current one.' } },
    errors: [403, 404, 409],
    handler: ({ params }) => noContentAfter(removal.remove(params.dataset_id, params.column_id)),
  });

const changeBody = z.object({
  name: z
    .string()
    .min(1)
    .max(maxColumnNameBytes)
    .refine((name) => !name.includes('\0'), 'must not hold NUL')
    .meta({
      description: `New name, at most ${maxNameLength} characters and without control characters; with \`merge\` the name of any column.`,
    })
    .optional(),
  isEntity: z.boolean().optional(),
  description: descriptionField,
  merge: z.boolean().optional().meta({
    description:
      '`true`: merges the column into the column called `name`, in a new version. No other member can be changed in the same request.',
  }),
  onTypeConflict: z.enum(['fail', 'widen']).optional().meta({
    description:
      'With `merge`, for columns whose types only text can represent: `fail` (default) is 409 `type_conflict`, `widen` makes the column String.',
  }),
});

type Change = z.output<typeof changeBody>;

/** Name of the column to merge into; undefined without `merge`. */
const mergeNameOf = ({ name, merge, onTypeConflict, isEntity, description }: Change): string | undefined => {
  if (merge !== true) {
    if (onTypeConflict !== undefined) throw invalid('invalid_body', 'onTypeConflict needs "merge": true.');
    return undefined;
  }
  if (name === undefined) throw invalid('invalid_body', 'merge needs the name of the column to merge with.');
  if (isEntity !== undefined || description !== undefined)
    throw invalid('invalid_body', 'merge cannot be combined with isEntity or description.');
  return name;
};

interface MergeCall {
  readonly dataset: DatasetAccess;
  readonly caller: Caller;
  readonly columnId: number;
  readonly name: string;
  readonly widen: boolean;
  readonly requestId: string;
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
  readonly releasePermit: () => void;
}

const merge = async (deps: ColumnChangeRoutesDeps, call: MergeCall): Promise<Reply> => {
  const { dataset, caller, columnId, name, widen, requestId, waitSeconds, signal } = call;
  const accepted = await deps.merges.request({
    datasetId: dataset.id,
    storeId: dataset.storeId,
    accountId: caller.accountId,
    keyId: caller.key.id,
    requestId,
    columnId,
    name,
    widen,
    holdStorage: (tx, bytes) => deps.quotas.holdStorage(tx, dataset.ownerId, bytes),
  });
  const process = await requireView(deps, dataset.id, accepted.processId);
  // Releases the permit while this request waits.
  call.releasePermit();
  const seen = await waitFor(deps.processes, process, waitSeconds, () => signal.aborted || deps.stopping());
  if (seen.error !== null) throw uploadError(seen.error, seen.id);
  if (seen.status === 'pending') return { status: 202, body: seen };
  return ok(await deps.columns.update(caller, dataset.id, accepted.columnId, {}));
};

const change = (deps: ColumnChangeRoutesDeps): Route =>
  route({
    method: 'PATCH',
    path: '/datasets/:dataset_id/columns/:column_id',
    operationId: 'updateColumn',
    summary: 'Change name, role or description of a column, or merge it into another one',
    description:
      'The id does not change. Filters and selections can use the new name at once; a read of an older version has ' +
      'its original names. With `merge`, the column is merged into the existing column with that name, in a new version: ' +
      'the id of that column stays, and each row has the value of the two that is not null. Rows with two different values are 409 ' +
      '`values_collide`, with their number and the first three in `details`; then nothing is changed. Needs Write.',
    tags,
    auth: 'required',
    params,
    query: z.object({
      wait: queryInteger('With `merge`: seconds to wait for the new version. Default 30.', {
        min: 0,
        max: 55,
      }).optional(),
    }),
    body: changeBody,
    bodyExample: { name: 'Country code' },
    permit: 'own',
    authorize: ({ caller, params }) => deps.access.dataset(caller, params.dataset_id, 'Write', 'write'),
    responses: {
      200: {
        description: 'The column; for a merge, the one that remains.',
        schema: columnSchema,
        example: { ...columnExample, name: 'Country code' },
      },
      202: {
        description: 'The merge is still running; the process shows when it has ended.',
        schema: processSchema,
      },
    },
    errors: [402, 403, 404, 409],
    handler: async ({ caller, params, query, body, access: dataset, requestId, signal, releasePermit }) => {
      const { dataset_id: datasetId, column_id: columnId } = params;
      const name = mergeNameOf(body);
      if (name === undefined) {
        const { name, isEntity, description } = body;
        return ok(await deps.columns.update(caller, datasetId, columnId, { name, isEntity, description }));
      }
      return merge(deps, {
        dataset,
        caller,
        columnId,
        name,
        widen: body.onTypeConflict === 'widen',
        requestId,
        waitSeconds: query.wait ?? 30,
        signal,
        releasePermit,
      });
    },
  });

export const createColumnChangeRoutes = (deps: ColumnChangeRoutesDeps): Route[] => [
  change(deps),
  removal(deps),
];
