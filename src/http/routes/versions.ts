import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Instant } from '../../lib/instant.js';
import { changesShown } from '../../model/version.js';
import type { Comparisons } from '../../query/comparison/comparisons.js';
import type { VersionRecords } from '../../versions/version-records.js';
import { pathId, pathVersion, queryId, queryInstant, queryInteger } from '../parameters.js';
import { created, noContentAfter, ok, type Route, route } from '../route.js';
import { countField, textField, timeField } from './fields.js';

const typeField = z.enum(['Date', 'String', 'Decimal']);

const versionSchema = z
  .object({
    versionId: z.string(),
    createdAt: timeField,
    validFrom: timeField.meta({
      description:
        'From when on it answers `asOf`: when it was made, or the day of a vintage that a backfill brought in later.',
    }),
    mode: z.string().meta({
      description:
        'How it was made: replace, append, upsert, sync, delete, restore, clone, delete_column, merge_columns or backfill.',
    }),
    processId: z.int().nullable(),
    rows: countField('Rows.'),
    bytes: countField('Raw bytes of its rows, as they were uploaded.'),
    columns: z
      .object({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        retyped: z.array(z.object({ name: z.string(), from: typeField, to: typeField })),
        omitted: z
          .object({
            added: countField('Names left out of `added`.'),
            removed: countField('Names left out of `removed`.'),
            retyped: countField('Columns left out of `retyped`.'),
          })
          .optional()
          .meta({ description: 'Present where names are left out.' }),
      })
      .meta({
        description:
          `Compared with the version before it. Lists of versions show at most ${changesShown.names} names and ` +
          `${changesShown.characters} characters of each kind; the version read alone shows all.`,
      }),
    minDate: z.string().nullable(),
    maxDate: z.string().nullable(),
    label: z.string().nullable(),
    pinned: z.boolean().meta({ description: 'Retention keeps it.' }),
    current: z.boolean(),
  })
  .meta({ id: 'Version' });

/** Columns by which two versions were compared. */
export const comparedKeys = {
  keys: z.array(z.string()).meta({
    description:
      'The key by which rows are matched: the entity columns of both, or the key that an upload named. Empty: whole rows are compared.',
  }),
  ambiguousKeys: z.array(z.string()).optional().meta({
    description:
      'Present where the entity columns are no key because several rows of one version share their values; whole rows are compared then.',
  }),
};

const diffSchema = z
  .object({
    from: z.string(),
    to: z.string(),
    ...comparedKeys,
    added: countField('Rows of the second version that the first lacks.'),
    removed: countField('Rows of the first version that the second lacks.'),
    changed: countField('Rows of the same key with other values; 0 where whole rows are compared.'),
  })
  .meta({ id: 'VersionDiff' });

interface VersionRoutesDeps {
  readonly access: Access;
  readonly versions: VersionRecords;
  readonly comparisons: Pick<Comparisons, 'count'>;
}

const tags = ['Versions'];
const shared = { tags, auth: 'required' } as const;
const id = pathId('Dataset');
const params = z.object({ id, versionId: pathId('Version') });
const one = { description: 'The version.', schema: versionSchema };

const reads = ({ access, versions }: VersionRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:id/versions',
    operationId: 'listVersions',
    summary: 'List the versions of a dataset',
    tags,
    auth: 'optional',
    params: z.object({ id }),
    query: z.object({
      $top: queryInteger('Most versions in the answer; 100 unless given.', { min: 1, max: 1000 }).optional(),
      before: queryId('Only versions with lower ids: the last id of the page before.').optional(),
      asOf: queryInstant('Only the version that was current then.').optional(),
    }),
    responses: { 200: { description: 'Versions, newest first.', schema: z.array(versionSchema) } },
    errors: [403, 404],
    handler: async ({ params, query, caller }) => {
      const dataset = await access.dataset(caller, params.id, 'Read', 'read');
      if (query.asOf !== undefined) return ok([await versions.at(dataset.id, query.asOf)]);
      return ok(await versions.list(dataset.id, { top: query.$top ?? 100, before: query.before }));
    },
  }),
  route({
    method: 'GET',
    path: '/datasets/:id/versions/:versionId',
    operationId: 'getVersion',
    summary: 'Read a version',
    tags,
    auth: 'optional',
    params,
    responses: {
      200: { ...one, headers: { ETag: 'Its id in quotes, for `If-Match` of an upload.' } },
    },
    errors: [403, 404],
    handler: async ({ params, caller }) => {
      const dataset = await access.dataset(caller, params.id, 'Read', 'read');
      const version = await versions.read(dataset.id, params.versionId);
      return { status: 200, headers: { ETag: `"${version.versionId}"` }, body: version };
    },
  }),
];

const changes = ({ access, versions }: VersionRoutesDeps): Route[] => [
  route({
    method: 'PUT',
    path: '/datasets/:id/versions/:versionId',
    operationId: 'labelVersion',
    summary: 'Label or pin a version',
    description: 'Sets both; what is left out is unset. Needs Write.',
    ...shared,
    params,
    body: z.object({ label: textField('Free text.', 255), pinned: z.boolean().optional() }),
    bodyExample: { label: 'As reported in March', pinned: true },
    authorize: ({ caller, params }) => access.dataset(caller, params.id, 'Write', 'write'),
    responses: { 200: one },
    errors: [403, 404],
    handler: async ({ params, body, access: dataset }) => {
      const marks = { label: body.label ?? null, pinned: body.pinned ?? false };
      return ok(await versions.mark(dataset.id, params.versionId, marks));
    },
  }),
  route({
    method: 'POST',
    path: '/datasets/:id/versions/:versionId/restore',
    operationId: 'restoreVersion',
    summary: 'Make an older version the current one',
    description:
      'Creates a new version with the same rows and columns, which counts like any other for retention and the limits ' +
      'of the plan. Needs Write.',
    ...shared,
    params,
    responses: { 201: { ...one, description: 'The new version.' } },
    errors: [402, 403, 404],
    handler: async ({ params, caller }) => {
      const dataset = await access.dataset(caller, params.id, 'Write', 'write');
      return created(await versions.restore(dataset.id, params.versionId));
    },
  }),
  route({
    method: 'DELETE',
    path: '/datasets/:id/versions/:versionId',
    operationId: 'deleteVersion',
    summary: 'Delete a version',
    description:
      'Its rows are deleted if no other version has them. The current version cannot be deleted. Needs Write.',
    ...shared,
    params,
    responses: { 204: { description: 'Deleted.' } },
    errors: [403, 404, 409],
    handler: async ({ params, caller }) => {
      const dataset = await access.dataset(caller, params.id, 'Write', 'write');
      return noContentAfter(versions.remove(dataset.id, params.versionId));
    },
  }),
];

const comparison = ({ access, comparisons, versions }: VersionRoutesDeps): Route =>
  route({
    method: 'GET',
    path: '/datasets/:id/versions/:from/diff/:to',
    operationId: 'compareVersions',
    summary: 'Compare two versions',
    permit: 'queries',
    description: 'Counted in the data store; no rows are sent.',
    tags,
    auth: 'optional',
    params: z.object({ id, from: pathVersion('First version'), to: pathVersion('Second version') }),
    responses: { 200: { description: 'What changed.', schema: diffSchema } },
    errors: [403, 404, 409],
    handler: async ({ params, caller, owner, requestId, signal }) => {
      const dataset = await access.dataset(caller, params.id, 'Read', 'read');
      const idOf = async (version: number | Instant): Promise<number> =>
        typeof version === 'number' ? version : Number((await versions.at(dataset.id, version)).versionId);
      const [from, to] = await Promise.all([idOf(params.from), idOf(params.to)]);
      const between = { from, to };
      const counted = await comparisons.count({ datasetId: dataset.id, between, owner, requestId, signal });
      return ok({ ...counted, from: String(from), to: String(to) });
    },
  });

export const createVersionRoutes = (deps: VersionRoutesDeps): Route[] => [
  ...reads(deps),
  ...changes(deps),
  comparison(deps),
];
