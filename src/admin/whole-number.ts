import { invalid } from '../lib/errors.js';

/** @throws AppError 400 `usage` */
export const wholeNumber = (text: string, what: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw invalid('usage', `${text} is not ${what}`);
  return Number(text);
};
