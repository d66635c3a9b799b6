/** Dates and statistical periods. The value of a period is its first day, `YYYY-MM-DD`. */

import { dayMs, dayOf, timeOf, weekday } from './date-parts.js';

const pad = (value: number): string => String(value).padStart(2, '0');

const dayText = (year: string, month: number, day: number): string | undefined => {
  // Date.UTC would read years below 100 as 19xx and roll 31 April over into May.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), month - 1, day);
  const real = date.getUTCMonth() === month - 1 && Number(year) > 0;
  return real ? `${year}-${pad(month)}-${pad(day)}` : undefined;
};

/** Monday of an ISO 8601 week. Week 1 contains 4 January. */
const weekText = (year: string, week: number): string | undefined => {
  const fourth = timeOf(`${year}-01-04`);
  const monday = fourth + (7 * (week - 1) - weekday(fourth)) * dayMs;
  return dayOf(monday + 3 * dayMs).startsWith(year) ? dayOf(monday) : undefined;
};

const forms: readonly (readonly [RegExp, (year: string, part: number, day: number) => string | undefined])[] =
  [
    [/^(\d{4})-(\d{2})-(\d{2})$/, dayText],
    [/^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/, dayText],
    [/^(\d{4})-(\d{2})-(\d{2})[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?$/, dayText],
    [/^(\d{4})-(\d{2})$/, (year, month) => dayText(year, month, 1)],
    [/^(\d{4})-?[Mm](\d{1,2})$/, (year, month) => dayText(year, month, 1)],
    [/^(\d{4})-?[Qq]([1-4])$/, (year, quarter) => dayText(year, quarter * 3 - 2, 1)],
    [/^(\d{4})-?[Ww](\d{2})$/, weekText],
    [/^(\d{4})$/, (year) => dayText(year, 1, 1)],
  ];

/** First day of a date or period; undefined if the text is neither, or the day does not exist. */
export const firstDayOf = (text: string): string | undefined => {
  for (const [form, read] of forms) {
    const match = form.exec(text);
    if (match) return read(match[1] ?? '', Number(match[2] ?? 1), Number(match[3] ?? 1));
  }
  return undefined;
};

/** An unquoted date or period. A year alone is a number until it is compared with a Date column. */
export const bareDate =
  /\d{4}(?:-\d{2}-\d{2}|-\d{2}|-?[Qq][1-4]|-?[Mm]\d{2}|-?[Ww]\d{2})(?![\p{L}\p{N}_-])/uy;
