import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { ProcessRecords } from '../../uploads/lifecycle/process-records.js';
import type { Reservations } from '../../uploads/lifecycle/reservations.js';
import { pathId } from '../parameters.js';
import { type Route, route } from '../route.js';
import { processSchema } from './process-schema.js';
import { requireView } from './processes.js';

interface ReservationRouteDeps {
  readonly access: Access;
  readonly processes: Pick<ProcessRecords, 'view'>;
  readonly reservations: Pick<Reservations, 'reserve'>;
  /** Address of the API as the caller reaches it. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

export const createReservationRoute = (deps: ReservationRouteDeps): Route =>
  route({
    method: 'POST',
    path: '/datasets/:id/processes',
    operationId: 'reserveProcess',
    summary: 'Reserve an upload process',
    description:
      'Gives its id at once, so that an upload can be followed from its first byte: send the file with ' +
      '`?processId=`. Until then it is `pending` without a mode; one that no upload has filled by `expiresAt` (after an ' +
      'hour, unless the service is set otherwise) fails as `reservation_expired`. Nothing waits for it: uploads of a ' +
      'dataset publish in the order in which they are received. Needs Write.',
    tags: ['Data'],
    auth: 'required',
    params: z.object({ id: pathId('Dataset') }),
    responses: {
      201: {
        description: 'The reserved process.',
        schema: processSchema,
        headers: { Location: 'Address of the process.' },
      },
    },
    errors: [403, 404, 429],
    handler: async ({ params: { id }, caller, requestId, raw }) => {
      const dataset = await deps.access.dataset(caller, id, 'Write', 'write');
      const processId = await deps.reservations.reserve({
        datasetId: dataset.id,
        accountId: caller.accountId,
        requestId,
      });
      return {
        status: 201,
        headers: { Location: `${deps.apiUrl(raw)}/datasets/${dataset.id}/processes/${processId}` },
        body: await requireView(deps, dataset.id, processId),
      };
    },
  });
