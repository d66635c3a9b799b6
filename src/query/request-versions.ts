import type { ReadableVersion } from '../model/version.js';
import type { DownloadRequest } from './download-request.js';
import { badToken, type PageToken, type PageTokens } from './paging/page-token.js';
import type { Versions } from './versions.js';

/** Finds the version that a request reads. */
interface RequestVersions {
  /** @throws AppError `invalid` for a token of another dataset or version */
  tokenOf(request: DownloadRequest): PageToken | undefined;
  /** @throws AppError for an unknown version */
  find(request: DownloadRequest, token: PageToken | undefined): Promise<ReadableVersion>;
  /** The cached current version; undefined if it is not cached or the request names a version. */
  remembered(request: DownloadRequest): ReadableVersion | undefined;
}

export const createRequestVersions = (versions: Versions, pageTokens: PageTokens): RequestVersions => {
  /** Undefined for the current version. */
  const versionIdOf = async (
    { dataset, options }: DownloadRequest,
    token: PageToken | undefined,
  ): Promise<number | undefined> => {
    if (token !== undefined) return token.versionId;
    return options.asOf === undefined ? options.versionId : versions.at(dataset.id, options.asOf);
  };

  const tokenOf = ({ dataset, options }: DownloadRequest): PageToken | undefined => {
    if (options.skipToken === undefined) return undefined;
    const token = pageTokens.read(options.skipToken);
    const isForeign =
      token.datasetId !== dataset.id ||
      (options.versionId !== undefined && options.versionId !== token.versionId);
    if (isForeign) throw badToken('belongs to another dataset or version');
    return token;
  };

  const remembered = ({ dataset, options }: DownloadRequest): ReadableVersion | undefined => {
    const { id, currentVersionId, columnsRevision } = dataset;
    if (currentVersionId === null) return undefined;
    const { versionId, asOf, skipToken } = options;
    if (versionId !== undefined || asOf !== undefined || skipToken !== undefined) return undefined;
    return versions.remembered(id, currentVersionId, columnsRevision);
  };

  const find = async (request: DownloadRequest, token: PageToken | undefined): Promise<ReadableVersion> =>
    versions.find({
      datasetId: request.dataset.id,
      currentVersionId: request.dataset.currentVersionId,
      versionId: await versionIdOf(request, token),
      // A later page must have the same column names as the first.
      presentNames: request.options.versionId === undefined && request.options.asOf === undefined,
    });

  return { tokenOf, find, remembered };
};
