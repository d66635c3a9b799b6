import { z } from 'zod';
import type { Caller } from '../../model/permission.js';
import { formats } from '../../query/formats/formats.js';
import { parseOptions } from '../../query/options/options.js';
import { pathId } from '../parameters.js';
import { type ResponseSpec, type Route, route } from '../route.js';
import type { AnswerDownload } from './download-handler.js';
import { downloadBody, downloadQuery, pageQuery } from './download-schema.js';
import type { FindDataset } from './find-dataset.js';

interface DownloadRoutesDeps {
  /** Finds a dataset whose rows the caller may download. */
  readonly findDataset: FindDataset;
  readonly answer: AnswerDownload;
}

/** A body may have longer filters than an address. */
const bodyFilterLimits = { maxBytes: 1024 * 1024, maxInTerms: 50_000, maxSqlLength: 48 * 1024 * 1024 };

export const createDownloadRoutes = ({ findDataset, answer }: DownloadRoutesDeps): Route[] => {
  /** Fields that both routes share. */
  const shared = {
    tags: ['Data'],
    auth: 'optional',
    readsDataset: true,
    permit: 'own',
    params: z.object({ id: pathId('Dataset') }),
    authorize: ({ caller, params }: { caller: Caller | undefined; params: { id: number } }) =>
      findDataset(caller, params.id),
    errors: [402, 403, 404, 412, 504],
  } as const;

  return [
    route({
      ...shared,
      method: 'GET',
      path: '/datasets/:id/data',
      operationId: 'downloadRows',
      summary: 'Download rows',
      description:
        'The rows of a dataset, filtered and shaped. Each option is read with and without its `$`; `$quote=minimal` or `all` says which fields of csv and tsv are quoted. A whole table in CSV or Parquet, also transposed, is answered by a redirect to a short-lived link. An answer that cannot be finished ends with a broken connection.',
      query: downloadQuery,
      requestHeaders: {
        'If-None-Match': '`ETag` of an earlier response; 304 if it would be the same.',
        'If-Match': '`ETag` of an earlier response; 412 if it would be another one.',
      },
      responses: {
        ...answers,
        302: redirectAnswer,
        304: { description: 'The client already has this response.' },
      },
      handler: (request) =>
        answer(request, {
          options: parseOptions(request.query),
          ifNoneMatch: request.header('if-none-match'),
          links: true,
        }),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/datasets/:id/query',
      changesNothing: true,
      operationId: 'queryRows',
      summary: 'Download rows, with the options in the body',
      description:
        'For options that are too long for an address. Rows are always in the answer itself. For the next page send the same body to the address in `Link`.',
      query: pageQuery,
      body: downloadBody,
      bodyExample: { $select: ['Country', 'GDP'], $filter: "Country in ('France', 'Spain')", $top: 100 },
      responses: answers,
      handler: (request) =>
        answer(request, {
          options: parseOptions({ ...request.body, ...request.query }),
          ifNoneMatch: undefined,
          filterLimits: bodyFilterLimits,
          links: false,
        }),
    }),
  ];
};

const answers: Readonly<Record<number, ResponseSpec>> = {
  200: {
    description: 'The rows, or their number with `$count`.',
    contentTypes: [...Object.values(formats).map(({ mediaType }) => mediaType), 'text/plain'],
    headers: {
      'Row-Count': 'With `$top`: rows that match `$filter`; with `$last` alone: rows of the dataset.',
      Link: 'With `$pagesize`, if more rows follow: the address of the next page, `rel="next"`. It does not contain a key.',
      ETag: 'Equal for equal rows in the same format. Strong; for Parquet and Arrow, whose bytes may differ, weak.',
    },
  },
};

const redirectAnswer: ResponseSpec = {
  description: 'A redirect to the whole file, which is valid for a short time.',
  headers: { Location: 'The link; it needs no key.' },
};
