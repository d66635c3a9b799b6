import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import type { SoughtFile } from '../../exports/export-files.js';
import type { Caller } from '../../model/permission.js';
import { type Format, formats } from '../../query/formats/formats.js';
import { type DownloadOptions, parseOptions } from '../../query/options/options.js';
import { noData, type Versions } from '../../query/versions.js';
import { fileFormats } from '../../query/whole-file.js';
import { fileNameOf } from '../content/disposition.js';
import { pathId } from '../parameters.js';
import { type Reply, type Route, type RouteRequest, route } from '../route.js';
import { cacheControlOf, rightToRead } from './download-answer.js';
import { versionQuery } from './download-schema.js';
import type { FindDataset } from './find-dataset.js';
import { fileRequestHeaders, fileResponses, type SendStoredFile } from './stored-file.js';

interface TableRoutesDeps {
  /** Finds a dataset whose rows the caller may download. */
  readonly findDataset: FindDataset;
  readonly versions: Pick<Versions, 'at'>;
  readonly send: SendStoredFile;
  /** Seconds for which caches may keep answers about public datasets; 0: they revalidate each time. */
  readonly publicMaxAgeSeconds: number;
}

type TableRequest = RouteRequest<
  { id: number },
  Readonly<Record<string, unknown>>,
  unknown,
  Caller | undefined,
  DatasetAccess
>;

const description =
  'The whole table as a file at a permanent address, for tools that read an address with the key in `Authorization` or `apiKey`. Ranges are answered without a redirect; if the dataset may change meanwhile, set `versionId` or compare `ETag`. Ranges of a file count as one export, with the bytes that are sent.';

/** The file of a whole table, in the version of the options. */
export const tableFileOf = async (
  versions: Pick<Versions, 'at'>,
  { id, currentVersionId }: DatasetAccess,
  { versionId, asOf }: DownloadOptions,
  format: Format,
): Promise<SoughtFile> => {
  const named = asOf === undefined ? versionId : await versions.at(id, asOf);
  const wanted = named ?? currentVersionId;
  if (wanted === null) throw noData();
  const isCurrent = named === undefined;
  return { datasetId: id, versionId: wanted, variant: 'table', format, presentNames: isCurrent, isCurrent };
};

/** The table of a dataset as a file, at one address per file format. */
export const createTableRoutes = (deps: TableRoutesDeps): Route[] => {
  const { findDataset, versions, send, publicMaxAgeSeconds } = deps;

  const answer = async (request: TableRequest, format: Format): Promise<Reply> => {
    const { access, caller } = request;
    const judgedAt = Date.now();
    const options = parseOptions(request.query);
    const reply = await send(request, {
      file: await tableFileOf(versions, access, options, format),
      fileName: fileNameOf(access.name, formats[format].extension),
      // A version keeps its names; the current data may be renamed or replaced within a second.
      fixed: options.versionId !== undefined,
      cacheControl: cacheControlOf(access, publicMaxAgeSeconds),
      right: rightToRead(caller, access.id),
      caller,
      judgedAt,
      refusal: (ended) => ended,
      directSeconds: 0,
    });
    return { ...reply, headers: { ...reply.headers, Vary: 'Authorization' } };
  };

  return fileFormats.map((format) =>
    route({
      method: 'GET',
      path: `/datasets/:id/data.${formats[format].extension}`,
      operationId: `readTableAs${format.charAt(0).toUpperCase()}${format.slice(1)}`,
      summary: `Read the whole table as ${format}`,
      description,
      tags: ['Data'],
      auth: 'optional',
      readsDataset: true,
      permit: 'files',
      params: z.object({ id: pathId('Dataset') }),
      query: versionQuery,
      requestHeaders: fileRequestHeaders,
      authorize: ({ caller, params }) => findDataset(caller, params.id),
      responses: fileResponses([format]),
      errors: [402, 403, 404, 412],
      handler: (request) => answer(request, format),
    }),
  );
};
