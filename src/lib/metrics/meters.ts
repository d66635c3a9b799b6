import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Creates metrics in the given registries. Labels are names of closed lists, never values of callers. */
export const metersOf = (registers: Registry[]) => ({
  counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ name, help, labelNames, registers }),
  gauge: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name, help, labelNames, registers }),
  /** @param buckets Upper bounds. */
  histogram: <L extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly L[] = [],
  ) => new Histogram<L>({ name, help, buckets, labelNames, registers }),
});

export type Meters = ReturnType<typeof metersOf>;
