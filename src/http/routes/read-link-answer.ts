/** The answer of a read link: rows, a file in ranges, or a chart. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import { bothTickets } from '../../catalog/export-ticket.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { ReadLink } from '../../catalog/read-link-records.js';
import type { FoundReadLink, ReadLinks } from '../../catalog/read-links.js';
import { notPublic, type StandingRight } from '../../catalog/standing-rights.js';
import { isAppError } from '../../lib/errors.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import { holdForReader } from '../../lib/semaphore/streams.js';
import type { Caller } from '../../model/permission.js';
import { formats } from '../../query/formats/formats.js';
import { type DownloadOptions, parseOptions, wholeFileOf } from '../../query/options/options.js';
import type { Versions } from '../../query/versions.js';
import { fileNameOf } from '../content/disposition.js';
import { type Reply, type Route, type RouteRequest, route } from '../route.js';
import type { DataRequest } from './download-answer.js';
import type { AnswerDownload } from './download-handler.js';
import type { FindDataset } from './find-dataset.js';
import { linkEnded } from './links.js';
import { drawChart } from './read-link-chart.js';
import { fileRequestHeaders, fileResponses, type SendStoredFile } from './stored-file.js';
import { tableFileOf } from './tables.js';

export interface ReadLinkAnswerDeps {
  readonly findReadable: FindDataset;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'startExport'>;
  readonly readLinks: ReadLinks;
  readonly answer: AnswerDownload;
  readonly files: {
    readonly semaphore: Semaphore;
    readonly versions: Pick<Versions, 'at'>;
    readonly send: SendStoredFile;
  };
}

/** The right of a link, which is checked while an answer is sent. */
export const rightOfLink = ({
  id,
  datasetId,
  chart,
}: Pick<ReadLink, 'id' | 'datasetId' | 'chart'>): StandingRight => ({
  keyId: null,
  linkId: id,
  datasetId,
  need: 'Read',
  download: true,
  publicOnly: chart !== null,
});

/** @throws AppError 403 for a dataset that is not public, since charts are shown to everybody. */
export const requirePublic = ({ id, privacy }: DatasetAccess): void => {
  if (privacy !== 'Public') throw notPublic(id);
};

/** The token in an address that ends with the extension of the format, for tools that depend on it. */
const tokenOf = (segment: string): string => segment.replace(/\.\w+$/, '');

interface LinkAccess {
  readonly link: FoundReadLink;
  readonly caller: Caller | undefined;
  readonly dataset: DatasetAccess;
  /** Time of the decision, `Date.now()`. */
  readonly judgedAt: number;
}

type LinkRequest = RouteRequest<{ token: string }, unknown, unknown, undefined, LinkAccess>;

/** True for a whole table in a format that clients read in parts, from its end. */
const isReadInParts = (options: DownloadOptions): boolean =>
  options.format !== undefined && formats[options.format].readFromEnd && wholeFileOf(options) === 'table';

export const createReadLinkRoute = (deps: ReadLinkAnswerDeps): Route => {
  const { findReadable, quotas, readLinks, answer, files } = deps;

  /** @throws AppError 403 or 404 if the account may not read the dataset any more. */
  const requireRight = async (link: FoundReadLink): Promise<LinkAccess> => {
    try {
      if (link.by.refused !== undefined) throw link.by.refused;
      const { caller } = link.by;
      const dataset = await findReadable(caller, link.datasetId);
      if (link.chart !== null) requirePublic(dataset);
      await quotas.requireDownload(caller, dataset);
      return { link, caller, dataset, judgedAt: Date.now() };
    } catch (error) {
      const isRefusal =
        isAppError(error) && ['unauthenticated', 'forbidden', 'not_found'].includes(error.kind);
      throw isRefusal ? linkEnded(error) : error;
    }
  };

  /** Owner of the permits: the account that made the link, for all readers. */
  const ownerOf = ({ access: { caller } }: LinkRequest): string => `account:${caller?.accountId}`;

  const sendFile = async (request: LinkRequest, options: DownloadOptions): Promise<Reply> => {
    const { link, caller, dataset, judgedAt } = request.access;
    const format = options.format ?? 'csv';
    const owner = ownerOf(request);
    const file = await tableFileOf(files.versions, dataset, options, format);
    request.releasePermit();
    const permit = await files.semaphore.acquire(owner, request.signal);
    try {
      const reply = await files.send(
        { ...request, owner },
        {
          file,
          fileName: fileNameOf(dataset.name, formats[format].extension),
          fixed: options.versionId !== undefined,
          cacheControl: 'private, no-cache',
          right: rightOfLink(link),
          caller,
          judgedAt,
          refusal: linkEnded,
          directSeconds: 0,
          startExport: async (read) => {
            const ticket = await quotas.startExport(caller, read);
            return bothTickets(ticket, readLinks.startRead(link, ticket.isPart));
          },
        },
      );
      if (reply.body instanceof Readable) holdForReader(permit, reply.body);
      else permit.release();
      return reply;
    } catch (error) {
      permit.release();
      throw error;
    }
  };

  const sendRows = (request: LinkRequest, options: DownloadOptions): Promise<Reply> => {
    const { link, caller, dataset } = request.access;
    const isDrawn = link.chart !== null;
    const linked: DataRequest = {
      ...request,
      params: { id: dataset.id },
      caller,
      access: dataset,
      owner: ownerOf(request),
      // The rows of a chart are read by this process.
      header: (name) => (isDrawn && name === 'accept-encoding' ? undefined : request.header(name)),
    };
    return answer(linked, {
      options,
      ifNoneMatch: request.header('if-none-match'),
      links: false,
      readLink: {
        right: rightOfLink(link),
        startRead: async () => bothTickets(await quotas.startExport(caller), readLinks.startRead(link)),
      },
      ...(link.chart === null
        ? {}
        : {
            present: drawChart(link.chart, {
              isPage: request.params.token.endsWith('.html'),
              isHead: request.method === 'HEAD',
            }),
          }),
    });
  };

  return route({
    method: 'GET',
    path: '/links/:token',
    operationId: 'fetchReadLink',
    summary: 'Read the rows behind a read link',
    description:
      'Takes no key. Pages of every site may read it. `HEAD` and conditional requests are answered; each answer with rows counts as an export of the account that made the link. A whole table as Parquet is sent in ranges as well, which together are one export. A chart ends in `.svg` or, as a page for frames, in `.html`.',
    tags: ['Read links'],
    auth: 'none',
    permit: 'own',
    secretParams: ['token'],
    params: z.object({ token: z.string().max(200) }),
    requestHeaders: fileRequestHeaders,
    authorize: async ({ params }) => requireRight(await readLinks.find(tokenOf(params.token))),
    responses: {
      ...fileResponses(['parquet']),
      200: {
        description: 'The rows, their number with `$count`, or a chart of them.',
        contentTypes: [
          ...Object.values(formats).map(({ mediaType }) => mediaType),
          'text/plain',
          'image/svg+xml',
          'text/html',
        ],
      },
    },
    errors: [402, 403, 404, 412, 504],
    handler: (request) => {
      const options = parseOptions(request.access.link.query);
      return isReadInParts(options) ? sendFile(request, options) : sendRows(request, options);
    },
  });
};
