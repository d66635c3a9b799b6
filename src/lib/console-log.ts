import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Level, multistream, pino } from 'pino';
import { type Log, logOptions } from './log.js';

/** The fields of a line that a person at a terminal can use. */
interface Line {
  readonly time: number;
  readonly level: number;
  readonly msg: string;
  readonly component?: string;
  readonly reason?: string;
  readonly err?: { readonly message?: string };
}

const longestText = 160;

/** One short line per event: the time of day, who, what, and the first line of why. */
export const consoleLine = (text: string): string => {
  const { time, level, msg, component, reason, err } = JSON.parse(text) as Line;
  const why = (reason ?? err?.message ?? '').split('\n', 1)[0] ?? '';
  const words = [
    new Date(time).toTimeString().slice(0, 8),
    level >= 50 ? 'error' : 'warn',
    ...(component === undefined ? [] : [`${component}:`]),
    why === '' ? msg : `${msg} (${why})`,
  ].join(' ');
  return words.length > longestText ? `${words.slice(0, longestText - 1)}…\n` : `${words}\n`;
};

/**
 * The log of a process that talks to a person: warnings and errors as short lines on standard error, every line as
 * JSON in a file.
 */
export const createConsoleLog = (name: string, level: Level | 'silent', path: string): Log => {
  if (level === 'silent') return pino({ level });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return pino(
    logOptions(name, level),
    multistream([
      // The log's own level, which may change, decides whether a line is written at all.
      { level: 'trace', stream: pino.destination({ dest: path, sync: true, mode: 0o600 }) },
      { level: 'warn', stream: { write: (text: string) => void process.stderr.write(consoleLine(text)) } },
    ]),
  );
};
