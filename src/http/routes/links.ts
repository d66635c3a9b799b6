import { z } from 'zod';
import type { Quotas } from '../../catalog/quotas.js';
import type { StandingRight, StandingRights } from '../../catalog/standing-rights.js';
import type { ExportFiles, ServedFile } from '../../exports/export-files.js';
import type { FileRef, Links } from '../../exports/links.js';
import { type AppError, forbidden, notFound } from '../../lib/errors.js';
import { fingerprint } from '../../lib/fingerprint.js';
import { type Format, formatNames, formats } from '../../query/formats/formats.js';
import type { ObjectStorage } from '../../storage/objects/object-storage.js';
import { strongTag, weakTag } from '../content/conditions.js';
import { dispositionOf } from '../content/disposition.js';
import { answerFile, type FileProperties, type FileSending } from '../content/file.js';
import { needsLength } from '../known-length.js';
import { type Route, route } from '../route.js';
import { meterOf } from './download-answer.js';

export interface LinkRoutesDeps {
  readonly links: Links;
  /** The decision about the right behind a link, which is the same as for a request to the API. */
  readonly judge: StandingRights['judge'];
  readonly quotas: Pick<Quotas, 'startExport'>;
  readonly exportFiles: ExportFiles;
  readonly storage: ObjectStorage;
  readonly linkTtlSeconds: number;
  /** Seconds for which an address of object storage is valid that a link redirects to; 0: the API serves all files. */
  readonly directSeconds: number;
}

const files = {
  contentTypes: formatNames.filter((name) => formats[name].linked).map((name) => formats[name].mediaType),
};

const needsWhole = (method: string, range: string | undefined, format: Format): boolean =>
  range !== undefined || (method === 'HEAD' && formats[format].readFromEnd);

/** Tag of this very file if a new one may have other bytes: parts of both must not be joined. */
const tagOf = (ref: FileRef, file: ServedFile): string => {
  if (formats[ref.format].reproducible) return strongTag(ref.fingerprint);
  return file.kind === 'stored'
    ? strongTag(fingerprint([ref.fingerprint, file.tag]))
    : weakTag(ref.fingerprint);
};

const rightBehind = ({ keyId, sessionId, datasetId }: FileRef): StandingRight => ({
  keyId,
  sessionId: sessionId ?? undefined,
  datasetId,
  need: 'Read',
  download: true,
});

/** A link takes no credentials: there is nothing to sign in with. */
export const linkEnded = ({ kind, code, message }: AppError): AppError =>
  kind === 'not_found' ? notFound(code, message) : forbidden(code, `The link is no longer valid: ${message}`);

/** Milliseconds after which the right is judged again, after waiting for a permit or the file. */
const freshMs = 1_000;

export const createLinkRoutes = (deps: LinkRoutesDeps): Route[] => {
  const { links, judge, quotas, exportFiles, storage, linkTtlSeconds, directSeconds } = deps;

  /** @throws AppError 403 or 404 when the credential, the account or its permission no longer holds. */
  const requireRight = async (ref: FileRef) => {
    const [right] = await judge([rightBehind(ref)]);
    if (right === undefined) throw new Error('a right was not judged');
    if (right.ended !== undefined) throw linkEnded(right.ended);
    return { caller: right.caller, judgedAt: Date.now() };
  };

  const propertiesOf = (ref: FileRef, file: ServedFile): FileProperties => ({
    entityTag: tagOf(ref, file),
    reproducible: formats[ref.format].reproducible,
    contentType: formats[ref.format].mediaType,
    disposition: dispositionOf(ref.fileName),
    cacheControl: `private, max-age=${linkTtlSeconds}`,
  });

  const directTo = (file: ServedFile, { contentType, disposition }: FileProperties): FileSending['direct'] =>
    file.kind === 'stored' && directSeconds > 0
      ? () => storage.link(file.key, { expiresSeconds: directSeconds, contentType, disposition })
      : undefined;

  return [
    route({
      method: 'GET',
      path: '/links/:token/:name',
      operationId: 'fetchFile',
      summary: 'Fetch a file by its link',
      description:
        'Links come from downloads of whole files, and work as long as the key or session that asked for them, its account and its permission. Single and multiple ranges and conditional requests are supported. A file that is still being written is sent as it grows. Ranges of a file count as one export; of the bytes, those that are sent.',
      tags: ['Data'],
      auth: 'none',
      permit: 'files',
      secretParams: ['token'],
      requestHeaders: {
        Range: 'Parts of the file, such as `bytes=0-1023`; several are possible.',
        'If-Range': '`ETag` of the parts that you have; if it changed, the whole file is sent.',
        'If-None-Match': '`ETag` of the file that you have; 304 if it is the same.',
      },
      params: z.object({ token: z.string().max(4_000), name: z.string().max(1_000) }),
      authorize: async ({ params }) => {
        const ref = links.verify(params.token, params.name);
        return { ref, ...(await requireRight(ref)) };
      },
      responses: {
        200: { description: 'The file.', ...files },
        206: { description: 'The requested parts.', ...files },
        302: {
          description: 'The file is served by object storage.',
          headers: { Location: 'Its address there, valid for a few seconds.' },
        },
        304: { description: 'The client already has the file.' },
        416: { description: 'None of the requested parts is within the file.' },
      },
      errors: [402, 403, 404],
      handler: async ({ access: { ref, caller, judgedAt }, method, header, owner, signal, log, raw }) => {
        const whole = needsLength(raw) || needsWhole(method, header('range'), ref.format);
        const isStale = (): boolean => Date.now() - judgedAt > freshMs;
        if (isStale()) await requireRight(ref);
        const file = await exportFiles.find(ref, { whole, owner, signal });
        // One that is being made was not waited for.
        if (file.kind === 'stored' && isStale()) await requireRight(ref);
        const properties = propertiesOf(ref, file);
        const begin: FileSending['begin'] = async (part) => {
          const read = { file: ref.fingerprint, seconds: linkTtlSeconds, whole: part === 'whole' };
          return meterOf(await quotas.startExport(caller, read), log);
        };
        const sending = { begin, direct: directTo(file, properties) };
        const reply = await answerFile(storage, file, properties, { method, header }, sending);
        return { ...reply, right: rightBehind(ref) };
      },
    }),
  ];
};
