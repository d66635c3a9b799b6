import type { AppError } from '../../lib/errors.js';

/** Counts work that grows faster than the text it is done for. */
export type Spend = (steps: number) => void;

/** @param refuse Makes the error for a text that needs more steps than it may take. */
export const createSteps = (most: number, refuse: () => AppError): Spend => {
  let left = most;
  return (steps) => {
    left -= steps;
    if (left < 0) throw refuse();
  };
};
