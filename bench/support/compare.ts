import { directionOf, type Figure } from './figure.js';
import type { Report } from './report.js';

/** Change of a figure since an earlier run. */
export interface Change {
  readonly before: number;
  /** Relative change: 0.1 is 10 % more; undefined if the earlier value is 0. */
  readonly by: number | undefined;
  readonly verdict: 'better' | 'worse' | 'same';
}

/** Relative difference expected between runs of the same code on the same machine. */
const noise = 0.1;

/** Returns undefined if the earlier run lacks the figure or has it in another unit. */
export const changeOf = (earlier: Report | undefined, bench: string, figure: Figure): Change | undefined => {
  const found = earlier?.results
    .find((result) => result.bench === bench)
    ?.figures.find(({ name, unit }) => name === figure.name && unit === figure.unit);
  if (found === undefined) return undefined;
  const before = found.value;
  const by = before === 0 ? undefined : (figure.value - before) / Math.abs(before);
  const direction = directionOf(figure);
  if (by === undefined || direction === undefined || !(Math.abs(by) > noise))
    return { before, by, verdict: 'same' };
  return { before, by, verdict: by < 0 === (direction === 'lower') ? 'better' : 'worse' };
};
