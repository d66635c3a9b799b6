/** The answer to a request for rows, for all routes. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type ExportTicket, freeTicket } from '../../catalog/export-ticket.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { StandingRight } from '../../catalog/standing-rights.js';
import type { ExportFiles } from '../../exports/export-files.js';
import { isAppError } from '../../lib/errors.js';
import type { DescribedSeries } from '../../model/described-series.js';
import type { Downloads, OpenedRows } from '../../query/download.js';
import type { DownloadRequest } from '../../query/download-request.js';
import { type Format, formatNames, formats } from '../../query/formats/formats.js';
import { type DownloadOptions, wholeFileOf } from '../../query/options/options.js';
import type { Plan } from '../../query/plan.js';
import type { Answer, OpenedAnswer, ResultCache } from '../../query/result-cache.js';
import { encoded } from '../content/coding.js';
import { isUnchanged, requireSame } from '../content/conditions.js';
import { fileNameOf } from '../content/disposition.js';
import { formatOfAccept } from '../content/negotiation.js';
import { seriesSheet } from '../content/series-sheet.js';
import type { Reply } from '../route.js';
import {
  type Begun,
  type DataRequest,
  type Description,
  describeAnswer,
  meterOf,
  type RowsReply,
  rightToRead,
  rowsReply,
  startExport,
  uncounted,
} from './download-answer.js';

interface DownloadHandlerDeps {
  readonly quotas: Pick<Quotas, 'requireExport' | 'startExport'>;
  readonly downloads: Downloads;
  readonly resultCache: ResultCache;
  readonly seriesOf: (datasetId: number) => Promise<readonly DescribedSeries[]>;
  readonly exportFiles: ExportFiles;
  /** Address of the API as this client reaches it, such as `https://host/api`. */
  readonly apiUrl: (request: IncomingMessage) => string;
  /** Seconds for which caches may store answers about public datasets; 0: they revalidate each time. */
  readonly publicMaxAgeSeconds: number;
}

/** The options, and settings of the route. */
export interface Question {
  readonly options: DownloadOptions;
  readonly ifNoneMatch: string | undefined;
  /** True: whole files are answered by a link. False: by their rows, like everything else. */
  readonly links: boolean;
  readonly filterLimits?: DownloadRequest['filterLimits'];
  /** Set for a read link. Caches do not store its answers, which would outlive it. */
  readonly readLink?: { readonly right: StandingRight; startRead(): Promise<ExportTicket> };
  /** Converts the rows to another representation. The tag stays that of the rows. */
  readonly present?: (plan: Plan, rows: RowsReply) => Promise<RowsReply>;
}

/** Answers a request for rows of a dataset that the caller may read. */
export type AnswerDownload = (request: DataRequest, question: Question) => Promise<Reply>;

export const createDownloadHandler = (deps: DownloadHandlerDeps): AnswerDownload => {
  const { quotas, downloads, resultCache, seriesOf, exportFiles, apiUrl } = deps;

  const maxAgeFor = ({ readLink }: Question): number =>
    readLink === undefined ? deps.publicMaxAgeSeconds : 0;

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
        // A link expires soon, so no cache may serve it later.
        'Cache-Control': 'private, no-store',
      },
      body: '',
    };
  };

  /** The bytes of the answer in its coding. Pages are not cached, since each is requested once. */
  const answerTo = ({ plan, coding }: Description, download: DownloadRequest): Promise<Answer> => {
    const open = async (signal: AbortSignal): Promise<OpenedAnswer> => {
      const opened = await openAnswer(plan, { ...download, signal });
      return { ...opened, body: encoded(opened.body, coding) };
    };
    const { pageSize, skipToken } = plan.options;
    if (pageSize !== undefined || skipToken !== undefined) return open(download.signal);
    // No permit is held while the request waits for the run of another caller.
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
    const described = describeAnswer(plan, request, {
      links: question.links,
      publicMaxAgeSeconds: maxAgeFor(question),
    });
    const { entityTag, headers } = described;
    // Times are not compared: a column may be renamed within the second of the version.
    requireSame(request.header, { entityTag });
    if (isUnchanged(question, described)) return uncounted({ status: 304, headers });
    if (plan.options.count) {
      const type = { 'Content-Type': 'text/plain; charset=utf-8' };
      const { body } = await answerTo(described, download);
      return uncounted({ status: 200, headers: { ...headers, ...type }, body });
    }
    if (described.isFile) return uncounted(await redirect(described, request));
    const present = async (rows: Parameters<typeof rowsReply>[1]): Promise<RowsReply> => {
      const reply = rowsReply(described, rows, request, apiUrl);
      return question.present === undefined ? reply : question.present(plan, reply);
    };
    if (request.method === 'HEAD')
      return uncounted(await present({ body: undefined, ...(await downloads.head(plan, download)) }));
    const reply = await present(await answerTo(described, download));
    return {
      stop: () => void (reply.body instanceof Readable && reply.body.destroy()),
      finish: async (ticket) => {
        const right = question.readLink?.right ?? rightToRead(request.caller, request.access.id);
        return { ...reply, right, meter: meterOf(ticket, request.log) };
      },
    };
  };

  /** A link is not an export yet. */
  const ticketFor = (
    { caller }: DataRequest,
    { options, links, readLink }: Question,
    format: Format,
  ): Promise<ExportTicket> => {
    if (readLink !== undefined) return readLink.startRead();
    return links && formats[format].linked && wholeFileOf(options) !== undefined
      ? Promise.resolve(freeTicket)
      : startExport(quotas, caller, options.top ?? options.pageSize);
  };

  return async (request, question) => {
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
      const described = describeAnswer(recalled, request, {
        links,
        publicMaxAgeSeconds: maxAgeFor(question),
      });
      requireSame(request.header, { entityTag: described.entityTag });
      if (isUnchanged(question, described)) return { status: 304, headers: described.headers };
    }
    // Counting the export and starting the answer cost a round trip each, so they run concurrently.
    const [counted, begun] = await Promise.allSettled([
      ticketFor(request, question, download.format),
      begin(download, request, question),
    ]);
    if (counted.status === 'rejected') {
      if (begun.status === 'fulfilled') begun.value.stop?.();
      // An invalid request is answered as such, even if the quota is used up.
      throw begun.status === 'rejected' && isAppError(begun.reason) && begun.reason.kind === 'invalid'
        ? begun.reason
        : counted.reason;
    }
    try {
      if (begun.status === 'rejected') throw begun.reason;
      return await begun.value.finish(counted.value);
    } catch (error) {
      await counted.value.cancel();
      throw error;
    }
  };
};
