import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import type { Caller } from '../../model/permission.js';
import type { SystemOptions } from '../../odata/options.js';
import type { MetadataLevel } from '../../odata/rows.js';
import { queryFlag } from '../parameters.js';
import type { ResponseSpec, RouteRequest } from '../route.js';

/** Query of a request for rows. */
export interface RowQuery extends SystemOptions {
  readonly $count?: boolean | undefined;
  readonly $format?: string | undefined;
}

/** A request to a service, or a part of a batch. */
export type ODataRequest = Pick<
  RouteRequest<unknown, RowQuery, unknown, Caller | undefined, unknown>,
  | 'caller'
  | 'header'
  | 'log'
  | 'method'
  | 'owner'
  | 'query'
  | 'releasePermit'
  | 'requestId'
  | 'signal'
  | 'url'
>;

/** An entity set that the caller may read. */
export interface ServedSet {
  readonly name: string;
  /** Name of the entity type. */
  readonly type: string;
  /** Name of the dataset if it differs from that of the set. */
  readonly title?: string | undefined;
  readonly dataset: DatasetAccess;
}

/** A service as a caller sees it. */
export interface ODataService {
  /** Its address as this client reaches it. */
  readonly root: string;
  readonly sets: () => Promise<readonly ServedSet[]>;
  /** @throws AppError 404 for an unknown set, 402 for one that the plan of the caller does not include. */
  readonly set: (name: string) => Promise<ServedSet>;
}

const option = (description: string): z.ZodType<string | undefined> =>
  z
    .string()
    .optional()
    .meta({ openapi: { type: 'string', description } });

export const formatQuery = {
  $format: option('`json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`.'),
};

export const rowQuery = z.object({
  $select: option('Properties, by identifier.'),
  $filter: option('Condition, in the language of `$filter` of downloads.'),
  $search: option('Words that a text must contain, as that of downloads.'),
  $orderby: option('Order; equal rows are in the order of their keys.'),
  $top: option('Most rows of the answer.'),
  $skip: option('Rows to leave out at the start.'),
  $apply: option('Steps of OData Data Aggregation, as those of downloads.'),
  $skiptoken: option('Start of a page, from `@odata.nextLink`.'),
  $count: queryFlag('`true`: `@odata.count` is the number of rows that match.').optional(),
  ...formatQuery,
});

export const answers: Readonly<Record<number, ResponseSpec>> = {
  200: {
    description: 'The document, the rows of a page, or one row.',
    schema: z.record(z.string(), z.unknown()),
    contentTypes: ['application/xml', 'text/plain'],
    headers: { 'OData-Version': 'Always `4.0`.' },
  },
};

export const jsonType = (level: MetadataLevel, numbersAsText = false): string =>
  `application/json;odata.metadata=${level};IEEE754Compatible=${numbersAsText};charset=utf-8`;

export const headersOf = (type: string): Record<string, string> => ({
  'Content-Type': type,
  'Cache-Control': 'private, no-cache',
  Vary: 'Accept, Accept-Encoding, Authorization, Prefer',
});
