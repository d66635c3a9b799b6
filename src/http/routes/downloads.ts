import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import { type ExportTicket, freeTicket } from '../../catalog/export-ticket.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { ExportFiles } from '../../exports/export-files.js';
import type { DescribedSeries } from '../../model/described-series.js';
import type { Caller } from '../../model/permission.js';
import type { Downloads, OpenedRows } from '../../query/download.js';
import type { DownloadRequest } from '../../query/download-request.js';
import { type Format, formatNames, formats } from '../../query/formats/formats.js';
import { type DownloadOptions, parseOptions, wholeFileOf } from '../../query/options/options.js';
import type { Plan } from '../../query/plan.js';
import type { Answer, OpenedAnswer, ResultCache } from '../../query/result-cache.js';
import { encoded } from '../content/coding.js';
import { isUnchanged } from '../content/conditions.js';
import { fileNameOf } from '../content/disposition.js';
import { formatOfAccept } from '../content/negotiation.js';
import { seriesSheet } from '../content/series-sheet.js';
import { pathId } from '../parameters.js';
import { type Reply, type RequestHead, type ResponseSpec, type Route, route } from '../route.js';
import {
  type Begun,
  type DataRequest,
  type Description,
  describeAnswer,
  meterOf,
  rightToRead,
  rowsReply,
  startExport,
  uncounted,
} from './download-answer.js';
import { downloadBody, downloadQuery, pageQuery } from './download-schema.js';

export interface DownloadRoutesDeps {
  /** Finds a dataset that the caller may read. */
  readonly authorize: (caller: Caller | undefined, datasetId: number) => Promise<DatasetAccess>;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'requireExport' | 'startExport'>;
  readonly downloads: Downloads;
  readonly resultCache: ResultCache;
  /** Series that a dataset is made of. */
  readonly seriesOf: (datasetId: number) => Promise<readonly DescribedSeries[]>;
  readonly exportFiles: ExportFiles;
  /** Address of the API as this client reaches it, such as `https://host/api`. */
  readonly apiUrl: (request: IncomingMessage) => string;
  /** Seconds that answers about public datasets may be kept by caches; 0: each time ask again. */
  readonly publicMaxAgeSeconds: number;
}

type DataHead = RequestHead<{ id: number }, unknown, Caller | undefined>;

/** Longer filters than an address holds. */
const bodyFilterLimits = { maxBytes: 1024 * 1024, maxInTerms: 50_000, maxSqlLength: 48 * 1024 * 1024 };

/** The options, with what only one of the two routes has. */
interface Question {
  readonly options: DownloadOptions;
  readonly ifNoneMatch: string | undefined;
  /** Whole files are answered by a link; otherwise by their rows like everything else. */
  readonly links: boolean;
  readonly filterLimits?: DownloadRequest['filterLimits'];
}

export const createDownloadRoutes = (deps: DownloadRoutesDeps): Route[] => {
  const { authorize, quotas, downloads, resultCache, seriesOf, exportFiles, apiUrl, publicMaxAgeSeconds } =
    deps;

  /** The export is counted when the link is followed. */
  const redirect = async ({ plan, headers }: Description, request: DataRequest): Promise<Reply> => {
    await quotas.requireExport(request.caller, plan.fingerprint);
    const fileName = fileNameOf(request.access.name, formats[plan.format].extension);
    const link = await exportFiles.linkTo({
      owner: request.owner,
      keyId: request.caller?.key.id ?? null,
      sessionId: request.caller?.key.sessionId ?? null,
      plan,
      fileName,
    });
    return {
      status: 302,
      headers: {
        ...headers,
        Location: `${apiUrl(request.raw)}${link}`,
        // A link soon expires: no cache may hand it out later.
        'Cache-Control': 'private, no-store',
      },
      body: '',
    };
  };

  /** The bytes of the answer in its coding. Pages are not kept: each is requested once. */
  const answerTo = ({ plan, coding }: Description, download: DownloadRequest): Promise<Answer> => {
    const open = async (signal: AbortSignal): Promise<OpenedAnswer> => {
      const opened = await openAnswer(plan, { ...download, signal });
      return { ...opened, body: encoded(opened.body, coding) };
    };
    const { pageSize, skipToken } = plan.options;
    if (pageSize !== undefined || skipToken !== undefined) return open(download.signal);
    // Nothing is held while another caller's run is waited for.
    download.beforeAcquire?.();
    const { owner, signal } = download;
    return resultCache.find({ question: `${plan.fingerprint}/${coding}`, owner, signal }, open);
  };

  const openAnswer = async (plan: Plan, download: DownloadRequest): Promise<OpenedRows> => {
    if (!plan.options.count) return downloads.open(plan, download);
    const text = String(await downloads.count(plan, download));
    return { body: Readable.from([Buffer.from(text)]), rowCount: undefined, next: undefined };
  };

  const begin = async (
    download: DownloadRequest,
    request: DataRequest,
    question: Question,
  ): Promise<Begun> => {
    const plan = await downloads.plan(download);
    const described = describeAnswer(plan, request, { links: question.links, publicMaxAgeSeconds });
    const { headers } = described;
    if (isUnchanged(question, described)) return uncounted({ status: 304, headers });
    if (plan.options.count) {
      const type = { 'Content-Type': 'text/plain; charset=utf-8' };
      const { body } = await answerTo(described, download);
      return uncounted({ status: 200, headers: { ...headers, ...type }, body });
    }
    if (described.isFile) return uncounted(await redirect(described, request));
    if (request.method === 'HEAD') {
      const counts = await downloads.counts(plan, download);
      return uncounted(rowsReply(described, { body: undefined, ...counts }, request, apiUrl(request.raw)));
    }
    const reply = rowsReply(described, await answerTo(described, download), request, apiUrl(request.raw));
    return {
      stop: () => void (reply.body instanceof Readable && reply.body.destroy()),
      finish: async (ticket) => {
        const right = rightToRead(request.caller, request.access.id);
        return { ...reply, right, meter: meterOf(ticket, request.log) };
      },
    };
  };

  const mayRead = async ({ caller, params }: DataHead): Promise<DatasetAccess> => {
    const access = await authorize(caller, params.id);
    await quotas.requireDownload(caller, access);
    return access;
  };

  /** A link is no export yet. */
  const ticketFor = (
    { caller }: DataRequest,
    { options, links }: Question,
    format: Format,
  ): Promise<ExportTicket> =>
    links && formats[format].linked && wholeFileOf(options) !== undefined
      ? Promise.resolve(freeTicket)
      : startExport(quotas, caller, options.top ?? options.pageSize);

  const handle = async (request: DataRequest, question: Question): Promise<Reply> => {
    const { access, owner, signal, requestId } = request;
    const { options, filterLimits, links } = question;
    const format = options.format ?? formatOfAccept(request.header('accept'), formatNames) ?? 'csv';
    const about = formats[format].describes ? seriesSheet(await seriesOf(access.id)) : undefined;
    const download: DownloadRequest = {
      dataset: access,
      options,
      format,
      about,
      owner,
      beforeAcquire: request.releasePermit,
      signal,
      requestId,
      ...(filterLimits === undefined ? {} : { filterLimits }),
    };
    const recalled = question.ifNoneMatch === undefined ? undefined : downloads.recall(download);
    if (recalled !== undefined) {
      const described = describeAnswer(recalled, request, { links, publicMaxAgeSeconds });
      if (isUnchanged(question, described)) return { status: 304, headers: described.headers };
    }
    // Counting the export and starting the answer cost a round trip each: they go on side by side.
    const [counted, begun] = await Promise.allSettled([
      ticketFor(request, question, download.format),
      begin(download, request, question),
    ]);
    if (counted.status === 'rejected') {
      if (begun.status === 'fulfilled') begun.value.stop?.();
      throw counted.reason;
    }
    try {
      if (begun.status === 'rejected') throw begun.reason;
      return await begun.value.finish(counted.value);
    } catch (error) {
      await counted.value.cancel();
      throw error;
    }
  };

  return [
    route({
      method: 'GET',
      path: '/datasets/:id/data',
      operationId: 'downloadRows',
      summary: 'Download rows',
      description:
        'The rows of a dataset, filtered and shaped. Each option is read with and without its `$`; `$quote=minimal` or `all` says which fields of csv and tsv are quoted. A whole table in CSV or Parquet, also transposed, is answered by a redirect to a short-lived link. An answer that cannot be finished ends with a broken connection.',
      tags: ['Data'],
      auth: 'optional',
      readsDataset: true,
      permit: 'own',
      params: z.object({ id: pathId('Dataset') }),
      query: downloadQuery,
      requestHeaders: {
        'If-None-Match': '`ETag` of an earlier response; 304 if it would be the same.',
      },
      authorize: mayRead,
      responses: {
        ...answers,
        302: redirectAnswer,
        304: { description: 'The client already has this response.' },
      },
      errors: [402, 403, 404, 504],
      handler: (request) =>
        handle(request, {
          options: parseOptions(request.query),
          ifNoneMatch: request.header('if-none-match'),
          links: true,
        }),
    }),
    route({
      method: 'POST',
      path: '/datasets/:id/query',
      changesNothing: true,
      operationId: 'queryRows',
      summary: 'Download rows, with the options in the body',
      description:
        'For options that are too long for an address. Rows are always in the answer itself. The next page is asked for by sending the same body to the address in `Link`.',
      tags: ['Data'],
      auth: 'optional',
      readsDataset: true,
      permit: 'own',
      params: z.object({ id: pathId('Dataset') }),
      query: pageQuery,
      body: downloadBody,
      bodyExample: { $select: ['Country', 'GDP'], $filter: "Country in ('France', 'Spain')", $top: 100 },
      authorize: mayRead,
      responses: answers,
      errors: [402, 403, 404, 504],
      handler: (request) =>
        handle(request, {
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
      Link: 'With `$pagesize`, while more rows follow: the address of the next page, `rel="next"`. It holds no key.',
      ETag: 'The same for the same rows in the same form. Strong; of Parquet and Arrow, whose bytes may differ, weak.',
    },
  },
};

const redirectAnswer: ResponseSpec = {
  description: 'The whole file is behind a link that is valid for a short time.',
  headers: { Location: 'The link; it needs no key.' },
};
