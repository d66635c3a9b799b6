/**
 * The only error that crosses room borders. Services throw it; only `http/middleware/errors.ts` maps kinds to statuses. The message of an
 * AppError is for the caller: it never contains a secret, an address of an upstream, or a row.
 */
export type ErrorKind =
  | 'invalid' // 400 the caller's input is wrong
  | 'unauthenticated' // 401 no valid credentials
  | 'quota' // 402 needs a higher plan
  | 'forbidden' // 403 valid credentials without permission
  | 'not_found' // 404
  | 'conflict' // 409
  | 'precondition' // 412
  | 'too_large' // 413
  | 'unsupported_media' // 415
  | 'unprocessable' // 422 what was sent can be read, and cannot be taken as it is
  | 'rate_limited' // 429
  | 'unexpected' // 500 a fault of ours
  | 'not_implemented' // 501
  | 'upstream' // 502
  | 'unavailable' // 503
  | 'timeout'; // 504

interface AppErrorOptions {
  /** Machine-readable details of the error, sent to the caller with the message. */
  details?: Record<string, unknown>;
  /** The underlying error; logged, never sent. */
  cause?: unknown;
  /** Seconds after which a retry may succeed; sent as `Retry-After`. */
  retryAfterSeconds?: number;
}

export class AppError extends Error {
  readonly kind: ErrorKind;
  /** Stable identifier such as `unknown_column`; clients may branch on it. */
  readonly code: string;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export const invalid = (code: string, message: string, details?: Record<string, unknown>): AppError =>
  new AppError('invalid', code, message, details === undefined ? {} : { details });

export const notFound = (code: string, message: string): AppError => new AppError('not_found', code, message);

export const forbidden = (code: string, message: string): AppError =>
  new AppError('forbidden', code, message);

export const conflict = (code: string, message: string, details?: Record<string, unknown>): AppError =>
  new AppError('conflict', code, message, details === undefined ? {} : { details });

export const unavailable = (code: string, message: string, options?: AppErrorOptions): AppError =>
  new AppError('unavailable', code, message, options);

/** Error for a setting that is missing or invalid. */
export const badConfiguration = (message: string): AppError =>
  new AppError('invalid', 'bad_configuration', message);

export const isAppError = (error: unknown): error is AppError => error instanceof AppError;

/** Message of a thrown value. Node's error for a name with several addresses has none itself, but one for each address. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error.message;
};
