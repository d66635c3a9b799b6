import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, describeConfig, describeSettings, loadConfig } from './config.js';
import { versionText } from './lib/build.js';
import { createConsoleLog } from './lib/console-log.js';
import { isAppError, messageOf } from './lib/errors.js';
import { exitCodes } from './lib/exit-codes.js';
import { createLog, type Log, switchDebug } from './lib/log.js';
import { createScope, type Scope } from './lib/scope.js';

interface Entry {
  /** Name of the process in logs. */
  readonly name: string;
  /** First line of `--help`. */
  readonly summary: string;
  /** True for a process that talks to a person: short lines on standard error, all others in a file. */
  readonly quiet?: boolean;
  /** True for a process that stops child processes, each with a bound of its own: DRAIN_TIMEOUT_MS bounds only them. */
  readonly hasChildren?: boolean;
  /** Descriptions of signals that only this process handles, by name. */
  readonly signals?: Readonly<Record<string, string>>;
  /** Starts everything; what is to be stopped is registered with the scope. */
  start(context: EntryContext): Promise<void>;
}

export interface EntryContext {
  readonly config: Config;
  readonly log: Log;
  readonly scope: Scope;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const options: Readonly<Record<string, string>> = {
  '--help': 'print this text and exit',
  '--version': 'print the version and the commit of the product and exit',
  '--check-config': 'print the settings in force, secrets hidden, and exit',
};

const help = (entry: Entry): string => {
  const lines = Object.entries(options).map(([name, text]) => `  ${name.padEnd(16)}${text}`);
  const signals = Object.entries({
    ...entry.signals,
    SIGUSR2: 'log at debug level; sent again: back to LOG_LEVEL',
  }).map(([name, text]) => `  ${name.padEnd(16)}${text}`);
  return `${entry.summary}\n\nOptions\n${lines.join('\n')}\n\nSignals\n${signals.join('\n')}\n\nExit codes\n  0 stopped by a signal, 2 wrong arguments, 3 could not start\n\nEnvironment\n${describeSettings()}`;
};

/** One clear line per mistake; the log has the rest. */
const fail = (error: unknown): void => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = exitCodes.couldNotRun;
};

/** npm passes on to us what the terminal has sent to all of us: one Ctrl-C arrives several times within moments. */
const oneCtrlCMs = 2_000;

/** An orderly stop at the first SIGINT or SIGTERM; a second Ctrl-C ends this process at once. */
const stopOnSignals = (entry: Entry, scope: Scope, log: Log, stopWithinMs: number | undefined) => {
  let stoppedAt: number | undefined;
  const stop = async (reason: string): Promise<void> => {
    if (stoppedAt !== undefined) return;
    stoppedAt = Date.now();
    log.info({ reason }, 'stopping');
    // An unreachable component can keep a part from stopping, such as a consumer that cannot leave its group.
    const late = new AbortController();
    const closed = scope.close();
    const deadline =
      stopWithinMs === undefined
        ? closed
        : sleep(stopWithinMs, 'late', { signal: late.signal }).catch(() => undefined);
    const outcome = await Promise.race([closed, deadline]);
    late.abort();
    if (outcome === 'late')
      log.warn({ part: scope.stopping, stopWithinMs }, 'stopped before every part had stopped');
    else log.info('stopped');
    // Whatever a library keeps open must not keep the process.
    process.exit();
  };
  const interrupt = (): void => {
    if (stoppedAt === undefined) {
      if (entry.quiet) print('Stopping everything … (Ctrl-C again exits at once)');
      void stop('SIGINT');
    } else if (Date.now() - stoppedAt > oneCtrlCMs) {
      log.warn({ reason: 'what runs in child processes may end a little later' }, 'stopped at once');
      process.exit(130);
    }
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', () => stop('SIGTERM'));
  return { stop, begun: () => stoppedAt !== undefined };
};

/**
 * Runs a process of the product: settings, start, and an orderly stop on SIGINT or SIGTERM, also in the middle of
 * the start. Its exit codes are `exitCodes`.
 */
export const runEntry = async (entry: Entry): Promise<void> => {
  // Keys, exported files and rows: what a process of ours writes is its owner's alone.
  process.umask(0o077);
  const flags = process.argv.slice(2);
  const unknown = flags.find((flag) => !Object.hasOwn(options, flag));
  if (unknown !== undefined) {
    process.stderr.write(`Unknown argument: ${unknown}. Known: ${Object.keys(options).join(', ')}.\n`);
    process.exitCode = exitCodes.usage;
    return;
  }
  if (flags.includes('--help')) return print(help(entry));
  if (flags.includes('--version')) return print(versionText);
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    return fail(error);
  }
  if (flags.includes('--check-config')) return print(describeConfig(config));

  // For the modules that are loaded after this, which are most of the program, stack traces name source files.
  process.setSourceMapsEnabled(true);
  const log = entry.quiet
    ? createConsoleLog(entry.name, config.logLevel, join(config.dataDir, 'logs', 'start.log'))
    : createLog(entry.name, config.logLevel);
  process.on('SIGUSR2', () => switchDebug(log, config.logLevel));
  const scope = createScope(log);
  const stopping = stopOnSignals(entry, scope, log, entry.hasChildren ? undefined : config.drainTimeoutMs);

  try {
    await entry.start({ config, log, scope });
  } catch (error) {
    // A start that was interrupted fails because of that; the stop is under way.
    if (stopping.begun()) return;
    if (!isAppError(error)) log.fatal({ err: error }, 'could not start');
    fail(error);
    await stopping.stop('could not start');
  }
};
