/**
 * Errors of ClickHouse in one table: whether the same statement may succeed later, and the message for the caller. ClickHouse's own text is
 * only logged, since it contains SQL and values. Numbers: ClickHouse, src/Common/ErrorCodes.cpp.
 */
import { ClickHouseError } from '@clickhouse/client';
import { AppError, invalid, unavailable } from '../../lib/errors.js';

/** Message of the `throwIf` that checks that all segments exist. */
export const segmentsGone = 'segments_gone';

/** Message of the `throwIf` that checks a sum for overflow. */
export const sumOverflow = 'sum_overflow';

const narrow =
  'Narrow the request with $select, $filter, $top or $last; with $apply group by fewer or coarser columns.';

export const timeLimitReached = (cause: unknown): AppError =>
  new AppError('timeout', 'query_timeout', `The query exceeded its time limit. ${narrow}`, { cause });

export const storeUnavailable = (cause: unknown): AppError =>
  unavailable('store_unavailable', 'The data store is not responding at the moment.', {
    cause,
    retryAfterSeconds: 5,
  });

/** Error for a server that accepts connections but does not respond to a ping. */
export const serverSilent = (silenceMs: number): AppError =>
  storeUnavailable(
    Object.assign(new Error(`ClickHouse has given no sign of life for ${silenceMs} ms`), {
      code: 'ETIMEDOUT',
    }),
  );

const versionGone = (cause: unknown): AppError =>
  unavailable('version_gone', 'The version was replaced while it was read; try again.', {
    cause,
    retryAfterSeconds: 1,
  });

const tooBusy = (cause: unknown): AppError =>
  unavailable('store_busy', 'The data store cannot take another query right now.', {
    cause,
    retryAfterSeconds: 5,
  });

const unexpected = (cause: unknown): AppError =>
  new AppError('unexpected', 'query_failed', 'Internal error while running the query.', { cause });

const memoryError = (cause: Error): AppError => {
  const { message } = cause;
  if (!/query memory limit exceeded|\(for query\)/i.test(message)) return tooBusy(cause);
  const limit = /maximum: ([\d.]+ \w+)/.exec(message)?.[1];
  return invalid(
    'query_memory_limit',
    `The query needs more memory than one query may take${limit === undefined ? '' : ` (${limit})`}. ${narrow}`,
  );
};

const tooLarge = (): AppError =>
  invalid('query_size_limit', `The query would read more than a single query may. ${narrow}`);

const tooComplex = (cause: Error): AppError =>
  /max_query_size|too (deep|big)|recursion/i.test(cause.message)
    ? invalid('query_complexity_limit', 'The expressions of the query are too long or nested too deeply.')
    : unexpected(cause);

const overflow = (): AppError =>
  invalid('arithmetic_overflow', 'A calculation in the query exceeds the range of numbers (76 digits).');

const guardSpoke = (cause: Error): AppError => {
  if (cause.message.includes(sumOverflow)) return overflow();
  return cause.message.includes(segmentsGone) ? versionGone(cause) : unexpected(cause);
};

const fieldTooLong = (cause: Error): AppError =>
  cause.message.includes('HTML Form Exception')
    ? invalid('query_complexity_limit', 'A single value or the list of columns is too long for one query.')
    : unexpected(cause);

interface ExceptionRule {
  readonly name: string;
  /** True: the same statement may succeed later without any change. */
  readonly passes?: true;
  /** Error for a reader; absent: an internal fault. */
  readonly tell?: (cause: Error) => AppError;
}

const rules: Readonly<Record<number, ExceptionRule>> = {
  60: { name: 'UNKNOWN_TABLE', tell: versionGone },
  62: { name: 'SYNTAX_ERROR', tell: tooComplex },
  69: { name: 'ARGUMENT_OUT_OF_BOUND', tell: overflow },
  153: { name: 'ILLEGAL_DIVISION', tell: overflow },
  158: { name: 'TOO_MANY_ROWS', tell: tooLarge },
  159: { name: 'TIMEOUT_EXCEEDED', passes: true, tell: timeLimitReached },
  160: { name: 'TOO_SLOW', passes: true, tell: timeLimitReached },
  167: { name: 'TOO_DEEP_AST', tell: tooComplex },
  168: { name: 'TOO_BIG_AST', tell: tooComplex },
  202: { name: 'TOO_MANY_SIMULTANEOUS_QUERIES', passes: true, tell: tooBusy },
  198: { name: 'DNS_ERROR', passes: true, tell: storeUnavailable },
  209: { name: 'SOCKET_TIMEOUT', passes: true, tell: storeUnavailable },
  210: { name: 'NETWORK_ERROR', passes: true, tell: storeUnavailable },
  225: { name: 'NO_ZOOKEEPER', passes: true },
  236: { name: 'ABORTED', passes: true, tell: storeUnavailable },
  241: { name: 'MEMORY_LIMIT_EXCEEDED', passes: true, tell: memoryError },
  242: { name: 'TABLE_IS_READ_ONLY', passes: true },
  243: { name: 'NOT_ENOUGH_SPACE', passes: true },
  252: { name: 'TOO_MANY_PARTS', passes: true },
  279: { name: 'ALL_CONNECTION_TRIES_FAILED', passes: true, tell: storeUnavailable },
  306: { name: 'TOO_DEEP_RECURSION', tell: tooComplex },
  307: { name: 'TOO_MANY_BYTES', tell: tooLarge },
  319: { name: 'UNKNOWN_STATUS_OF_INSERT', passes: true },
  369: { name: 'ALL_REPLICAS_ARE_STALE', passes: true, tell: storeUnavailable },
  394: { name: 'QUERY_WAS_CANCELLED', passes: true, tell: storeUnavailable },
  395: { name: 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', tell: guardSpoke },
  396: { name: 'TOO_MANY_ROWS_OR_BYTES', tell: tooLarge },
  407: { name: 'DECIMAL_OVERFLOW', tell: overflow },
  999: { name: 'KEEPER_EXCEPTION', passes: true },
  1000: { name: 'POCO_EXCEPTION', tell: fieldTooLong },
};

const codeOf = (message: string, header?: string): number => {
  if (header !== undefined && /^\d+$/.test(header)) return Number(header);
  return Number(/^Code: (\d+)\./.exec(message)?.[1] ?? 0);
};

/** Texts that report that another server is gone, with any code. */
const peerGone =
  /while (receiving packet from|reading from socket|writing to socket)|Connection (refused|reset)/;

/** Maps the exception text and the code in the response's header to the error for the caller; `cause` keeps the text for the log. */
export const readError = (message: string, header?: string): AppError => {
  const cause = new Error(message);
  if (peerGone.test(message)) return storeUnavailable(cause);
  return (rules[codeOf(message, header)]?.tell ?? unexpected)(cause);
};

export const isClickHouseException = (error: unknown): error is ClickHouseError =>
  error instanceof ClickHouseError;

/** True if the statement named a table that does not exist (any more). */
export const isUnknownTable = (error: unknown): boolean =>
  isClickHouseException(error) && rules[Number(error.code)]?.name === 'UNKNOWN_TABLE';

/** Returns `otherwise` if the table of a statement does not exist: the first upload to it creates it. */
export const ifTableExists = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isUnknownTable(error)) throw error;
    return otherwise;
  }
};

/** UNKNOWN_IDENTIFIER, NO_SUCH_COLUMN_IN_TABLE, NOT_FOUND_COLUMN_IN_BLOCK. */
const columnCodes = new Set([47, 16, 10]);

/** True if the statement named a column that its table does not have. */
export const lacksColumn = (error: unknown): boolean =>
  isClickHouseException(error) && columnCodes.has(Number(error.code));

/**
 * True if a statement over all shards failed because one of them lacks a table or a column. ClickHouse returns 279 or 369 before it queries
 * a shard, and reports the reason in words; a shard that is down has the same codes.
 */
export const lacksTables = (code: number, message: string): boolean =>
  code === 60 ||
  code === 369 ||
  columnCodes.has(code) ||
  (code === 279 && message.includes('There is no table'));

/** Codes of stored data that cannot be read or is incomplete: damaged or missing files of a part. */
const damageCodes = new Set([27, 32, 33, 40, 74, 76, 107, 117, 226, 227, 246, 271, 432]);

/** True if stored rows cannot be read. */
export const isUnreadable = (error: unknown): boolean =>
  isClickHouseException(error) && damageCodes.has(Number(error.code)) && !peerGone.test(error.message);

/** Texts about exhausted resources of the operating system, with any code. */
const exhausted = /No space left on device|Disk quota exceeded|Too many open files/;

/** Error codes of broken connections, and of servers that are starting or stopping. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
]);

/** True if a server cannot be reached, or a connection to it broke. */
export const isUnreachable = (error: unknown): boolean => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code !== undefined && connectionCodes.has(code);
};

/** True if the same statement may succeed later without any change. */
export const isPassing = (error: unknown): boolean => {
  if (isClickHouseException(error))
    return (
      rules[Number(error.code)]?.passes === true ||
      exhausted.test(error.message) ||
      peerGone.test(error.message)
    );
  if (isUnreachable(error)) return true;
  return error instanceof Error && /socket hang up|timeout|aborted|premature/i.test(error.message);
};

/** Maps a failure of a statement: exceptions of ClickHouse are returned unchanged, all others become an outage. */
export const statementError = (error: unknown): unknown =>
  !isClickHouseException(error) && isPassing(error) ? storeUnavailable(error) : error;
