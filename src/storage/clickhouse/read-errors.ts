import { AppError, invalid } from '../../lib/errors.js';

/**
 * What a reader is told of an exception of ClickHouse. Its own text stays in the log: it holds SQL and values.
 * Numbers: ClickHouse, src/Common/ErrorCodes.cpp.
 */
const codeOf = (message: string, header?: string): number => {
  if (header !== undefined && /^\d+$/.test(header)) return Number(header);
  return Number(/^Code: (\d+)\./.exec(message)?.[1] ?? 0);
};

/** Put into a `throwIf` of a query whose segments must all be there. */
export const segmentsGone = 'segments_gone';

const narrow = 'Narrow the request with $select, $filter, $top or $last.';

export const timeLimitReached = (cause: unknown): AppError =>
  new AppError('timeout', 'query_timeout', `The query took longer than it may. ${narrow}`, { cause });

export const storeUnavailable = (cause: unknown): AppError =>
  new AppError('unavailable', 'store_unavailable', 'The data store does not answer at the moment.', {
    cause,
    retryAfterSeconds: 5,
  });

const versionGone = (cause: unknown): AppError =>
  new AppError('unavailable', 'version_gone', 'The version was replaced while it was read; ask again.', {
    cause,
    retryAfterSeconds: 1,
  });

const tooBusy = (cause: unknown): AppError =>
  new AppError('unavailable', 'store_busy', 'The data store has no room for another query now.', {
    cause,
    retryAfterSeconds: 5,
  });

const memoryError = (message: string, cause: unknown): AppError => {
  const own = /query memory limit exceeded|\(for query\)/i.test(message);
  if (!own) return tooBusy(cause);
  const limit = /maximum: ([\d.]+ \w+)/.exec(message)?.[1];
  return invalid(
    'query_memory_limit',
    `The query needs more memory than one query may take${limit === undefined ? '' : ` (${limit})`}. ${narrow}`,
  );
};

/** Exception text -> error for the caller; `cause` keeps the text for the log. */
export const readError = (message: string, header?: string): AppError => {
  const cause = new Error(message);
  switch (codeOf(message, header)) {
    case 159: // TIMEOUT_EXCEEDED
    case 160: // TOO_SLOW
      return timeLimitReached(cause);
    case 241: // MEMORY_LIMIT_EXCEEDED
      return memoryError(message, cause);
    case 202: // TOO_MANY_SIMULTANEOUS_QUERIES
      return tooBusy(cause);
    case 60: // UNKNOWN_TABLE: the store was dropped between look-up and query
      return versionGone(cause);
    case 395: // FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
      return message.includes(segmentsGone) ? versionGone(cause) : unexpected(cause);
    case 158: // TOO_MANY_ROWS
    case 307: // TOO_MANY_BYTES
    case 396: // TOO_MANY_ROWS_OR_BYTES
      return invalid('query_size_limit', `The query would read more than one query may. ${narrow}`);
    case 62: // SYNTAX_ERROR, also raised when max_query_size cuts the text
    case 167: // TOO_DEEP_AST
    case 168: // TOO_BIG_AST
    case 306: // TOO_DEEP_RECURSION
      return /max_query_size|too (deep|big)|recursion/i.test(message)
        ? invalid('query_complexity_limit', 'The expressions of the query are too long or nested too deeply.')
        : unexpected(cause);
    case 69: // ARGUMENT_OUT_OF_BOUND
    case 153: // ILLEGAL_DIVISION
    case 407: // DECIMAL_OVERFLOW
      return invalid(
        'arithmetic_overflow',
        'A calculation of the query leaves the range of numbers (76 digits).',
      );
    case 394: // QUERY_WAS_CANCELLED
    case 236: // ABORTED: the server shuts down
    case 210: // NETWORK_ERROR
    case 209: // SOCKET_TIMEOUT
      return storeUnavailable(cause);
    case 1000: // POCO_EXCEPTION, raised for a field that is longer than the server takes
      return message.includes('HTML Form Exception')
        ? invalid(
            'query_complexity_limit',
            'A single value or the list of columns is too long for one query.',
          )
        : unexpected(cause);
    default:
      return unexpected(cause);
  }
};

const unexpected = (cause: unknown): AppError =>
  new AppError('unexpected', 'query_failed', 'The query failed for a reason that is not yours.', { cause });
