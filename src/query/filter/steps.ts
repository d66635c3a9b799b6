import type { AppError } from '../../lib/errors.js';

/** Budget for work that grows faster than the text. */
export type Spend = (steps: number) => void;

/** @param refuse creates the error for a text that exceeds the budget */
export const createSteps = (most: number, refuse: () => AppError): Spend => {
  let left = most;
  return (steps) => {
    left -= steps;
    if (left < 0) throw refuse();
  };
};
