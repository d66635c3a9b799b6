/** Calendar of the evaluator: integer arithmetic on days since 0001-01-01, without `Date`. */
import type { DatePart, PeriodStart } from './odata-tree.js';

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const monthLengths = (year: number) => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const yearStart = (year: number): number =>
  (year - 1) * 365 + Math.floor((year - 1) / 4) - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400);

const split = (day: string): [number, number, number] => {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return [year, month, date];
};

const numberOf = (day: string): number => {
  const [year, month, date] = split(day);
  const before = monthLengths(year).slice(0, month - 1);
  return yearStart(year) + before.reduce((sum, length) => sum + length, 0) + date - 1;
};

const textOf = (number: number): string => {
  let year = Math.floor(number / 366) + 1;
  while (yearStart(year + 1) <= number) year += 1;
  let rest = number - yearStart(year);
  let month = 0;
  const lengths = monthLengths(year);
  while (rest >= (lengths[month] ?? 31)) rest -= lengths[month++] ?? 31;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(rest + 1)}`;
};

/** 0001-01-01 was a Monday. */
const mondayOf = (number: number): number => number - (number % 7);

/** ISO week: it belongs to the year of its Thursday. */
const weekOf = (number: number): number => {
  const thursday = mondayOf(number) + 3;
  const [year] = split(textOf(thursday));
  return Math.floor((thursday - yearStart(year)) / 7) + 1;
};

export const partOf = (part: DatePart, day: string): number => {
  const [year, month, date] = split(day);
  return { year, quarter: Math.ceil(month / 3), month, week: weekOf(numberOf(day)), day: date }[part];
};

export const startOf = (period: PeriodStart, day: string): string => {
  const [, month] = split(day);
  const year = day.slice(0, 4);
  const firstMonth = [1, 4, 7, 10].findLast((first) => first <= month) ?? 1;
  return {
    startofyear: `${year}-01-01`,
    startofquarter: `${year}-${String(firstMonth).padStart(2, '0')}-01`,
    startofmonth: `${day.slice(0, 7)}-01`,
    startofweek: textOf(mondayOf(numberOf(day))),
  }[period];
};
