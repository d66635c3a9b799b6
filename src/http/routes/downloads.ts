import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import { type ExportTicket, freeTicket, type Quotas } from '../../catalog/quotas.js';
import type { StandingRight } from '../../catalog/standing-rights.js';
import type { ExportFiles } from '../../exports/export-files.js';
import type { Caller } from '../../model/permission.js';
import { dispositionOf } from '../../query/disposition.js';
import type { DownloadAnswer, DownloadRequest, Downloads } from '../../query/download.js';
import { formatSpecs } from '../../query/formats.js';
import { parseOptions } from '../../query/options/options.js';
import { pathId } from '../parameters.js';
import {
  type Reply,
  type RequestHead,
  type ResponseSpec,
  type Route,
  type RouteRequest,
  route,
} from '../route.js';
import { downloadBody, downloadQuery } from './download-schema.js';

export interface DownloadRoutesDeps {
  /** Finds a dataset that the caller may read. */
  readonly authorize: (caller: Caller | undefined, datasetId: number) => Promise<DatasetAccess>;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'startExport'>;
  readonly downloads: Downloads;
  readonly exportFiles: ExportFiles;
  /** Address of the API as this client reaches it, such as `https://host/api`. */
  readonly apiUrl: (request: IncomingMessage) => string;
  /** Seconds that answers about public datasets may be kept by caches; 0: each time ask again. */
  readonly publicMaxAgeSeconds: number;
}

type DataHead = RequestHead<{ id: number }, unknown, Caller | undefined>;

/** A request for rows. */
export type DataRequest = RouteRequest<{ id: number }, unknown, unknown, Caller | undefined, DatasetAccess>;

/** Longer filters than an address holds. */
const bodyFilterLimits = { maxBytes: 1024 * 1024, maxInTerms: 50_000, maxSqlLength: 48 * 1024 * 1024 };

const cacheControlOf = (access: DatasetAccess, maxAgeSeconds: number): string =>
  access.privacy === 'Public' && maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'private, no-cache';

/**
 * Resolves the ticket with what was sent when the body has ended, whichever way. The socket counts the bytes:
 * another stream in the way of every byte would cost more than the rest of this file.
 */
export const settleAtEnd = (
  body: Readable,
  ticket: ExportTicket,
  request: Pick<DataRequest, 'raw' | 'log'>,
): void => {
  const { socket } = request.raw;
  const sentBefore = socket.bytesWritten;
  body.once('close', () => {
    const bytes = socket.bytesWritten - sentBefore;
    const settled = bytes === 0 ? ticket.cancel() : ticket.finish(bytes);
    settled.catch((error: unknown) => request.log.error({ err: error, bytes }, 'export not counted'));
  });
};

/** What rows rest on while they are sent. */
export const rightToRead = (caller: Caller | undefined, datasetId: number): StandingRight => ({
  keyId: caller?.key.id ?? null,
  datasetId,
  need: 'Read',
});

export const createDownloadRoutes = (deps: DownloadRoutesDeps): Route[] => {
  const { authorize, quotas, downloads, exportFiles, apiUrl, publicMaxAgeSeconds } = deps;

  const redirect = async (
    answer: Extract<DownloadAnswer, { kind: 'file' }>,
    request: DataRequest,
    ticket: ExportTicket,
  ): Promise<Reply> => {
    const { plan, fileName } = answer;
    const { contentType } = formatSpecs[plan.format];
    const link = await exportFiles.linkTo({
      owner: request.owner,
      keyId: request.caller?.key.id ?? null,
      plan,
      fileName,
      contentType,
      disposition: dispositionOf(fileName),
      headOnly: request.method === 'HEAD',
    });
    // HEAD asks where the file is, not for it.
    await (request.method === 'HEAD' ? ticket.cancel() : ticket.finish(plan.version.byteSize));
    return {
      status: 302,
      headers: {
        ...answer.headers,
        Location: link.startsWith('/') ? `${apiUrl(request.raw)}${link}` : link,
        // A link soon expires: no cache may hand it out later.
        'Cache-Control': 'private, no-store',
      },
      body: '',
    };
  };

  const replyTo = async (
    answer: DownloadAnswer,
    request: DataRequest,
    access: DatasetAccess,
    ticket: ExportTicket = freeTicket,
  ): Promise<Reply> => {
    const headers = { ...answer.headers, 'Cache-Control': cacheControlOf(access, publicMaxAgeSeconds) };
    switch (answer.kind) {
      case 'unchanged':
        await ticket.cancel();
        return { status: 304, headers };
      case 'count':
        await ticket.cancel();
        return {
          status: 200,
          headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' },
          body: String(answer.count),
        };
      case 'file':
        return redirect(answer, request, ticket);
      case 'rows':
        if (answer.body !== undefined) {
          settleAtEnd(answer.body, ticket, request);
          return { status: 200, headers, body: answer.body, right: rightToRead(request.caller, access.id) };
        }
        await ticket.cancel();
        return { status: 200, headers, body: Readable.from([]) };
      default:
        return answer satisfies never;
    }
  };

  const mayRead = async ({ caller, params }: DataHead): Promise<DatasetAccess> => {
    const access = await authorize(caller, params.id);
    await quotas.requireDownload(caller, access);
    return access;
  };

  const handle = async (
    request: DataRequest,
    given: Readonly<Record<string, unknown>>,
    extra: Pick<DownloadRequest, 'ifNoneMatch' | 'filterLimits' | 'links'>,
  ): Promise<Reply> => {
    const { access } = request;
    const asked: DownloadRequest = {
      dataset: access,
      options: parseOptions(given),
      owner: request.owner,
      beforePlace: request.leavePlace,
      accept: request.header('accept'),
      acceptEncoding: request.header('accept-encoding'),
      headOnly: request.method === 'HEAD',
      signal: request.signal,
      requestId: request.requestId,
      ...extra,
    };
    const unchanged = downloads.unchanged(asked);
    if (unchanged !== undefined) return replyTo(unchanged, request, access);
    // Counting the export and starting the answer cost a round trip each: they go on side by side.
    const [counted, started] = await Promise.allSettled([
      quotas.startExport(request.caller),
      downloads.download(asked),
    ]);
    if (counted.status === 'rejected') {
      if (started.status === 'fulfilled' && started.value.kind === 'rows') started.value.body?.destroy();
      throw counted.reason;
    }
    try {
      if (started.status === 'rejected') throw started.reason;
      return await replyTo(started.value, request, access, counted.value);
    } catch (error) {
      await counted.value.cancel();
      throw error;
    }
  };

  return [
    route({
      method: 'GET',
      path: '/datasets/:id/data',
      summary: 'Download rows',
      description:
        'The rows of a dataset, filtered and shaped. Each option is read with and without its `$`; `$quote=minimal` or `all` says which fields of csv and tsv are quoted. A whole CSV file, also transposed, is answered by a redirect to a short-lived link. An answer that cannot be finished ends with a broken connection.',
      tags: ['Data'],
      auth: 'optional',
      places: 'own',
      params: z.object({ id: pathId('Dataset') }),
      query: downloadQuery,
      authorize: mayRead,
      responses: {
        ...answers,
        302: redirectAnswer,
        304: { description: 'The client has this answer already.' },
      },
      errors: [402, 403, 404, 504],
      handler: (request) =>
        handle(request, request.query, { ifNoneMatch: request.header('if-none-match'), links: true }),
    }),
    route({
      method: 'POST',
      path: '/datasets/:id/query',
      changesNothing: true,
      summary: 'Download rows, with the options in the body',
      description: 'For options that are too long for an address. Rows are always in the answer itself.',
      tags: ['Data'],
      auth: 'optional',
      places: 'own',
      params: z.object({ id: pathId('Dataset') }),
      body: downloadBody,
      bodyExample: { $select: ['Country', 'GDP'], $filter: "Country in ('France', 'Spain')", $top: 100 },
      authorize: mayRead,
      responses: answers,
      errors: [402, 403, 404, 504],
      handler: (request) =>
        handle(request, request.body, {
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
    contentTypes: [...Object.values(formatSpecs).map(({ contentType }) => contentType), 'text/plain'],
    headers: {
      'Row-Count': 'With `$top`: rows that match `$filter`; with `$last` alone: rows of the dataset.',
      ETag: 'Strong: the same for the same rows in the same form.',
    },
  },
};

const redirectAnswer: ResponseSpec = {
  description: 'The whole file lies behind a link that is valid for a short time.',
  headers: { Location: 'The link; it needs no key.' },
};
