import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError, invalid, isAppError } from '../lib/errors.js';
import type { ByteShare } from './byte-budget.js';

/** A multipart form with fields first and one file part, read as a stream (RFC 7578). */
export interface FileForm {
  /** Fields in the order of the body; a name may occur twice. */
  readonly fields: readonly FormField[];
  /** Bytes of the file part. Throws an AppError if the form ends in the middle of it. */
  readonly file: AsyncIterable<Buffer>;
  /**
   * Resolves after `file` was read: with undefined if the form ended with its closing boundary and had nothing after the file, otherwise
   * with an error. Never rejects.
   */
  readonly rest: Promise<AppError | undefined>;
  /** Bytes of the body so far, boundaries and fields included. */
  readonly received: () => number;
}

interface FormField {
  readonly name: string;
  readonly value: string;
}

/** Maximum bytes of all fields together, and of the one that may be long. */
const fieldBytes = 8 * 1024 * 1024;
/** Maximum bytes of every other field: the parser scans each without a break. */
const shortFieldBytes = 512 * 1024;

const limits = { fields: 64, fieldSize: shortFieldBytes, parts: 128, headerPairs: 100, headerSize: 8 * 1024 };

/** Bytes buffered between the parser and the reader of the file. */
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
    { cause: error },
  );
};

async function* readPart(part: Readable): AsyncGenerator<Buffer> {
  try {
    yield* part as AsyncIterable<Buffer>;
  } catch (error) {
    throw brokenForm(error);
  }
}

/** Encodings of a part that need no decoding (RFC 7578, 4.7 deprecates the others). */
const plainEncodings: readonly string[] = ['7bit', '8bit', 'binary'];

/** Distinguishes files from fields. Called for each part before its bytes are read. */
type IsFile = (
  name: string | undefined,
  contentType: string | undefined,
  fileName: string | undefined,
) => boolean;

const hasFile: IsFile = (_name, contentType, fileName) =>
  fileName !== undefined || contentType === 'application/octet-stream';

const openParser = (request: IncomingMessage, isPartAFile: IsFile): BusboyInstance => {
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
      isPartAFile,
      highWaterMark: waitingBytes,
      fileHwm: waitingBytes,
    });
  } catch (error) {
    throw new AppError('invalid', 'bad_form', 'The Content-Type header names no usable boundary.', {
      cause: error,
    });
  }
};

interface FormReading {
  /** Name of the file part. */
  readonly part: string;
  /** Name of the only field that may be long; its text is UTF-8. */
  readonly longField: string;
  /** Called for each field before it is read. @throws AppError for an unknown field. */
  readonly requireField: (name: string) => void;
  /**
   * Longest time for the fields before the file, and for those after it, in milliseconds. The reader of the file limits the time in
   * between.
   */
  readonly idleMs: number;
  /** Counts the bytes before the file. */
  readonly kept: ByteShare;
  /** Stops the reading, with its reason. */
  readonly stop: AbortSignal;
}

/** Writes the body to the parser, with back-pressure. */
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

/** @throws AppError 400 for bytes that are not UTF-8. */
const textOf = (name: string, pieces: readonly Buffer[]): string => {
  const bytes = Buffer.concat(pieces);
  if (!isUtf8(bytes)) throw invalid('invalid_encoding', `The field "${name}" is not valid UTF-8.`);
  return bytes.toString();
};

const connectionCut = (): Error => Object.assign(new Error('the client hung up'), { code: 'ECONNRESET' });

/**
 * Reads a form up to the beginning of its file part.
 * @throws AppError kind `invalid` (no such part, duplicate part, field after the file, malformed form, fields too large),
 *   `unsupported_media`, and the errors of `kept` and `stop`
 */
export const readFileForm = (
  request: IncomingMessage,
  { part, longField, requireField, idleMs, kept, stop }: FormReading,
): Promise<FileForm> => {
  let onField: (name: string) => void = () => undefined;
  const parser = openParser(request, (name, contentType, fileName) => {
    // It is a file with or without a file name (`curl -F 'data=<file.csv'`).
    if (name === part || hasFile(name, contentType, fileName)) return true;
    if (name !== undefined) onField(name);
    return name === longField;
  });
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
    const isPlain = (encoding: string): boolean => {
      const plain = plainEncodings.includes(encoding.toLowerCase());
      if (!plain)
        refuse(
          'encoded_part',
          `Content-Transfer-Encoding ${encoding} is not supported; send the bytes themselves.`,
        );
      return plain;
    };
    const tooLong = (name: string, bytes: number): void =>
      refuse('field_too_long', `The field "${name}" is longer than ${bytes} bytes.`);
    const afterFile = (name: string): void =>
      refuse('field_after_file', `The field "${name}" comes after the file; options must come before it.`);
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
    /** Collected here, since the parser would scan a long field without a break. */
    let gathered: Promise<void> | undefined;
    const gather = (name: string, stream: Readable): void => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      stream.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > fieldBytes) tooLong(name, fieldBytes);
        else pieces.push(piece);
      });
      gathered = new Promise((done) => {
        stream.once('end', () => {
          try {
            fields.push({ name, value: textOf(name, pieces) });
          } catch (error) {
            fail(error);
          }
          done();
        });
      });
    };
    const takeFile = async (stream: Readable): Promise<void> => {
      file = stream;
      clearTimeout(patience);
      stream.once('end', expectMore);
      const rest = new Promise<AppError | undefined>((done) => {
        endRest = done;
      });
      await gathered;
      resolve({ fields, file: readPart(stream), rest, received: () => received });
    };
    onField = (name) => {
      try {
        if (file !== undefined) afterFile(name);
        else requireField(name);
      } catch (error) {
        fail(error);
      }
    };

    parser.on('error', fail);
    parser.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated, encoding) => {
      if (!isPlain(encoding)) return;
      if (name === undefined) refuse('bad_form', 'The form has a part without a name.');
      else if (valueTruncated) tooLong(name, limits.fieldSize);
      else fields.push({ name, value });
    });
    parser.on('file', (name: string | undefined, stream, fileName: string | undefined, encoding, type) => {
      // The reader of the file and of `rest` gets the failure; an ended stream has no reader any more.
      stream.on('error', fail);
      if (!isPlain(encoding)) return void stream.resume();
      if (name === part && file === undefined) return void takeFile(stream);
      if (name === longField && !hasFile(name, type, fileName)) return gather(name, stream);
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
