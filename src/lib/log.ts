import { type Logger, type LoggerOptions, pino } from 'pino';

export type Log = Logger;

/** What must never reach a log line, wherever it stands in an object. */
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

/** What every log of the product has in common. */
export const logOptions = (name: string, level: string): LoggerOptions => ({
  name,
  level,
  redact: { paths: redactedPaths, censor: '[redacted]' },
  base: { name, pid: process.pid },
});

/** JSON lines on standard output: one event name (`msg`) plus fields. */
export const createLog = (name: string, level: string, destination: 1 | 2 = 1): Log =>
  pino(logOptions(name, level), pino.destination({ dest: destination, sync: true }));

/** A log that says nothing, for tests of pure parts. */
export const silentLog: Log = pino({ level: 'silent' });
