import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Receiver } from '../../ingest/receiver.js';
import { AppError, invalid } from '../../lib/errors.js';
import type { Slots } from '../../lib/slots.js';
import { readFileForm } from '../multipart.js';
import { pathId } from '../parameters.js';
import { type Route, route } from '../route.js';
import { processSchema } from './processes.js';

export interface UploadRoutesDeps {
  readonly access: Access;
  readonly receiver: Receiver;
  /** Places for uploads that are received at a time. */
  readonly slots: Slots;
}

/** Longest that the rest of a refused body is read, so that the client sees the answer. */
const drainMs = 5_000;

/** Reads on what the client still sends: an answer to a half-sent request is lost with the connection. */
const drain = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  const bound = setTimeout(() => request.destroy(), drainMs);
  request.once('close', () => clearTimeout(bound));
};

const requireNoEncoding = (encoding: string | undefined): void => {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new AppError(
    'unsupported_media',
    'content_encoding',
    'Content-Encoding is not supported for uploads; send a gzip file as the file part itself.',
  );
};

const upload = (deps: UploadRoutesDeps): Route =>
  route({
    method: 'PUT',
    path: '/datasets/:id/data',
    summary: 'Upload a CSV file',
    description:
      'Multipart form with the CSV file, plain or gzip, in the part named `data`. The first record names the ' +
      'columns. The answer comes when the whole file was received; the rows are visible when the process is ' +
      '`completed`.',
    tags: ['Data'],
    auth: 'required',
    params: z.object({ id: pathId('Dataset') }),
    body: 'stream',
    bodyTypes: ['multipart/form-data'],
    responses: {
      201: { description: 'Received; the process tells when the data is visible.', schema: processSchema },
    },
    errors: [402, 403, 404, 415, 503],
    handler: async ({ params, caller, raw, header, requestId }) => {
      const dataset = await deps.access.dataset(caller, params.id, 'Write', 'write');
      requireNoEncoding(header('content-encoding'));
      const release = await deps.slots.take();
      try {
        const form = await readFileForm(raw, 'data');
        const [option] = form.fields;
        if (option !== undefined) {
          throw invalid('unknown_option', `There is no upload option "${option.name}".`);
        }
        const process = await deps.receiver.receive({
          datasetId: dataset.id,
          storeId: dataset.storeId,
          accountId: caller.accountId,
          requestId,
          source: form.file,
          restOfRequest: form.rest,
          quota: dataset.uploadQuota,
        });
        return { status: 201, body: process };
      } finally {
        release();
        drain(raw);
      }
    },
  });

export const createUploadRoutes = (deps: UploadRoutesDeps): Route[] => [upload(deps)];
