import type { Config } from '../config.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import type { Sql } from '../storage/postgres/sql.js';

interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** One line. */
  readonly help: string;
}

/** Dependencies of a command. Connections are made on first use and closed at the end. */
export interface AdminContext {
  readonly config: Config;
  readonly log: Log;
  /** Register here what must be stopped at the end of the command. */
  readonly scope: Scope;
  /** The catalog database. */
  readonly sql: Sql;
  /** Called when a command has found faults: its output is complete, but its exit code is not 0. */
  readonly onFault?: () => void;
}

/** The command line, after parsing. */
export interface CommandInput {
  /** Value of a declared argument. */
  argument(name: string): string;
  /** Value of an option; undefined when it was not given. */
  option(name: string): string | undefined;
  /** Every value of an option that may be repeated. */
  options(name: string): string[];
  flag(name: string): boolean;
  readonly context: AdminContext;
}

export interface AdminCommand {
  /** Second word: `create`. */
  readonly name: string;
  readonly summary: string;
  /** Names of the positional arguments; all are required. */
  readonly arguments?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Records the command itself in the audit trail when it starts, since nothing that it calls does so. */
  readonly audited?: boolean;
  /** Returns what is printed: unchanged with `--json`, otherwise as a table or as lines. */
  run(input: CommandInput): Promise<object | undefined>;
}

/** Commands that share their first word: `account create`, `account list` … */
export interface AdminGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly AdminCommand[];
}
