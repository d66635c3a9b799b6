import { directionOf, type Figure } from './figure.js';
import type { Report } from './report.js';

/** A figure beside the one of an earlier run. */
export interface Change {
  readonly before: number;
  /** Relative: 0.1 is a tenth more; undefined when there is nothing to divide by. */
  readonly by: number | undefined;
  readonly verdict: 'better' | 'worse' | 'same';
}

/** Two runs of the same code on the same machine differ by this much. */
const noise = 0.1;

/** Undefined when the earlier run has no such figure, or one in another unit. */
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
