/**
 * Converts periods of statistics to the first day of the period, `YYYY-MM-DD`. Every function returns `undefined` for an unknown format,
 * which a connector reports as an unexpected reply.
 */
const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

const isoDate = (date: Date): string => date.toISOString().slice(0, 10);

/** A valid day of the calendar, so not 2023-02-30. */
export const parseDay = (text: string): string | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || isoDate(date) !== text ? undefined : text;
};

const firstOfMonth = (year: string, month: number): string | undefined =>
  month >= 1 && month <= 12 ? `${year}-${pad(month)}-01` : undefined;

/** First month of part `index` (from 1) of a year with `parts` parts. */
const firstOfPart = (year: string, index: number, parts: number): string | undefined =>
  index >= 1 && index <= parts ? firstOfMonth(year, (12 / parts) * (index - 1) + 1) : undefined;

/** Monday of an ISO 8601 week: week 1 contains 4 January, and its Monday may be in the previous year. */
const mondayOfWeek = (year: string, week: number): string | undefined => {
  const fourth = new Date(`${year}-01-04T00:00:00Z`);
  const toMonday = (fourth.getUTCDay() + 6) % 7;
  const monday = new Date(fourth.getTime() + ((week - 1) * 7 - toMonday) * 86_400_000);
  const thursday = new Date(monday.getTime() + 3 * 86_400_000);
  // Only some years have a week 53: its Thursday must be in the year.
  return week >= 1 && thursday.getUTCFullYear() === Number(year) ? isoDate(monday) : undefined;
};

const dayOfYear = (year: string, day: number): string | undefined => {
  const date = new Date(Date.parse(`${year}-01-01T00:00:00Z`) + (day - 1) * 86_400_000);
  return day >= 1 && date.getUTCFullYear() === Number(year) ? isoDate(date) : undefined;
};

/** Rule per letter of an SDMX reporting period. `B` is the old letter of half-years; 2024-A1 is the year. */
const letters: Readonly<Record<string, (year: string, index: number) => string | undefined>> = {
  A: (year, index) => firstOfPart(year, index, 1),
  S: (year, index) => firstOfPart(year, index, 2),
  B: (year, index) => firstOfPart(year, index, 2),
  T: (year, index) => firstOfPart(year, index, 3),
  Q: (year, index) => firstOfPart(year, index, 4),
  M: firstOfMonth,
  W: mondayOfWeek,
  D: dayOfYear,
};

/**
 * Parses a period of SDMX services, IMF, World Bank, BEA, EIA, Eurostat and FRED: a day, a day with a time (only its date counts), a year,
 * a month, `2024-Q1`, `2024Q1`, `2024M01`, `2024-S2`, `2024-W05`, `2024-D032` …
 */
export const parsePeriod = (written: string): string | undefined => {
  const text = written.trim();
  const day = /^(\d{4}-\d{2}-\d{2})(?:T[\d:.+-]*Z?)?$/.exec(text)?.[1];
  if (day !== undefined) return parseDay(day);
  const plain = /^(\d{4})(?:-(\d{2}))?$/.exec(text);
  if (plain !== null) return firstOfMonth(plain[1] ?? '', Number(plain[2] ?? 1));
  const lettered = /^(\d{4})-?([A-Z])(\d{1,3})$/.exec(text);
  if (lettered === null) return undefined;
  const [, year = '', letter = '', index = ''] = lettered;
  return letters[letter]?.(year, Number(index));
};

/** Annual averages among months, quarters and half-years: M13, Q05, S03. */
const averages: ReadonlySet<string> = new Set(['M13', 'Q05', 'S03']);

/**
 * Parses year and period code from separate fields (BLS): `M01`–`M12`, `Q01`–`Q04`, `S01`–`S02`, `A01`. Annual averages return `'average'`:
 * callers skip them, since they would give January (or December) a second value.
 */
export const parseYearAndCode = (year: string, code: string): string | 'average' | undefined => {
  if (averages.has(code)) return 'average';
  return /^\d{4}$/.test(year) && /^[MQSA]\d{2}$/.test(code) ? parsePeriod(`${year}${code}`) : undefined;
};

/** Converts a caller's bound (`YYYY`, `YYYY-MM`, `YYYY-MM-DD`) to the first or last day of its period. */
export const boundDay = (bound: string, side: 'start' | 'end'): string | undefined => {
  const start = parsePeriod(bound);
  if (start === undefined || side === 'start' || bound.length === 10) return start;
  if (bound.length === 4) return `${bound}-12-31`;
  const [year, month] = bound.split('-').map(Number);
  return isoDate(new Date(Date.UTC(year ?? 0, month ?? 0, 0)));
};
