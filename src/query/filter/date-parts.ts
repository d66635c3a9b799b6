/** Calculations with a literal day, `YYYY-MM-DD`, in the proleptic Gregorian calendar. */
import type { DatePart, PeriodStart } from './typed.js';

export const dayMs = 86_400_000;

export const timeOf = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  // Date.UTC would read years below 100 as 19xx.
  return new Date(0).setUTCFullYear(year, month - 1, date);
};

export const dayOf = (time: number): string => {
  const date = new Date(time);
  const pad = (value: number, length: number): string => String(value).padStart(length, '0');
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
};

/** Days since Monday. */
export const weekday = (time: number): number => (new Date(time).getUTCDay() + 6) % 7;

/** Week 1 of ISO 8601 contains the first Thursday of the year. */
const isoWeek = (day: string): number => {
  const time = timeOf(day);
  const thursday = new Date(time + (3 - weekday(time)) * dayMs);
  const firstDay = new Date(0).setUTCFullYear(thursday.getUTCFullYear(), 0, 1);
  return Math.floor((thursday.getTime() - firstDay) / dayMs / 7) + 1;
};

export const datePartOf = (part: DatePart, day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  switch (part) {
    case 'year':
      return year;
    case 'quarter':
      return Math.ceil(month / 3);
    case 'month':
      return month;
    case 'week':
      return isoWeek(day);
    case 'day':
      return date;
    default:
      return part satisfies never;
  }
};

export const periodStartOf = (start: PeriodStart, day: string): string => {
  const [year = '', month = ''] = day.split('-');
  switch (start) {
    case 'startofyear':
      return `${year}-01-01`;
    case 'startofquarter':
      return `${year}-${String(Math.ceil(Number(month) / 3) * 3 - 2).padStart(2, '0')}-01`;
    case 'startofmonth':
      return `${year}-${month}-01`;
    case 'startofweek':
      return dayOf(timeOf(day) - weekday(timeOf(day)) * dayMs);
    default:
      return start satisfies never;
  }
};
