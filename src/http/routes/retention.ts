import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { RetentionSettings } from '../../catalog/retention-settings.js';
import { maxVersionDays } from '../../model/plan.js';
import { pathId } from '../parameters.js';
import { ok, type Route, route } from '../route.js';

const most = { versions: 1_000_000, days: maxVersionDays } as const;

const bound = (top: number, description: string) => z.int().min(1).max(top).nullable().meta({ description });

const versionsText = 'How many of the newest versions are kept, the current one included; null: all.';
const daysText = 'Days after which a replaced version is deleted; null: never.';

/** The effective limits, from the dataset and the plan. */
export const retentionSchema = z
  .object({
    versions: z.int().nonnegative().nullable().meta({ description: versionsText }),
    days: z.int().nonnegative().nullable().meta({ description: daysText }),
  })
  .meta({ id: 'Retention', description: 'Pinned versions and the current one always stay.' });

const planBound = z.int().nonnegative().nullable();
const settingsSchema = z
  .object({
    versions: bound(most.versions, versionsText),
    days: bound(most.days, daysText),
    plan: z
      .object({ versions: planBound, days: planBound })
      .meta({ description: 'Limits of the plan; the lower value of each pair applies.' }),
  })
  .meta({ id: 'RetentionSettings' });

const example = { versions: 10, days: null };
const answer = {
  description: 'The settings, and the limits of the plan.',
  schema: settingsSchema,
  example: { ...example, plan: { versions: 30, days: 365 } },
};
const tags = ['Versions'];
const params = z.object({ id: pathId('Dataset') });

interface RetentionRoutesDeps {
  readonly access: Access;
  readonly retention: RetentionSettings;
}

export const createRetentionRoutes = ({ access, retention }: RetentionRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:id/retention',
    operationId: 'getRetention',
    summary: 'Read how long old versions of a dataset are kept',
    tags,
    auth: 'optional',
    params,
    responses: { 200: answer },
    errors: [403, 404],
    handler: async ({ caller, params }) => ok(await retention.read(caller, params.id)),
  }),
  route({
    method: 'PUT',
    path: '/datasets/:id/retention',
    operationId: 'setRetention',
    summary: 'Set how long old versions of a dataset are kept',
    description:
      'Sets both; what is left out is null: no bound. Versions beyond go within the hour; pinned ones and the ' +
      'current one stay. Needs Admin.',
    tags,
    auth: 'required',
    params,
    body: z.strictObject({
      versions: bound(most.versions, versionsText).optional(),
      days: bound(most.days, daysText).optional(),
    }),
    bodyExample: example,
    authorize: ({ caller, params: { id } }) => access.dataset(caller, id, 'Admin', 'write'),
    responses: { 200: answer },
    errors: [403, 404],
    handler: async ({ caller, params, body: { versions = null, days = null } }) =>
      ok(await retention.put(caller, params.id, { versions, days })),
  }),
];
