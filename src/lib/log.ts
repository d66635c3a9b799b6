import { type Logger, type LoggerOptions, pino } from 'pino';
import { boundedLine } from './log-line.js';

export type Log = Logger;

/** Fields that must never appear in the log, at any depth of an object. */
const redactedPaths = [
  'apiKey',
  'api_key',
  'authorization',
  'password',
  '*.apiKey',
  '*.api_key',
  '*.authorization',
  '*.password',
];

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly kind?: unknown;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Causes below this depth are omitted, since they may form a cycle. */
const maxCauseDepth = 5;

/**
 * Logged parts of an error: kind, code, message and stack, and those of its causes. Other fields are omitted: databases put rows and values
 * into fields such as `detail` and `where`.
 */
const loggedError = (error: unknown, depth = 0): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, kind, cause } = error as { code?: unknown; kind?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(cause === undefined || depth >= maxCauseDepth ? {} : { cause: loggedError(cause, depth + 1) }),
  };
};

/** Options that all logs of the product share. */
export const logOptions = (name: string, level: string): LoggerOptions => ({
  name,
  level,
  redact: { paths: redactedPaths, censor: '[redacted]' },
  hooks: { streamWrite: boundedLine },
  base: { name, pid: process.pid },
  serializers: {
    err: (error: unknown) => loggedError(error),
    cause: (cause: unknown) => (cause instanceof Error ? loggedError(cause) : cause),
  },
});

/** JSON lines on standard output: one event name (`msg`) plus fields. */
export const createLog = (name: string, level: string, destination: 1 | 2 = 1): Log =>
  pino(logOptions(name, level), pino.destination({ dest: destination, sync: true }));

/** Switches between the configured level and `debug`, or `info` if the configured level is `debug` or `trace`. */
export const switchDebug = (log: Log, configured: string): void => {
  const other = ['debug', 'trace'].includes(configured) ? 'info' : 'debug';
  const next = log.level === configured ? other : configured;
  // Logged at the more verbose of the two levels.
  if (!log.isLevelEnabled('info')) log.level = next;
  log.info({ to: next }, 'log level changed');
  log.level = next;
};

/** A log without output, for tests. */
export const silentLog: Log = pino({ level: 'silent' });
