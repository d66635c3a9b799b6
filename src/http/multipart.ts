import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
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
}

export interface FormField {
  readonly name: string;
  readonly value: string;
}

const limits = { fields: 64, fieldSize: 4 * 1024 * 1024, parts: 128, headerPairs: 100, headerSize: 8 * 1024 };

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
    });
  } catch (error) {
    throw new AppError('invalid', 'bad_form', 'The Content-Type header names no usable boundary.', {
      cause: error,
    });
  }
};

/**
 * Reads a form up to the beginning of its file part.
 * @param part name of the file part
 * @param idleMs longest that what stands before the file may take, and what stands behind it; whoever reads the
 *   file looks after the time in between
 * @throws AppError kind `invalid` (no such part, part twice, field after the file, malformed form) or
 *   `unsupported_media`
 */
export const readFileForm = (request: IncomingMessage, part: string, idleMs: number): Promise<FileForm> => {
  const parser = openParser(request, part);
  const fields: FormField[] = [];
  let file: Readable | undefined;

  return new Promise<FileForm>((resolve, reject) => {
    let endRest: ((wrong: AppError | undefined) => void) | undefined;
    let patience: NodeJS.Timeout | undefined;
    const fail = (error: unknown): void => {
      clearTimeout(patience);
      const reason = brokenForm(error);
      reject(reason);
      endRest?.(reason);
      file?.destroy(reason);
    };
    const refuse = (code: string, message: string): void => {
      fail(invalid(code, message));
      request.unpipe(parser);
      parser.destroy();
    };
    const expectMore = (): void => {
      if (parser.closed || parser.destroyed) return;
      patience = setTimeout(() => refuse('upload_idle', `The form did not go on for ${idleMs} ms.`), idleMs);
    };

    expectMore();
    parser.on('error', fail);
    parser.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated) => {
      if (file !== undefined) {
        refuse(
          'field_after_file',
          `The field "${name}" stands after the file; options must stand before it.`,
        );
      } else if (name === undefined) {
        refuse('bad_form', 'The form has a part without a name.');
      } else if (valueTruncated) {
        refuse('field_too_long', `The field "${name}" is longer than ${limits.fieldSize} bytes.`);
      } else fields.push({ name, value });
    });
    parser.on('file', (name: string | undefined, stream) => {
      // Whoever reads the file or awaits `rest` meets the failure; an ended stream has no reader left.
      stream.on('error', fail);
      if (name !== part) {
        stream.resume();
        refuse(
          'unknown_part',
          `The form has a file part "${name ?? ''}"; the file must be in the part named "${part}".`,
        );
      } else if (file !== undefined) {
        stream.resume();
        refuse('part_twice', `The form has more than one part named "${part}".`);
      } else {
        file = stream;
        clearTimeout(patience);
        stream.once('end', expectMore);
        const rest = new Promise<AppError | undefined>((done) => {
          endRest = done;
        });
        resolve({ fields, file: readPart(stream), rest });
      }
    });
    for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const) {
      parser.on(limit, () => refuse('too_many_parts', 'The form has too many parts.'));
    }
    pipeline(request, parser, (error) => {
      clearTimeout(patience);
      if (error) fail(error);
      else if (file === undefined) fail(invalid('no_file', `The form has no file part named "${part}".`));
      else endRest?.(undefined);
    });
  });
};
