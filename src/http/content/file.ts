import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ServedFile } from '../../exports/export-files.js';
import type { ByteRange, ObjectStorage } from '../../storage/objects/object-storage.js';
import type { Reply, RequestHead, SentMeter } from '../route.js';
import { isUnchanged, rangeApplies, requireSame } from './conditions.js';
import { frameParts, parseRange } from './ranges.js';

/** Parts of a request that determine the answer. */
type FileRequest = Pick<RequestHead<unknown, unknown, unknown>, 'method' | 'header'>;

export interface FileProperties {
  /** With quotes; strong for a stored file. */
  readonly entityTag: string;
  /** True if a file made again has the same bytes. */
  readonly reproducible: boolean;
  /** True if no other file is ever served at this address. Only then does a time identify the file of a client. */
  readonly fixed: boolean;
  readonly contentType: string;
  readonly disposition: string;
  readonly cacheControl: string;
}

export interface FileSending {
  /** Called before the first byte is sent. @throws AppError if the file must not be sent. */
  readonly begin: (part: 'whole' | 'part') => Promise<SentMeter>;
  /** Address at which the storage itself serves the file; undefined: it does not. */
  readonly direct?: (() => Promise<string | undefined>) | undefined;
}

/** Parts of a stored file with their multipart heads. */
async function* framedParts(
  storage: ObjectStorage,
  key: string,
  parts: readonly ByteRange[],
  heads: readonly Buffer[],
  end: Buffer,
): AsyncGenerator<Buffer> {
  for (const [index, part] of parts.entries()) {
    yield heads[index]!;
    yield* (await storage.read(key, part)) as AsyncIterable<Buffer>;
  }
  yield end;
}

/** Answers a request for a file according to RFC 9110: conditions first, then ranges. */
export const answerFile = async (
  storage: ObjectStorage,
  file: ServedFile,
  properties: FileProperties,
  { method, header }: FileRequest,
  sending: FileSending,
): Promise<Reply> => {
  const { entityTag, fixed, reproducible } = properties;
  const { lastModified } = file;
  const validators = fixed ? { entityTag, lastModified } : { entityTag };
  const shared = {
    ETag: entityTag,
    ...(fixed ? { 'Last-Modified': lastModified.toUTCString() } : {}),
    'Cache-Control': properties.cacheControl,
    'Accept-Ranges': 'bytes',
  };
  requireSame(header, validators);
  const conditions = { ifNoneMatch: header('if-none-match'), ifModifiedSince: header('if-modified-since') };
  if (isUnchanged(conditions, validators)) return { status: 304, headers: shared };
  const headers = {
    ...shared,
    'Content-Type': properties.contentType,
    'Content-Disposition': properties.disposition,
  };
  const ofBytes = reproducible ? validators : { entityTag };
  // `Range` is defined for GET only (RFC 9110, 14.2); HEAD describes the whole file.
  const hasRange = method === 'GET' && rangeApplies(header('if-range'), ofBytes);
  const range = hasRange ? header('range') : undefined;
  const answer: FileAnswer =
    file.kind === 'building'
      ? // Its length is not known yet: the whole file, as it is made.
        { status: 200, headers, open: async () => file.build.follow() }
      : answerStored(storage, file, headers, range);
  // An empty stream keeps the headers of the file for HEAD.
  if (method === 'HEAD' || answer.open === undefined)
    return { ...withoutBody(answer), body: Readable.from([]) };
  return sendFile({ ...answer, open: answer.open }, sending);
};

const withoutBody = ({ status, headers }: FileAnswer): Reply => ({ status, headers });

/** Sends a file. One that is being made is opened at once, since it may be finished and closed after any wait. */
const sendFile = async (
  answer: FileAnswer & Required<Pick<FileAnswer, 'open'>>,
  { begin, direct }: FileSending,
): Promise<Reply> => {
  const part = answer.status === 200 ? 'whole' : 'part';
  const url = answer.bytes === undefined ? undefined : await direct?.();
  if (url === undefined || answer.bytes === undefined) {
    const body = await answer.open();
    try {
      return { ...withoutBody(answer), body, meter: await begin(part) };
    } catch (error) {
      body.destroy();
      throw error;
    }
  }
  // The bytes that object storage sends are not counted here.
  const meter = await begin(part);
  await meter.add(answer.bytes);
  meter.end(0);
  return { status: 302, headers: { Location: url, 'Cache-Control': 'private, no-store' }, body: '' };
};

interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes that the storage can send itself, in one piece; absent: it cannot. */
  readonly bytes?: number;
  /** Absent if there is nothing to send. */
  readonly open?: () => Promise<Readable>;
}

const answerStored = (
  storage: ObjectStorage,
  { key, size }: Extract<ServedFile, { kind: 'stored' }>,
  headers: Readonly<Record<string, string>>,
  rangeHeader: string | undefined,
): FileAnswer => {
  const range = parseRange(rangeHeader, size);
  switch (range.kind) {
    case 'whole':
      return {
        status: 200,
        headers: { ...headers, 'Content-Length': String(size) },
        bytes: size,
        open: () => storage.read(key),
      };
    case 'unsatisfiable':
      return { status: 416, headers: { 'Content-Range': `bytes */${size}` } };
    case 'parts':
      return answerParts(storage, key, size, range.parts, headers);
    default:
      return range satisfies never;
  }
};

const answerParts = (
  storage: ObjectStorage,
  key: string,
  size: number,
  parts: readonly ByteRange[],
  headers: Readonly<Record<string, string>>,
): FileAnswer => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    const { start, end } = only;
    const bytes = end - start + 1;
    return {
      status: 206,
      headers: {
        ...headers,
        'Content-Range': `bytes ${start}-${end}/${size}`,
        'Content-Length': String(bytes),
      },
      bytes,
      open: () => storage.read(key, only),
    };
  }
  const boundary = randomBytes(18).toString('hex');
  const frame = frameParts(parts, size, headers['Content-Type'] ?? '', boundary);
  return {
    status: 206,
    headers: { ...headers, 'Content-Type': frame.contentType, 'Content-Length': String(frame.length) },
    open: async () =>
      Readable.from(framedParts(storage, key, parts, frame.heads, frame.end), { objectMode: false }),
  };
};
