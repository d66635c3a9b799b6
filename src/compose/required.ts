import { AppError } from '../lib/errors.js';

/** @throws AppError when a setting that production needs is missing. */
export const required = <T>(value: T | undefined, variable: string): T => {
  if (value !== undefined) return value;
  throw new AppError(
    'invalid',
    'bad_configuration',
    `${variable} is not set (npm start runs embedded components)`,
  );
};
