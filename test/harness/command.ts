/** Options of a command line. */
import { parseArgs } from 'node:util';

type Defaults = Readonly<Record<string, string | false>>;

export interface CommandOptions<D extends Defaults> {
  text(name: keyof D & string): string;
  /** @throws RangeError for what is no number above 0. */
  number(name: keyof D & string): number;
  isSet(name: keyof D & string): boolean;
}

/** @param defaults Value of each option that takes one, and false for each that does not. */
export const commandOptions = <const D extends Defaults>(defaults: D): CommandOptions<D> => {
  const options = Object.entries(defaults).map(([name, value]) =>
    value === false
      ? ([name, { type: 'boolean', default: false }] as const)
      : ([name, { type: 'string', default: value }] as const),
  );
  const values: Readonly<Record<string, unknown>> = parseArgs({
    // vite-node passes its own words on.
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

/** Seed of a run that was given none. */
export const newSeed = (): string => String(Date.now() % 1_000_000);

/** The names in a list separated by commas. */
export const namesIn = (list: string): string[] => list.split(',').filter((name) => name !== '');
