import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly help: boolean;
  readonly quick: boolean;
  /** Benches to run; undefined for all. */
  readonly only: readonly string[] | undefined;
  /** Report to compare with; undefined for the one at `out`. */
  readonly compare: string | undefined;
  readonly out: string;
  /** Data folder kept after the run; undefined for a fresh one that is deleted. */
  readonly data: string | undefined;
}

export const usage = `npm run bench -- [--quick] [--only name,name] [--compare file] [--out file] [--data folder]

  --quick    smoke run; its figures are not measurements
  --only     benches to run, separated by commas
  --compare  earlier results to compare with; default: those that --out replaces
  --out      results file; default: bench/results/full.json or bench/results/quick.json
  --data     data folder to keep and to reuse in the next run; requires --only with one bench`;

/** @throws Error with the usage if an option or a bench is unknown */
export const parseOptions = (args: readonly string[], names: readonly string[]): BenchOptions => {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== '--'),
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      compare: { type: 'string' },
      out: { type: 'string' },
      data: { type: 'string' },
    },
  });
  const only = values.only?.split(',').map((name) => name.trim());
  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`no bench is named ${unknown.join(', ')}; there are ${names.join(', ')}\n\n${usage}`);
  const { help, quick, compare, data } = values;
  if (data !== undefined && only?.length !== 1)
    throw new Error(`--data requires --only with one bench\n\n${usage}`);
  const out = values.out ?? `bench/results/${quick ? 'quick' : 'full'}.json`;
  return { help, quick, only, compare, out, data };
};
