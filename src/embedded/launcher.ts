import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program and its arguments, before or after wrapping. */
export interface Command {
  program: string;
  args: string[];
}

let setprivPath: string | undefined | null = null;

/** Path of `setpriv` of util-linux, if it exists and can end a child with its parent; Linux only. */
export const findSetpriv = (): string | undefined => {
  if (setprivPath === null) {
    setprivPath =
      process.platform === 'linux'
        ? ['/usr/bin/setpriv', '/bin/setpriv', '/sbin/setpriv'].find(
            (path) =>
              existsSync(path) &&
              spawnSync(path, ['--pdeathsig', 'TERM', process.execPath, '-v']).status === 0,
          )
        : undefined;
  }
  return setprivPath;
};

/**
 * Makes files of the child private to its owner, raises the soft limit of open files to the hard one (ClickHouse and Kafka keep a file per
 * column and segment open), and makes the kernel stop the child if this process dies without doing so. The wrappers replace their process
 * image, so the child keeps the id that `spawn` returned.
 */
export const wrapCommand = (
  command: Command,
  deathSignal: NodeJS.Signals,
  privileges: string[] = [],
): Command => {
  if (process.platform === 'win32') return command;
  const setpriv = findSetpriv();
  const bound =
    setpriv === undefined
      ? []
      : [setpriv, '--pdeathsig', deathSignal.replace(/^SIG/, ''), ...privileges, '--'];
  return {
    program: '/bin/sh',
    args: [
      '-c',
      'umask 077; ulimit -n "$(ulimit -Hn)" 2>/dev/null || :; exec "$@"',
      'sh',
      ...bound,
      command.program,
      ...command.args,
    ],
  };
};
