/** Sends the stored file of a version, for a link and for the dataset's own address. */
import type { LinkedRead } from '../../catalog/export-quota.js';
import type { ExportTicket } from '../../catalog/export-ticket.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { StandingRight, StandingRights } from '../../catalog/standing-rights.js';
import type { ExportFiles, ServedFile, SoughtFile } from '../../exports/export-files.js';
import type { AppError } from '../../lib/errors.js';
import { fingerprint } from '../../lib/fingerprint.js';
import type { Caller } from '../../model/permission.js';
import { type Format, formats } from '../../query/formats/formats.js';
import type { ObjectStorage } from '../../storage/objects/object-storage.js';
import { strongTag, weakTag } from '../content/conditions.js';
import { dispositionOf } from '../content/disposition.js';
import { answerFile, type FileProperties, type FileSending } from '../content/file.js';
import { needsLength } from '../known-length.js';
import type { Reply, ResponseSpec, RouteRequest } from '../route.js';
import { meterOf } from './download-answer.js';

interface StoredFilesDeps {
  /** Decides on the right to a file, as for any other request. */
  readonly judge: StandingRights['judge'];
  readonly quotas: Pick<Quotas, 'startExport'>;
  readonly exportFiles: Pick<ExportFiles, 'find'>;
  readonly storage: ObjectStorage;
  /** Seconds within which ranges of a file count as one export. */
  readonly linkTtlSeconds: number;
}

/** A requested file, and the decision on the right to it. */
interface WantedRead {
  readonly file: SoughtFile;
  readonly fileName: string;
  readonly cacheControl: string;
  /** True if the address names a version, or a file. */
  readonly fixed: boolean;
  readonly right: StandingRight;
  readonly caller: Caller | undefined;
  /** Time of the decision, `Date.now()`. */
  readonly judgedAt: number;
  /** Converts the error if the right ended while the request waited. */
  readonly refusal: (ended: AppError) => AppError;
  /** Seconds for which the redirect to object storage is valid; 0: the API sends the file. */
  readonly directSeconds: number;
  /** Counts the read. @default as an export of the caller */
  readonly startExport?: (read: LinkedRead) => Promise<ExportTicket>;
}

type FileRequest = Pick<
  RouteRequest<unknown, unknown, unknown, unknown, unknown>,
  'method' | 'header' | 'owner' | 'signal' | 'log' | 'raw'
>;

/** Request headers that select a part of the file, for the documents. */
export const fileRequestHeaders = {
  Range: 'Parts of the file, such as `bytes=0-1023`; several are possible.',
  'If-Range': '`ETag` of the parts that you have; if it changed, the whole file is sent.',
  'If-None-Match': '`ETag` of the file that you have; 304 if it is the same.',
  'If-Match': '`ETag` of the file that you read parts of; 412 if it is another one by now.',
} as const;

/** Responses with a file, for the documents. */
export const fileResponses = (of: readonly Format[]): Record<200 | 206 | 304 | 416, ResponseSpec> => {
  const contentTypes = of.map((name) => formats[name].mediaType);
  return {
    200: { description: 'The file.', contentTypes },
    206: { description: 'The requested parts.', contentTypes },
    304: { description: 'The client already has the file.' },
    416: { description: 'None of the requested parts is within the file.' },
  };
};

const needsWhole = (method: string, range: string | undefined, format: Format): boolean =>
  method === 'HEAD' ? formats[format].readFromEnd : range !== undefined;

/** Tag of this very file if a new one may have different bytes, so that parts of both are not joined. */
const tagOf = (format: Format, file: ServedFile): string => {
  if (formats[format].reproducible) return strongTag(file.fingerprint);
  return file.kind === 'stored'
    ? strongTag(fingerprint([file.fingerprint, file.tag]))
    : weakTag(file.fingerprint);
};

/** Milliseconds after which the right is checked again, after the request has waited for a permit or the file. */
const freshMs = 1_000;

export type SendStoredFile = (request: FileRequest, wanted: WantedRead) => Promise<Reply>;

export const createSendStoredFile = (deps: StoredFilesDeps): SendStoredFile => {
  const { judge, quotas, exportFiles, storage, linkTtlSeconds } = deps;

  const requireFresh = async ({ right, judgedAt, refusal }: WantedRead): Promise<void> => {
    if (Date.now() - judgedAt <= freshMs) return;
    const [judged] = await judge([right]);
    if (judged === undefined) throw new Error('a right was not judged');
    if (judged.ended !== undefined) throw refusal(judged.ended);
  };

  return async ({ method, header, owner, signal, log, raw }, wanted) => {
    const { format } = wanted.file;
    await requireFresh(wanted);
    const whole = needsLength(raw) || needsWhole(method, header('range'), format);
    const file = await exportFiles.find(wanted.file, { whole, owner, signal });
    // A file that is still being made did not have to be waited for.
    if (file.kind === 'stored') await requireFresh(wanted);
    const properties: FileProperties = {
      entityTag: tagOf(format, file),
      reproducible: formats[format].reproducible,
      fixed: wanted.fixed && file.isOnly,
      contentType: formats[format].mediaType,
      disposition: dispositionOf(wanted.fileName),
      cacheControl: wanted.cacheControl,
    };
    const { contentType, disposition } = properties;
    const direct: FileSending['direct'] =
      file.kind === 'stored' && wanted.directSeconds > 0
        ? () => storage.link(file.key, { expiresSeconds: wanted.directSeconds, contentType, disposition })
        : undefined;
    const begin: FileSending['begin'] = async (part) => {
      const read = { file: file.fingerprint, seconds: linkTtlSeconds, whole: part === 'whole' };
      const start = wanted.startExport ?? ((one) => quotas.startExport(wanted.caller, one));
      return meterOf(await start(read), log);
    };
    const reply = await answerFile(storage, file, properties, { method, header }, { begin, direct });
    return { ...reply, right: wanted.right };
  };
};
