import { z } from 'zod';
import type { StandingRight, StandingRights } from '../../catalog/standing-rights.js';
import type { FileRef, Links } from '../../exports/links.js';
import { type AppError, forbidden, notFound } from '../../lib/errors.js';
import { fileFormats } from '../../query/whole-file.js';
import { type Route, route } from '../route.js';
import { fileRequestHeaders, fileResponses, type SendStoredFile } from './stored-file.js';

interface LinkRoutesDeps {
  readonly links: Links;
  /** Decides on the right of a link, as for a request to the API. */
  readonly judge: StandingRights['judge'];
  readonly send: SendStoredFile;
  readonly linkTtlSeconds: number;
  /** Seconds for which the redirect to object storage is valid; 0: the API serves all files. */
  readonly directSeconds: number;
}

const rightBehind = ({ keyId, sessionId, datasetId }: FileRef): StandingRight => ({
  keyId,
  sessionId: sessionId ?? undefined,
  datasetId,
  need: 'Read',
  download: true,
});

/** Links have no credentials, so a refusal is 403 instead of 401. */
export const linkEnded = ({ kind, code, message }: AppError): AppError =>
  kind === 'not_found' ? notFound(code, message) : forbidden(code, `The link is no longer valid: ${message}`);

export const createLinkRoutes = (deps: LinkRoutesDeps): Route[] => {
  const { links, judge, send, linkTtlSeconds, directSeconds } = deps;

  /** @throws AppError 403 or 404 if the credential, the account or its permission no longer exists. */
  const requireRight = async (ref: FileRef) => {
    const [right] = await judge([rightBehind(ref)]);
    if (right === undefined) throw new Error('a right was not judged');
    if (right.ended !== undefined) throw linkEnded(right.ended);
    return { caller: right.caller, judgedAt: Date.now() };
  };

  return [
    route({
      method: 'GET',
      path: '/links/:token/:name',
      operationId: 'fetchFile',
      summary: 'Fetch a file by its link',
      description:
        'Links come from downloads of whole files, and work as long as the key or session that requested them, its account and its permission exist. Single and multiple ranges and conditional requests are supported. A file that is still being written is sent as it grows. Ranges of a file count as one export; of the bytes, those that are sent.',
      tags: ['Data'],
      auth: 'none',
      permit: 'files',
      secretParams: ['token'],
      requestHeaders: fileRequestHeaders,
      params: z.object({ token: z.string().max(4_000), name: z.string().max(1_000) }),
      authorize: async ({ params }) => {
        const ref = links.verify(params.token, params.name);
        return { ref, ...(await requireRight(ref)) };
      },
      responses: {
        ...fileResponses(fileFormats),
        302: {
          description: 'The file is served by object storage.',
          headers: { Location: 'Its address there, valid for a few seconds.' },
        },
      },
      errors: [402, 403, 404, 412],
      handler: (request) => {
        const { ref, caller, judgedAt } = request.access;
        return send(request, {
          file: ref,
          fileName: ref.fileName,
          fixed: true,
          cacheControl: `private, max-age=${linkTtlSeconds}`,
          right: rightBehind(ref),
          caller,
          judgedAt,
          refusal: linkEnded,
          directSeconds,
        });
      },
    }),
  ];
};
