/** The answer to a download, from its plan: headers, the tag for revalidation, the body. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { DatasetAccess } from '../../catalog/access.js';
import { type ExportTicket, freeTicket } from '../../catalog/export-ticket.js';
import type { Quotas } from '../../catalog/quotas.js';
import { rightOf, type StandingRight } from '../../catalog/standing-rights.js';
import { isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { Caller } from '../../model/permission.js';
import type { RowCounts } from '../../query/download.js';
import { formats } from '../../query/formats/formats.js';
import type { Plan } from '../../query/plan.js';
import type { Coding } from '../content/coding.js';
import { strongTag, weakTag } from '../content/conditions.js';
import { dispositionOf, fileNameOf } from '../content/disposition.js';
import { chooseCoding } from '../content/negotiation.js';
import type { Reply, RouteRequest, SentMeter } from '../route.js';

/** Escapes characters that are not allowed between the angle brackets of a header. */
const inHeader = (text: string): string => text.replace(/[^!-~]|[<>"]/gu, encodeURIComponent);

/**
 * `Link` to the next page: the address of the request, with its options as they were written and another position.
 * @param url Path and options of the request, without a key.
 * @param apiUrl Address of the API as the client reaches it.
 */
const nextLink = (url: string, apiUrl: string, token: string): string => {
  const [, path = '', query = ''] = /^[^?]*?(\/datasets\/[^?]*)(?:\?(.*))?$/s.exec(url) ?? [];
  const others = query
    .split('&')
    .filter((item) => item !== '' && !/^(\$|%24)?skiptoken=/i.test(item))
    .map(inHeader);
  return `<${apiUrl}${path}?${[...others, `$skiptoken=${token}`].join('&')}>; rel="next"`;
};

/** A request for rows. */
export type DataRequest = RouteRequest<{ id: number }, unknown, unknown, Caller | undefined, DatasetAccess>;

/** The right to read rows, which must hold while they are sent. */
export const rightToRead = (caller: Caller | undefined, datasetId: number): StandingRight =>
  rightOf(caller, datasetId, { download: true });

export const cacheControlOf = (access: DatasetAccess, maxAgeSeconds: number): string =>
  access.privacy === 'Public' && maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'private, no-cache';

/** Properties of an answer that follow from its plan. */
export interface Description {
  readonly plan: Plan;
  /** True if the answer is a link to the whole file. */
  readonly isFile: boolean;
  readonly coding: Coding;
  readonly entityTag: string;
  /** Headers of every answer to this request, including 304. */
  readonly headers: Readonly<Record<string, string>>;
}

export const describeAnswer = (
  plan: Plan,
  request: DataRequest,
  { links, publicMaxAgeSeconds }: { links: boolean; publicMaxAgeSeconds: number },
): Description => {
  const isFile = links && plan.wholeFile !== undefined;
  const isCoded = formats[plan.format].compressible && !isFile && !plan.options.count;
  const coding = isCoded ? chooseCoding(request.header('accept-encoding')) : 'identity';
  const entityTag = formats[plan.format].reproducible
    ? strongTag(plan.fingerprint, coding)
    : weakTag(plan.fingerprint);
  const headers = {
    ETag: entityTag,
    'Last-Modified': new Date(plan.version.createdAt).toUTCString(),
    Vary: 'Accept, Accept-Encoding, Authorization',
    'Cache-Control': cacheControlOf(request.access, publicMaxAgeSeconds),
  };
  return { plan, isFile, coding, entityTag, headers };
};

export type RowsReply = Reply & { readonly body: Buffer | Readable };

/** The rows; for HEAD only their headers. */
export const rowsReply = (
  { plan, coding, headers }: Description,
  { body, rowCount, next }: RowCounts & { body: Buffer | Readable | undefined },
  request: DataRequest,
  apiUrl: (request: IncomingMessage) => string,
): RowsReply => {
  const { mediaType, extension } = formats[plan.format];
  return {
    status: 200,
    headers: {
      ...headers,
      'Content-Type': mediaType,
      'Content-Disposition': dispositionOf(fileNameOf(request.access.name, extension)),
      ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
      ...(rowCount === undefined
        ? {}
        : { 'Row-Count': String(rowCount), 'Access-Control-Expose-Headers': 'Row-Count, Link' }),
      ...(next === undefined ? {} : { Link: nextLink(request.url, apiUrl(request.raw), next) }),
    },
    body: body ?? Readable.from([]),
  };
};

/** Settles the ticket with the sent bytes when the answer has ended, complete or not. */
export const meterOf = (ticket: ExportTicket, log: Log): SentMeter => {
  let sent = 0;
  const refusal = (error: unknown): void => {
    if (isAppError(error)) throw error;
    log.warn({ err: error, bytes: sent }, 'bytes of an export wait to be counted');
  };
  return {
    ahead: (bytes) => ticket.ahead?.(bytes)?.catch(refusal),
    add(bytes) {
      sent += bytes;
      return ticket.spend(sent)?.catch(refusal);
    },
    end(unsent) {
      const bytes = sent - unsent;
      const settled = bytes <= 0 ? ticket.cancel() : ticket.finish(bytes);
      settled.catch((error: unknown) => log.error({ err: error, bytes }, 'export not counted'));
    },
  };
};

/** Maximum rows that a page of the web app reads in one request. */
const maxViewedRows = 50_000;

/**
 * Counts an export, unless a signed-in user of the web app views data.
 * @param rows Most rows of the request; undefined: all.
 */
export const startExport = (
  quotas: Pick<Quotas, 'startExport'>,
  caller: Caller | undefined,
  rows: number | undefined,
): Promise<ExportTicket> => {
  const isView = caller?.key.sessionId !== undefined && rows !== undefined && rows <= maxViewedRows;
  return isView ? Promise.resolve(freeTicket) : quotas.startExport(caller);
};

/** Work that was started before the export is counted. `stop` cancels it. */
export interface Begun {
  readonly finish: (ticket: ExportTicket) => Promise<Reply>;
  readonly stop?: () => void;
}

/** An answer that is not an export, since no rows are sent. */
export const uncounted = (reply: Reply): Begun => ({
  finish: async (ticket) => {
    await ticket.cancel();
    return reply;
  },
});
