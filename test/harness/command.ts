/** Command line options. */
import { parseArgs } from 'node:util';

type Defaults = Readonly<Record<string, string | false>>;

export interface CommandOptions<D extends Defaults> {
  text(name: keyof D & string): string;
  /** @throws RangeError unless the value is a number above 0 */
  number(name: keyof D & string): number;
  isSet(name: keyof D & string): boolean;
}

/** @param defaults default value by option; false for a flag */
export const commandOptions = <const D extends Defaults>(defaults: D): CommandOptions<D> => {
  const options = Object.entries(defaults).map(([name, value]) =>
    value === false
      ? ([name, { type: 'boolean', default: false }] as const)
      : ([name, { type: 'string', default: value }] as const),
  );
  const values: Readonly<Record<string, unknown>> = parseArgs({
    // vite-node passes its own arguments on.
    args: process.argv.slice(2).filter((argument) => argument !== '--' && !argument.endsWith('run.ts')),
    options: Object.fromEntries(options),
  }).values;
  return {
    text: (name) => String(values[name]),
    number(name) {
      const value = Number(values[name]);
      if (!Number.isFinite(value) || value <= 0) throw new RangeError(`--${name} must be a number above 0`);
      return value;
    },
    isSet: (name) => values[name] === true,
  };
};

/** Seed of a run without `--seed`. */
export const newSeed = (): string => String(Date.now() % 1_000_000);

/** Parses a comma-separated list of names. */
export const namesIn = (list: string): string[] => list.split(',').filter((name) => name !== '');
