import { type Logger, type LoggerOptions, pino } from 'pino';
import { boundedLine } from './log-line.js';

export type Log = Logger;

/** Fields that must never reach a log line, wherever they are in an object. */
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

/** Causes below this are left out; they may go round in a circle. */
const mostCauses = 5;

/**
 * Logged of an error: its kind, code, message and stack, and those of its causes. Nothing else that it carries:
 * databases put rows and values into fields such as `detail` and `where`.
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
    ...(cause === undefined || depth >= mostCauses ? {} : { cause: loggedError(cause, depth + 1) }),
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

/** Changes between the level of the settings and `debug`; where that is `debug` or `trace` already, `info`. */
export const switchDebug = (log: Log, configured: string): void => {
  const other = ['debug', 'trace'].includes(configured) ? 'info' : 'debug';
  const next = log.level === configured ? other : configured;
  // Said at whichever of the two levels lets it through.
  if (!log.isLevelEnabled('info')) log.level = next;
  log.info({ to: next }, 'log level changed');
  log.level = next;
};

/** A log that says nothing, for tests of pure parts. */
export const silentLog: Log = pino({ level: 'silent' });
