/** `$batch`: the parts are answered one by one, each with the rights, quotas and refusals of a separate request. */
import { randomUUID } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { AppError, invalid } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import { type BatchPart, type PartAnswer, readBatch } from '../../odata/batch.js';
import { type Resource, resourceOf } from '../../odata/options.js';
import { answerOfError, logError, odataError } from '../error-answer.js';
import type { Reply, RouteRequest } from '../route.js';
import { HttpFault } from '../status.js';
import { checkQueryEncoding, checkQuerySize, parseQuery } from '../validation.js';
import type { AnswerOData } from './odata-answers.js';
import { headersOf, type ODataRequest, type ODataService, type RowQuery, rowQuery } from './odata-schema.js';
import { unknownPath } from './odata-services.js';

/** Bytes of all answers of a batch together. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** Milliseconds after which no other part is started. */
const maxDurationMs = 60_000;

type BatchRequest = RouteRequest<{ id: number }, unknown, Buffer, Caller | undefined, unknown>;

interface BatchDeps {
  readonly answer: AnswerOData;
  readonly now: () => number;
}

/**
 * Path relative to the root, and query, of the address of a part. The address is absolute, starts with a slash, or is relative to the root.
 */
const addressOf = (url: string, root: string): { path: string; query: string } => {
  const [, address = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(url) ?? [];
  // The root may be a path only.
  const rootPath = new URL(root, 'http://host').pathname;
  const path = address.replace(/^https?:\/\/[^/]*/i, '');
  if (path === address && !path.startsWith('/')) return { path, query };
  if (path !== rootPath && !path.startsWith(`${rootPath}/`))
    throw invalid('bad_batch', '$batch: a part may only ask the service that the batch is sent to.');
  return { path: path.slice(rootPath.length + 1), query };
};

const segmentsOf = (path: string): string[] => {
  try {
    return path.replace(/\/$/, '').split('/').map(decodeURIComponent);
  } catch {
    throw invalid('invalid_request', 'path: not UTF-8 in percent-encoding');
  }
};

const resourceOfPart = (path: string): Resource => {
  const segments = segmentsOf(path);
  const resource = segments.includes('$batch') ? undefined : resourceOf(segments);
  if (resource === undefined) throw unknownPath(path);
  return resource;
};

/** @throws AppError for a part with other credentials than the batch, since they would be ignored. */
const requireSameCredentials = (
  { headers }: BatchPart,
  query: URLSearchParams,
  request: BatchRequest,
): void => {
  const { authorization } = headers;
  if (
    query.has('apiKey') ||
    (authorization !== undefined && authorization !== request.header('authorization'))
  )
    throw invalid('bad_batch', '$batch: the parts have the credentials of the batch; send none with a part.');
};

const tooLarge = () =>
  new AppError(
    'too_large',
    'batch_too_large',
    `The answers of a batch have at most ${maxAnswerBytes} bytes; ask for this part by itself, or for smaller pages.`,
  );

/** Bytes of an answer, counted as for a separate request. */
const bytesOf = async (
  { body = null, meter }: Reply,
  { room, kept, signal }: { room: number } & Pick<BatchRequest, 'kept' | 'signal'>,
): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isWhole = false;
  const take = async (piece: Buffer): Promise<void> => {
    bytes += piece.length;
    if (bytes > room) throw tooLarge();
    kept.add(piece.length);
    await meter?.add(piece.length);
    pieces.push(piece);
  };
  try {
    if (body instanceof Readable) {
      for await (const piece of addAbortSignal(signal, body) as AsyncIterable<Buffer>) await take(piece);
    } else if (body !== null) {
      await take(
        Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      );
    }
    isWhole = true;
  } finally {
    meter?.end(isWhole ? 0 : bytes);
  }
  return Buffer.concat(pieces);
};

/** Headers of an answer that are kept for its part. */
const partHeaders: ReadonlySet<string> = new Set(['Content-Type', 'Preference-Applied', 'Retry-After']);

const shownHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => partHeaders.has(name))),
  'OData-Version': '4.0',
});

export const createBatch = ({ answer, now }: BatchDeps) => {
  const askedOf = (part: BatchPart, query: string, request: BatchRequest): ODataRequest => {
    const given = new URLSearchParams(query);
    requireSameCredentials(part, given, request);
    checkQuerySize(query);
    checkQueryEncoding(query);
    const { caller, log, owner, requestId, signal } = request;
    return {
      caller,
      log,
      owner,
      requestId,
      signal,
      releasePermit: request.releasePermit,
      method: 'GET',
      query: parseQuery(rowQuery, given) as RowQuery,
      url: `?${query}`,
      // The batch is compressed as a whole, so no part is.
      header: (name) => (name === 'accept-encoding' ? undefined : part.headers[name]),
    };
  };

  const read = async (
    part: BatchPart,
    request: BatchRequest,
    { open, deadline }: { open: () => Promise<ODataService>; deadline: number },
  ): Promise<Reply> => {
    if (part.method !== 'GET')
      throw new HttpFault(405, 'wrong_method', 'a part of a batch only reads: its method is GET');
    if (now() > deadline)
      throw new AppError('timeout', 'query_timeout', 'The batch took too long; send this part by itself.');
    const service = await open();
    const { path, query } = addressOf(part.url, service.root);
    return answer(askedOf(part, query, request), service, resourceOfPart(path));
  };

  const failed = (error: unknown, id: string | undefined, request: BatchRequest): PartAnswer => {
    if (request.signal.aborted) throw error;
    const failure = answerOfError(error, { requestId: request.requestId, quote: (message) => message });
    logError(request.log, error, failure);
    const body = Buffer.from(JSON.stringify(odataError(failure)));
    return {
      id,
      status: failure.status,
      headers: shownHeaders({ ...failure.headers, 'Content-Type': 'application/json' }),
      body,
    };
  };

  /** @param open Checks the rights of the caller again for each part. */
  return async (request: BatchRequest, open: () => Promise<ODataService>): Promise<Reply> => {
    const contentType = request.header('content-type') ?? '';
    const form = readBatch(request.body.toString('utf8'), contentType, randomUUID);
    if (form === undefined)
      throw new AppError(
        'unsupported_media',
        'not_a_batch',
        'a batch is sent as Content-Type application/json, or multipart/mixed with a boundary',
      );
    const continuesOnError = /continue-on-error(?!\s*=\s*"?false)/i.test(request.header('prefer') ?? '');
    const deadline = now() + maxDurationMs;
    const answers: PartAnswer[] = [];
    let room = maxAnswerBytes;
    for (const part of form.parts) {
      const { id } = part;
      try {
        const reply = await read(part, request, { open, deadline });
        const body = await bytesOf(reply, { room, kept: request.kept, signal: request.signal });
        room -= body.length;
        answers.push({ id, status: reply.status, headers: shownHeaders(reply.headers ?? {}), body });
      } catch (error) {
        answers.push(failed(error, id, request));
        // According to OData, the parts after the first error are skipped unless the client sets continue-on-error.
        if (!continuesOnError) break;
      }
    }
    return { status: 200, headers: headersOf(form.contentType), body: form.write(answers) };
  };
};
