import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly help: boolean;
  readonly quick: boolean;
  /** Names of the benches to run; undefined: all. */
  readonly only: readonly string[] | undefined;
  /** Report that the run is compared with; undefined: what lies at `out`. */
  readonly compare: string | undefined;
  readonly out: string;
  /** Folder for the data of the products, kept after the run; undefined: a fresh one that is deleted. */
  readonly data: string | undefined;
}

export const usage = `npm run bench -- [--quick] [--only name,name] [--compare file] [--out file] [--data folder]

  --quick    a short run that shows that everything works; its figures are no measurement
  --only     names of benches, separated by commas
  --compare  earlier results to compare with; default: those that --out replaces
  --out      where results go; default: bench/results/full.json or bench/results/quick.json
  --data     keeps the data of the products here and uses it again in the next run; with one bench alone`;

/** @throws Error with the usage when an option or the name of a bench is unknown. */
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
    throw new Error(`--data needs --only with one bench\n\n${usage}`);
  const out = values.out ?? `bench/results/${quick ? 'quick' : 'full'}.json`;
  return { help, quick, only, compare, out, data };
};
