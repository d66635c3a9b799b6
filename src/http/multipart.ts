import { isUtf8 } from 'node:buffer';
import { type EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { type DataTimer, startDataTimer } from '../lib/data-timer.js';
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
/** Maximum bytes of every other field. */
const shortFieldBytes = 512 * 1024;
const maxFields = 64;

const limits = { parts: 128, headerPairs: 100, headerSize: 8 * 1024 };

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

const hasFile = (contentType: string, fileName: string | undefined): boolean =>
  fileName !== undefined || contentType === 'application/octet-stream';

const openParser = (request: IncomingMessage): BusboyInstance => {
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
      // Fields are read as bytes too: Busboy would replace what is not UTF-8.
      isPartAFile: () => true,
      highWaterMark: waitingBytes,
      fileHwm: waitingBytes,
    });
  } catch (error) {
    throw new AppError('invalid', 'bad_form', 'The Content-Type header names no usable boundary.', {
      cause: error,
    });
  }
};

/**
 * Emits `part` for each part of the body. Busboy drops a part without an event if its header is incomplete, too long or not `form-data`, and has
 * no public way to see that: its version is fixed in package.json.
 */
const partsOf = (parser: BusboyInstance): EventEmitter =>
  (parser as unknown as { readonly _parser: { readonly parser: EventEmitter } })._parser.parser;

interface FormReading {
  /** Name of the file part. */
  readonly part: string;
  /** Name of the only field that may be long. */
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
 * @throws AppError kind `invalid` (no such part, duplicate part, part without a readable header, field after the file, malformed form, fields
 *   too large), `unsupported_media`, and the errors of `kept` and `stop`
 */
export const readFileForm = (
  request: IncomingMessage,
  { part, longField, requireField, idleMs, kept, stop }: FormReading,
): Promise<FileForm> => {
  const parser = openParser(request);
  const fields: FormField[] = [];
  let file: Readable | undefined;

  return new Promise<FileForm>((resolve, reject) => {
    let endRest: ((wrong: AppError | undefined) => void) | undefined;
    let patience: DataTimer | undefined;
    let before = 0;
    let received = 0;

    const settle = (): void => {
      patience?.stop();
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
    const tooMany = (): AppError => invalid('too_many_parts', 'The form has too many parts.');
    const onStop = (): void => fail(stop.reason);
    const onClose = (): void => {
      if (!request.complete) fail(connectionCut());
    };
    const expectMore = (): void => {
      if (parser.closed || parser.destroyed) return;
      const onLate = (): void => refuse('upload_idle', `No data arrived for ${idleMs} ms.`);
      patience = startDataTimer(idleMs, onLate, () => received);
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
    const gathered: Promise<void>[] = [];
    const gather = (name: string, stream: Readable): void => {
      const maxBytes = name === longField ? fieldBytes : shortFieldBytes;
      const pieces: Buffer[] = [];
      let bytes = 0;
      stream.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxBytes)
          refuse('field_too_long', `The field "${name}" is longer than ${maxBytes} bytes.`);
        else pieces.push(piece);
      });
      const index = gathered.length;
      const end = once(stream, 'end').then(() => {
        fields[index] = { name, value: textOf(name, pieces) };
      });
      gathered.push(end.catch(fail));
    };
    const takeFile = async (stream: Readable): Promise<void> => {
      file = stream;
      patience?.stop();
      stream.once('end', expectMore);
      const rest = new Promise<AppError | undefined>((done) => {
        endRest = done;
      });
      await Promise.all(gathered);
      resolve({ fields, file: readPart(stream), rest, received: () => received });
    };
    const takeField = (name: string, stream: Readable): void => {
      try {
        if (gathered.length === maxFields) throw tooMany();
        requireField(name);
        gather(name, stream);
      } catch (error) {
        fail(error);
      }
    };
    /** Parts of the body, and those of them that were read. */
    let parts = 0;
    let readable = 0;
    const unreadable = (): AppError =>
      invalid(
        'bad_form',
        'The form has a part without a readable header: it needs `Content-Disposition: form-data` with a name, and the boundary may occur nowhere else.',
      );

    partsOf(parser).on('part', () => {
      parts += 1;
    });
    parser.on('error', fail);
    parser.on('file', (name: string | undefined, stream, fileName: string | undefined, encoding, type) => {
      // The reader of the file and of `rest` gets the failure; an ended stream has no reader any more.
      stream.on('error', fail);
      readable += 1;
      if (readable !== parts) return fail(unreadable());
      if (!isPlain(encoding)) return;
      // It is the file with or without a file name (`curl -F 'data=<file.csv'`).
      if (name === part && file === undefined) return void takeFile(stream);
      if (name === part) return refuse('part_twice', `The form has more than one part named "${part}".`);
      if (hasFile(type, fileName))
        return refuse(
          'unknown_part',
          `The form has a file part "${name ?? ''}"; the file must be in the part named "${part}".`,
        );
      if (name === undefined) refuse('bad_form', 'The form has a part without a name.');
      else if (file === undefined) takeField(name, stream);
      else
        refuse('field_after_file', `The field "${name}" comes after the file; options must come before it.`);
    });
    parser.on('partsLimit', () => fail(tooMany()));
    parser.once('finish', () => {
      settle();
      const wrong = readable === parts ? undefined : unreadable();
      if (file === undefined)
        reject(wrong ?? invalid('no_file', `The form has no file part named "${part}".`));
      else endRest?.(wrong);
    });
    request.once('close', onClose);
    stop.addEventListener('abort', onStop, { once: true });
    expectMore();
    const unfeed = feed(request, parser, count);
    if (stop.aborted) onStop();
  });
};
