import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ServedFile } from '../../exports/export-files.js';
import type { ByteRange, ObjectStorage } from '../../storage/objects/object-storage.js';
import type { Reply, RequestHead } from '../route.js';
import { isUnchanged, rangeApplies } from './conditions.js';
import { frameParts, parseRange } from './ranges.js';

/** What of a request the answer depends on. */
export type FileRequest = Pick<RequestHead<unknown, unknown, unknown>, 'method' | 'header'>;

export interface FileFacts {
  /** In quotes; strong for a file that is stored. */
  readonly entityTag: string;
  /** True when the file, made again, has the same bytes. */
  readonly reproducible: boolean;
  readonly contentType: string;
  readonly disposition: string;
  readonly cacheControl: string;
}

/** Pieces of a stored file in their envelope. */
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

/** Answers a request for a file as RFC 9110 asks: conditions first, then ranges. */
export const answerFile = async (
  storage: ObjectStorage,
  file: ServedFile,
  facts: FileFacts,
  { method, header }: FileRequest,
): Promise<Reply> => {
  const validators = { entityTag: facts.entityTag, lastModified: file.lastModified };
  const shared = {
    ETag: facts.entityTag,
    'Last-Modified': file.lastModified.toUTCString(),
    'Cache-Control': facts.cacheControl,
    'Accept-Ranges': 'bytes',
  };
  const asked = { ifNoneMatch: header('if-none-match'), ifModifiedSince: header('if-modified-since') };
  if (isUnchanged(asked, validators)) return { status: 304, headers: shared };
  const headers = { ...shared, 'Content-Type': facts.contentType, 'Content-Disposition': facts.disposition };
  const ofBytes = facts.reproducible ? validators : { entityTag: facts.entityTag };
  const range = rangeApplies(header('if-range'), ofBytes) ? header('range') : undefined;
  const { open, ...answer } =
    file.kind === 'building'
      ? // Its length is not known yet: the whole file, as it is made.
        { status: 200, headers, open: async () => file.build.follow() }
      : answerStored(storage, file, headers, range);
  // HEAD keeps the headers of the file: an empty stream leaves them as they are.
  return { ...answer, body: method === 'HEAD' || open === undefined ? Readable.from([]) : await open() };
};

interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent when there is nothing to send. */
  readonly open?: () => Promise<Readable>;
}

const answerStored = (
  storage: ObjectStorage,
  { key, size }: Extract<ServedFile, { kind: 'stored' }>,
  headers: Readonly<Record<string, string>>,
  asked: string | undefined,
): StoredAnswer => {
  const range = parseRange(asked, size);
  switch (range.kind) {
    case 'whole':
      return {
        status: 200,
        headers: { ...headers, 'Content-Length': String(size) },
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
): StoredAnswer => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    const { start, end } = only;
    const length = String(end - start + 1);
    return {
      status: 206,
      headers: { ...headers, 'Content-Range': `bytes ${start}-${end}/${size}`, 'Content-Length': length },
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
