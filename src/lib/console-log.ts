import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Level, multistream, pino } from 'pino';
import { type Log, logOptions } from './log.js';

/** Fields of a line that are useful at a terminal. */
interface Line {
  readonly time: number;
  readonly level: number;
  readonly msg: string;
  readonly component?: string;
  readonly reason?: string;
  readonly err?: { readonly message?: string };
}

const longestText = 160;

/** One short line per event: time of day, component, event, and the first line of the reason. */
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

/** Log of a process at a terminal: warnings and errors as short lines on standard error, every line as JSON in a file. */
export const createConsoleLog = (name: string, level: Level | 'silent', path: string): Log => {
  if (level === 'silent') return pino({ level });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return pino(
    logOptions(name, level),
    multistream([
      // The level of the log itself, which may change, decides whether a line is written.
      { level: 'trace', stream: pino.destination({ dest: path, sync: true, mode: 0o600 }) },
      { level: 'warn', stream: { write: (text: string) => void process.stderr.write(consoleLine(text)) } },
    ]),
  );
};
