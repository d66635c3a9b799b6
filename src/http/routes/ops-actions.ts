import { z } from 'zod';
import type { ClickHouseSizes, ShardSummary, TableSizes } from '../../rows/index.js';
import type {
  ListedUpload,
  UploadChunk,
  UploadDetails,
  UploadFilter,
} from '../../uploads/lifecycle/upload-list.js';
import type { DeadLetterPreview } from '../../uploads/repair/dead-letter-preview.js';
import type { DeadLetterEntry } from '../../uploads/repair/dead-letter-records.js';
import { pathId, queryChoice, queryId, queryInteger, queryText } from '../parameters.js';
import { noContentAfter, type Route, route, uncached } from '../route.js';
import { timeField } from './fields.js';
import { forOperators, operatorAction } from './for-operators.js';
import {
  deadLetterDetailsSchema,
  deadLetterSchema,
  listedUploadSchema,
  storesSchema,
  uploadChunkSchema,
  uploadDetailsSchema,
} from './ops-list-schema.js';

/** A table of one dataset. */
interface LargeTable extends TableSizes {
  readonly datasetId: number | null;
  readonly name: string | null;
  readonly owner: string | null;
  readonly versions: number;
}

/** Look-ups and actions of operators. */
export interface OpsActions {
  uploads(filter: UploadFilter): Promise<ListedUpload[]>;
  /** @throws AppError 404. */
  upload(id: number): Promise<UploadDetails>;
  /** @throws AppError 404. */
  chunks(id: number, page: { after?: number | undefined; limit: number }): Promise<UploadChunk[]>;
  /** Makes a worker replay it from Kafka. @throws AppError 404, or 409 with the reason. */
  replayUpload(id: number, takeOver: boolean): Promise<UploadDetails>;
  deadLetters(limit: number): Promise<DeadLetterEntry[]>;
  /** @throws AppError 404. */
  deadLetter(id: number): Promise<DeadLetterEntry & { readonly message: DeadLetterPreview | null }>;
  /** @throws AppError 404, or 409 with the reason. */
  replayDeadLetter(id: number): Promise<{ process: number; chunk: number }>;
  /** @throws AppError 404, or 409 if it is settled already. */
  dropDeadLetter(id: number): Promise<void>;
  setConsuming(paused: boolean): Promise<{ pausedSince: string | null }>;
  stores(): Promise<
    ClickHouseSizes & {
      readonly pools: TableSizes[];
      readonly largest: LargeTable[];
      /** Figures of a cluster; absent for a single server. */
      readonly everywhereStores?: number;
      readonly shards?: readonly ShardSummary[];
    }
  >;
}

const uploadParams = z.object({ processId: pathId('Of the process.') });
const letterParams = z.object({ id: pathId('Of the dead letter.') });

const uploadRoutes = (actions: OpsActions): Route[] => [
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/uploads',
    operationId: 'listAllUploads',
    summary: 'Uploads of all accounts, newest first',
    query: z.object({
      $top: queryInteger('Most uploads in the answer; 100 unless given.', { min: 1, max: 1000 }).optional(),
      before: queryId('Only lower ids: the last id of the page before.').optional(),
      status: queryChoice('Only those of this status.', ['pending', 'completed', 'failed']).optional(),
      account: queryText('Id or name of the account that sent the file.').optional(),
      dataset: queryId('Only those of this dataset.').optional(),
      error: queryText('Code of the error of failed ones.').optional(),
    }),
    responses: { 200: { description: 'Uploads.', schema: z.array(listedUploadSchema) } },
    handler: async ({ query: { $top: limit = 100, ...filter } }) =>
      uncached(await actions.uploads({ ...filter, limit })),
  }),
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/uploads/:processId',
    operationId: 'getAnyUpload',
    summary: 'One upload, with its times by stage',
    params: uploadParams,
    responses: { 200: { description: 'The upload.', schema: uploadDetailsSchema } },
    errors: [403, 404],
    handler: async ({ params: { processId } }) => uncached(await actions.upload(processId)),
  }),
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/uploads/:processId/chunks',
    operationId: 'listUploadChunks',
    summary: 'Chunks of an upload that workers have seen, with their offsets in Kafka',
    params: uploadParams,
    query: z.object({
      $top: queryInteger('Most chunks in the answer; 100 unless given.', { min: 1, max: 1000 }).optional(),
      after: queryInteger('Only higher numbers: the last one of the page before.').optional(),
    }),
    responses: {
      200: { description: 'Chunks, in the order of the file.', schema: z.array(uploadChunkSchema) },
    },
    errors: [403, 404],
    handler: async ({ params: { processId }, query: { $top: limit = 100, after } }) =>
      uncached(await actions.chunks(processId, { after, limit })),
  }),
  route({
    ...operatorAction,
    method: 'POST',
    path: '/ops/uploads/:processId/replay',
    operationId: 'replayUpload',
    summary: 'Have a worker read a failed or stuck upload again from Kafka',
    description: `${operatorAction.description} A failed one is tried again unless something newer was published; a pending one only with \`takeOver\`.`,
    params: uploadParams,
    body: z.object({
      takeOver: z.boolean().optional().meta({ description: 'Also one that is pending.' }),
    }),
    bodyOptional: true,
    bodyExample: { takeOver: false },
    responses: { 202: { description: 'The upload, which is read again.', schema: uploadDetailsSchema } },
    errors: [403, 404, 409],
    handler: async ({ params: { processId }, body: { takeOver = false } }) => ({
      ...uncached(await actions.replayUpload(processId, takeOver)),
      status: 202,
    }),
  }),
];

const deadLetterRoutes = (actions: OpsActions): Route[] => [
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/dead-letters',
    operationId: 'listDeadLetters',
    summary: 'Messages that no worker could decode and that are not settled, oldest first',
    query: z.object({
      $top: queryInteger('Most messages in the answer; 100 unless given.', { min: 1, max: 1000 }).optional(),
    }),
    responses: { 200: { description: 'Dead letters.', schema: z.array(deadLetterSchema) } },
    handler: async ({ query: { $top: limit = 100 } }) => uncached(await actions.deadLetters(limit)),
  }),
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/dead-letters/:id',
    operationId: 'getDeadLetter',
    summary: 'A dead letter with its headers and first bytes',
    params: letterParams,
    responses: { 200: { description: 'The dead letter.', schema: deadLetterDetailsSchema } },
    errors: [403, 404],
    handler: async ({ params: { id } }) => uncached(await actions.deadLetter(id)),
  }),
  route({
    ...operatorAction,
    method: 'POST',
    path: '/ops/dead-letters/:id/replay',
    operationId: 'replayDeadLetter',
    summary: 'Send a dead letter back to its topic, when its upload still waits for it',
    params: letterParams,
    responses: {
      200: { description: 'What it belongs to.', schema: z.object({ process: z.int(), chunk: z.int() }) },
    },
    errors: [403, 404, 409],
    handler: async ({ params: { id } }) => uncached(await actions.replayDeadLetter(id)),
  }),
  route({
    ...operatorAction,
    method: 'DELETE',
    path: '/ops/dead-letters/:id',
    operationId: 'dropDeadLetter',
    summary: 'Drop a dead letter from the list for good',
    params: letterParams,
    responses: { 204: { description: 'It is off the list.' } },
    errors: [403, 404, 409],
    handler: ({ params: { id } }) => noContentAfter(actions.dropDeadLetter(id)),
  }),
];

/** Uploads, dead letters, stores and the switch of the workers, for operators. */
export const createOpsActionRoutes = (actions: OpsActions): Route[] => [
  ...uploadRoutes(actions),
  ...deadLetterRoutes(actions),
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/stores',
    operationId: 'getStores',
    summary: 'Tables, parts, bytes, disks and the largest datasets',
    responses: { 200: { description: 'What ClickHouse holds.', schema: storesSchema } },
    handler: async () => uncached(await actions.stores()),
  }),
  route({
    ...operatorAction,
    method: 'PUT',
    path: '/ops/consuming',
    operationId: 'setConsuming',
    summary: 'Have all workers wait before their next chunk, or go on',
    description: `${operatorAction.description} Uploads are accepted meanwhile and wait in Kafka.`,
    body: z.object({ paused: z.boolean() }),
    bodyExample: { paused: true },
    responses: {
      200: {
        description: 'Since when they wait; null: they do not.',
        schema: z.object({ pausedSince: timeField.nullable() }),
      },
    },
    handler: async ({ body: { paused } }) => uncached(await actions.setConsuming(paused)),
  }),
];
