import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { matchesTag } from '../query/entity-tag.js';
import type { ByteRange, ObjectStore } from '../storage/objects/object-store.js';
import type { ServedFile } from './export-files.js';
import { frameParts, parseRange } from './ranges.js';

export interface FileRequest {
  readonly headOnly: boolean;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for HEAD and for answers without a body. */
  readonly body: Readable | undefined;
}

export interface FileFacts {
  /** Strong tag, in quotes. */
  readonly entityTag: string;
  readonly contentType: string;
  readonly disposition: string;
  readonly cacheControl: string;
}

/** Pieces of a stored file in their envelope. */
async function* framedParts(
  store: ObjectStore,
  key: string,
  parts: readonly ByteRange[],
  heads: readonly Buffer[],
  end: Buffer,
): AsyncGenerator<Buffer> {
  for (const [index, part] of parts.entries()) {
    yield heads[index]!;
    yield* (await store.read(key, part)) as AsyncIterable<Buffer>;
  }
  yield end;
}

const isUnchanged = (request: FileRequest, facts: FileFacts, lastModified: Date): boolean => {
  if (request.ifNoneMatch !== undefined) return matchesTag(request.ifNoneMatch, facts.entityTag);
  const since = Date.parse(request.ifModifiedSince ?? '');
  return !Number.isNaN(since) && Math.floor(lastModified.getTime() / 1_000) * 1_000 <= since;
};

/** `If-Range`: a range is only worth something of the very file the client has the rest of. */
const rangeApplies = (ifRange: string | undefined, entityTag: string, lastModified: Date): boolean =>
  ifRange === undefined || ifRange.trim() === entityTag || ifRange.trim() === lastModified.toUTCString();

/** Answers a request for a file as RFC 9110 asks: conditions first, then ranges. */
export const answerFile = async (
  store: ObjectStore,
  file: ServedFile,
  facts: FileFacts,
  request: FileRequest,
): Promise<FileAnswer> => {
  const { lastModified } = file;
  const headers: Record<string, string> = {
    ETag: facts.entityTag,
    'Last-Modified': lastModified.toUTCString(),
    'Cache-Control': facts.cacheControl,
    'Accept-Ranges': 'bytes',
  };
  if (isUnchanged(request, facts, lastModified)) return { status: 304, headers, body: undefined };
  headers['Content-Type'] = facts.contentType;
  headers['Content-Disposition'] = facts.disposition;
  if (file.kind === 'building') {
    // Its length is not known yet: the whole file, as it is made.
    return { status: 200, headers, body: request.headOnly ? undefined : file.build.follow() };
  }
  const { key, size } = file;
  const range = rangeApplies(request.ifRange, facts.entityTag, lastModified)
    ? parseRange(request.range, size)
    : parseRange(undefined, size);
  switch (range.kind) {
    case 'whole':
      headers['Content-Length'] = String(size);
      return { status: 200, headers, body: request.headOnly ? undefined : await store.read(key) };
    case 'unsatisfiable':
      return { status: 416, headers: { 'Content-Range': `bytes */${size}` }, body: undefined };
    case 'parts':
      return answerParts(store, key, size, range.parts, headers, request.headOnly);
    default:
      return range satisfies never;
  }
};

const answerParts = async (
  store: ObjectStore,
  key: string,
  size: number,
  parts: readonly ByteRange[],
  headers: Record<string, string>,
  headOnly: boolean,
): Promise<FileAnswer> => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    headers['Content-Range'] = `bytes ${only.start}-${only.end}/${size}`;
    headers['Content-Length'] = String(only.end - only.start + 1);
    return { status: 206, headers, body: headOnly ? undefined : await store.read(key, only) };
  }
  const boundary = randomBytes(18).toString('hex');
  const frame = frameParts(parts, size, headers['Content-Type'] ?? '', boundary);
  headers['Content-Type'] = frame.contentType;
  headers['Content-Length'] = String(frame.length);
  const bytes = framedParts(store, key, parts, frame.heads, frame.end);
  return { status: 206, headers, body: headOnly ? undefined : Readable.from(bytes, { objectMode: false }) };
};
