import { z } from 'zod';
import type { ExportFiles, ServedFile } from '../../exports/export-files.js';
import type { FileRef, Links } from '../../exports/links.js';
import { fingerprint } from '../../lib/fingerprint.js';
import { type Format, formatNames, formats } from '../../query/formats/formats.js';
import type { ObjectStorage } from '../../storage/objects/object-storage.js';
import { strongTag, weakTag } from '../content/conditions.js';
import { dispositionOf } from '../content/disposition.js';
import { answerFile } from '../content/file.js';
import { needsLength } from '../known-length.js';
import { type Route, route } from '../route.js';

export interface LinkRoutesDeps {
  readonly links: Links;
  readonly exportFiles: ExportFiles;
  readonly storage: ObjectStorage;
  readonly linkTtlSeconds: number;
}

const files = {
  contentTypes: formatNames.filter((name) => formats[name].linked).map((name) => formats[name].mediaType),
};

const needsWhole = (method: string, range: string | undefined, format: Format): boolean =>
  range !== undefined || (method === 'HEAD' && formats[format].readFromEnd);

/** Where a file that is made again may have other bytes, the tag is of this one: its parts must not be joined with those of another. */
const tagOf = (ref: FileRef, file: ServedFile): string => {
  if (formats[ref.format].reproducible) return strongTag(ref.fingerprint);
  return file.kind === 'stored'
    ? strongTag(fingerprint([ref.fingerprint, file.tag]))
    : weakTag(ref.fingerprint);
};

export const createLinkRoutes = ({
  links,
  exportFiles,
  storage,
  linkTtlSeconds,
}: LinkRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/links/:token/:name',
    operationId: 'fetchFile',
    summary: 'Fetch a file by its link',
    description:
      'Links come from downloads of whole files. Single and multiple ranges and conditional requests are supported. A file that is still being written is sent as it grows.',
    tags: ['Data'],
    auth: 'none',
    places: 'files',
    secretParams: ['token'],
    requestHeaders: {
      Range: 'Parts of the file, such as `bytes=0-1023`; several are possible.',
      'If-Range': '`ETag` of the parts that you have; if it changed, the whole file is sent.',
      'If-None-Match': '`ETag` of the file that you have; 304 if it is the same.',
    },
    params: z.object({ token: z.string().max(4_000), name: z.string().max(1_000) }),
    responses: {
      200: { description: 'The file.', ...files },
      206: { description: 'The requested parts.', ...files },
      304: { description: 'The client already has the file.' },
      416: { description: 'None of the requested parts lies within the file.' },
    },
    errors: [403, 404],
    handler: async ({ params, method, header, owner, signal, raw }) => {
      const ref = links.verify(params.token, params.name);
      const whole = needsLength(raw) || needsWhole(method, header('range'), ref.format);
      const file = await exportFiles.find(ref, { whole, owner, signal });
      const facts = {
        entityTag: tagOf(ref, file),
        reproducible: formats[ref.format].reproducible,
        contentType: formats[ref.format].mediaType,
        disposition: dispositionOf(ref.fileName),
        cacheControl: `private, max-age=${linkTtlSeconds}`,
      };
      const right = { keyId: ref.keyId, datasetId: ref.datasetId, need: 'Read' } as const;
      return { ...(await answerFile(storage, file, facts, { method, header })), right };
    },
  }),
];
