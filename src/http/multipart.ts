import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { ByteShare } from '../lib/byte-budget.js';
import { AppError, invalid, isAppError } from '../lib/errors.js';

/** A multipart form with fields first and one file part, read as a stream (RFC 7578). */
export interface FileForm {
  /** Fields in the order in which they came; a name may come twice. */
  readonly fields: readonly FormField[];
  /** Bytes of the file part. Throws an AppError when the form breaks off in the middle of it. */
  readonly file: AsyncIterable<Buffer>;
  /**
   * Resolves after `file` was read: with undefined when the form ended with its closing boundary and nothing but
   * the file followed, else with what is wrong. Never rejects.
   */
  readonly rest: Promise<AppError | undefined>;
  /** Bytes of the body so far, boundaries and fields included. */
  readonly received: () => number;
}

export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** Bytes of a manifest of many columns; of all fields together too. */
const fieldBytes = 8 * 1024 * 1024;

const limits = { fields: 64, fieldSize: fieldBytes, parts: 128, headerPairs: 100, headerSize: 8 * 1024 };

/** Bytes that wait between the parser and whoever reads the file. */
const waitingBytes = 256 * 1024;

const brokenForm = (error: unknown): AppError => {
  if (isAppError(error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET') {
    return new AppError('invalid', 'upload_cut', 'The connection was closed before the file was complete.', {
      cause: error,
    });
  }
  return new AppError(
    'invalid',
    'bad_form',
    'The multipart form is malformed or ends before its closing boundary.',
    {
      cause: error,
    },
  );
};

async function* readPart(part: Readable): AsyncGenerator<Buffer> {
  try {
    yield* part as AsyncIterable<Buffer>;
  } catch (error) {
    throw brokenForm(error);
  }
}

/** The part `filePart` is a file whether or not the client gives it a file name (`curl -F 'data=<file.csv'`). */
const openParser = (request: IncomingMessage, filePart: string): BusboyInstance => {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new AppError(
      'unsupported_media',
      'not_multipart',
      'The body must be multipart/form-data with the file in the part named "data".',
    );
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits,
      isPartAFile: (name, contentType, fileName) =>
        name === filePart || fileName !== undefined || contentType === 'application/octet-stream',
      highWaterMark: waitingBytes,
      fileHwm: waitingBytes,
    });
  } catch (error) {
    throw new AppError('invalid', 'bad_form', 'The Content-Type header names no usable boundary.', {
      cause: error,
    });
  }
};

export interface FormReading {
  /** Name of the file part. */
  readonly part: string;
  /**
   * Longest that what stands before the file may take, and what stands behind it, milliseconds; whoever reads the file
   * looks after the time in between.
   */
  readonly idleMs: number;
  /** Counts what stands before the file. */
  readonly kept: ByteShare;
  /** Breaks the reading off, with its reason. */
  readonly stop: AbortSignal;
}

/** Hands the pieces of a body to the parser, no faster than it takes them. */
const feed = (request: IncomingMessage, parser: BusboyInstance, onPiece: (bytes: number) => void) => {
  const onData = (piece: Buffer): void => {
    onPiece(piece.length);
    if (!parser.destroyed && !parser.write(piece)) request.pause();
  };
  const resume = (): void => {
    request.resume();
  };
  const end = (): void => {
    parser.end();
  };
  request.on('data', onData).once('end', end);
  parser.on('drain', resume);
  return (): void => {
    request.off('data', onData).off('end', end).pause();
    parser.off('drain', resume);
  };
};

const connectionCut = (): Error => Object.assign(new Error('the client hung up'), { code: 'ECONNRESET' });

/**
 * Reads a form up to the beginning of its file part.
 * @throws AppError kind `invalid` (no such part, part twice, field after the file, malformed form, too large fields),
 *   `unsupported_media`, what `kept` and `stop` throw
 */
export const readFileForm = (
  request: IncomingMessage,
  { part, idleMs, kept, stop }: FormReading,
): Promise<FileForm> => {
  const parser = openParser(request, part);
  const fields: FormField[] = [];
  let file: Readable | undefined;

  return new Promise<FileForm>((resolve, reject) => {
    let endRest: ((wrong: AppError | undefined) => void) | undefined;
    let patience: NodeJS.Timeout | undefined;
    let before = 0;
    let received = 0;

    const settle = (): void => {
      clearTimeout(patience);
      stop.removeEventListener('abort', onStop);
      request.off('close', onClose);
      unfeed();
    };
    const fail = (error: unknown): void => {
      settle();
      const reason = brokenForm(error);
      reject(reason);
      endRest?.(reason);
      file?.destroy(reason);
      parser.destroy();
    };
    const refuse = (code: string, message: string): void => fail(invalid(code, message));
    const onStop = (): void => fail(stop.reason);
    const onClose = (): void => {
      if (!request.complete) fail(connectionCut());
    };
    const expectMore = (): void => {
      if (parser.closed || parser.destroyed) return;
      patience = setTimeout(() => refuse('upload_idle', `No data arrived for ${idleMs} ms.`), idleMs);
    };
    const count = (bytes: number): void => {
      received += bytes;
      if (file !== undefined) return;
      before += bytes;
      try {
        kept.add(bytes);
      } catch (error) {
        fail(error);
      }
      if (before > fieldBytes + waitingBytes)
        refuse('fields_too_large', `The form fields exceed ${fieldBytes} bytes in total.`);
    };
    const takeFile = (stream: Readable): void => {
      file = stream;
      clearTimeout(patience);
      stream.once('end', expectMore);
      const rest = new Promise<AppError | undefined>((done) => {
        endRest = done;
      });
      resolve({ fields, file: readPart(stream), rest, received: () => received });
    };

    parser.on('error', fail);
    parser.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated) => {
      if (file !== undefined) {
        refuse('field_after_file', `The field "${name}" comes after the file; options must come before it.`);
      } else if (name === undefined) {
        refuse('bad_form', 'The form has a part without a name.');
      } else if (valueTruncated) {
        refuse('field_too_long', `The field "${name}" is longer than ${limits.fieldSize} bytes.`);
      } else fields.push({ name, value });
    });
    parser.on('file', (name: string | undefined, stream) => {
      // Whoever reads the file or awaits `rest` meets the failure; an ended stream has no reader left.
      stream.on('error', fail);
      if (name === part && file === undefined) return takeFile(stream);
      stream.resume();
      if (name === part) refuse('part_twice', `The form has more than one part named "${part}".`);
      else
        refuse(
          'unknown_part',
          `The form has a file part "${name ?? ''}"; the file must be in the part named "${part}".`,
        );
    });
    for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const) {
      parser.on(limit, () => refuse('too_many_parts', 'The form has too many parts.'));
    }
    parser.once('finish', () => {
      settle();
      if (file === undefined) reject(invalid('no_file', `The form has no file part named "${part}".`));
      else endRest?.(undefined);
    });
    request.once('close', onClose);
    stop.addEventListener('abort', onStop, { once: true });
    expectMore();
    const unfeed = feed(request, parser, count);
    if (stop.aborted) onStop();
  });
};
