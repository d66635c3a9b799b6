import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import { holdForSender } from '../../lib/semaphore/streams.js';
import { runSliced } from '../../lib/time-slicing.js';
import { otherVersion } from '../../uploads/lifecycle/acceptance.js';
import type { ProcessRecords } from '../../uploads/lifecycle/process-records.js';
import type { Reservations } from '../../uploads/lifecycle/reservations.js';
import { parseDigests } from '../../uploads/options/digest.js';
import { uploadError } from '../../uploads/options/upload-error.js';
import { uploadOptionSteps } from '../../uploads/options/upload-options.js';
import type { Receiver } from '../../uploads/receive/receiver.js';
import { OutcomeUnknown } from '../../uploads/receive/sender-watch.js';
import { readFileForm } from '../multipart.js';
import { pathId } from '../parameters.js';
import { type Route, route } from '../route.js';
import { processSchema } from './process-schema.js';
import { waitFor } from './process-wait.js';
import { givenOptions, requireOptionField, reservedIdOf, uploadForm, uploadQuery } from './upload-schema.js';

export interface UploadRoutesDeps {
  readonly access: Access;
  readonly quotas: Pick<Quotas, 'requireStorage'>;
  readonly receiver: Receiver;
  readonly processes: ProcessRecords;
  readonly reservations: Pick<Reservations, 'requireOpen'>;
  /** Semaphore for uploads in progress, shared among accounts. */
  readonly semaphore: Semaphore;
  /** Longest wait for the remainder of the form, in milliseconds. */
  readonly idleMs: number;
  /** True while this process stops: requests that wait for an outcome are answered. */
  readonly stopping: () => boolean;
}

/** `"17"`: the current version must be 17. `*`: there must be one. */
const expectedVersion = (ifMatch: string | undefined, current: number | null): number | undefined => {
  if (ifMatch === undefined) return undefined;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  const matches = current !== null && (tags.includes('*') || tags.includes(`"${current}"`));
  if (!matches) throw otherVersion();
  return current;
};

/** Null for a chunked body. */
const lengthOf = (contentLength: string | undefined): number | null =>
  contentLength === undefined ? null : Number(contentLength);

const upload = (deps: UploadRoutesDeps): Route =>
  route({
    method: 'PUT',
    path: '/datasets/:id/data',
    operationId: 'uploadFile',
    summary: 'Upload a CSV file',
    description:
      'Multipart form with the CSV file, plain or gzip, in the part named `data`. The first record names the ' +
      'columns. The response is sent once the whole file is received; the rows are visible when the process is ' +
      '`completed`. Every option can be given here or as a form field before the file. `Content-MD5`, `Digest` ' +
      'and `Repr-Digest` are checksums of the bytes of the file part; `If-Match` with the id of the current ' +
      'version in quotes makes the upload conditional. With `async=false` the answer waits for the end of the ' +
      'process; a failed one is answered with the status of its error: 422 if the content of the file is the reason.',
    tags: ['Data'],
    auth: 'required',
    params: z.object({ id: pathId('Dataset') }),
    query: uploadQuery,
    body: 'stream',
    form: uploadForm,
    requestHeaders: {
      'If-Match': 'Id of the version in quotes that must be the current one, or `*`.',
      'Content-MD5': 'MD5 of the bytes of the file part, in base64.',
      Digest: 'Checksum of the bytes of the file part: `md5=…`, `sha-256=…` or `sha-512=…`.',
      'Repr-Digest': 'The same as RFC 9530 writes it: `sha-256=:…:`.',
    },
    permit: 'own',
    bodyTypes: ['multipart/form-data'],
    authorize: async ({ caller, params, query }) => {
      const dataset = await deps.access.dataset(caller, params.id, 'Write', 'write');
      const processId = reservedIdOf(query);
      if (processId !== undefined)
        await deps.reservations.requireOpen(processId, {
          datasetId: dataset.id,
          accountId: caller.accountId,
        });
      return dataset;
    },
    responses: {
      201: { description: 'Received; the process shows when the data is visible.', schema: processSchema },
    },
    errors: [402, 403, 404, 409, 412, 415, 422, 503],
    handler: async ({
      query,
      caller,
      owner,
      raw,
      header,
      requestId,
      signal,
      access: dataset,
      kept,
      releasePermit,
    }) => {
      const digests = parseDigests(header);
      const expectedVersionId = expectedVersion(header('if-match'), dataset.currentVersionId);
      deps.receiver.requireAdmission();
      releasePermit();
      const permit = await deps.semaphore.acquire(owner, signal);
      try {
        permit.idle();
        const form = await readFileForm(raw, {
          part: 'data',
          longField: 'manifest',
          requireField: requireOptionField,
          idleMs: deps.idleMs,
          kept,
          stop: permit.revoked,
        });
        const options = await runSliced(uploadOptionSteps(givenOptions(query, form.fields)));
        kept.close();
        const received = deps.receiver.receive({
          datasetId: dataset.id,
          storeId: dataset.storeId,
          accountId: caller.accountId,
          keyId: caller.key.id,
          requestId,
          source: holdForSender(permit, form.file),
          restOfRequest: form.rest,
          options,
          digests,
          reservedId: reservedIdOf(query),
          body: { bytes: form.received, expectedBytes: lengthOf(header('content-length')) },
          expectedVersionId,
          quota: dataset.uploadQuota,
          requireStorage:
            dataset.limits.maxStoredBytes === null
              ? undefined
              : () => deps.quotas.requireStorage(dataset.ownerId, 0),
          sender: signal,
        });
        const process = await received.catch((error: unknown) => {
          // An error response would say that nothing is published.
          if (error instanceof OutcomeUnknown) raw.destroy();
          throw error;
        });
        // Release the permit while waiting.
        permit.release();
        const seen = options.async
          ? process
          : await waitFor(deps.processes, process, options.wait, () => signal.aborted || deps.stopping());
        // A caller that does not wait finds the error in the process.
        if (!options.async && seen.error !== null) throw uploadError(seen.error, seen.id);
        return { status: 201, body: seen };
      } finally {
        permit.release();
      }
    },
  });

export const createUploadRoutes = (deps: UploadRoutesDeps): Route[] => [upload(deps)];
