import { invalid } from './errors.js';

/**
 * Five fields of cron, in UTC: minute, hour, day of month, month, day of week (0 and 7 are Sunday). A field is `*`,
 * a number, a range `a-b`, any of them with a step `/n`, or a list of these. As in cron, when both days are
 * restricted, either of them is enough.
 */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  readonly eitherDay: boolean;
}

const fields = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of week', min: 0, max: 7 },
] as const;

type Field = (typeof fields)[number];

const refuse = (text: string, why: string) =>
  invalid('invalid_cron', `'${text}' is not a valid schedule: ${why}.`);

const itemForm = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

const valuesOf = (item: string, { name, min, max }: Field, text: string): number[] => {
  const match = itemForm.exec(item);
  if (match === null) throw refuse(text, `the ${name} cannot be read`);
  const [, first, last, step] = match;
  const from = first === undefined ? min : Number(first);
  // A single number with a step goes on to the end, as cron has it.
  const to = last === undefined ? (first === undefined || step !== undefined ? max : from) : Number(last);
  const by = step === undefined ? 1 : Number(step);
  if (from < min || to > max || from > to || by < 1)
    throw refuse(text, `the ${name} must be from ${min} to ${max}`);
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
};

/** @throws AppError `invalid` that names the field. */
export const parseCron = (text: string): Cron => {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length)
    throw refuse(text, 'it needs five fields: minute, hour, day, month, weekday');
  const [minutes, hours, daysOfMonth, months, weekdays] = fields.map(
    (field, index) => new Set((parts[index] ?? '').split(',').flatMap((item) => valuesOf(item, field, text))),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  const cron = {
    minutes,
    hours,
    daysOfMonth,
    months,
    daysOfWeek: new Set([...weekdays].map((day) => day % 7)),
    eitherDay: !(parts[2] ?? '').startsWith('*') && !(parts[4] ?? '').startsWith('*'),
  };
  if (nextTime(cron, 0) === undefined) throw refuse(text, 'there is no such day');
  return cron;
};

const dayMs = 86_400_000;
/** Between two 29 February around a year like 2100 lie eight years. */
const mostDays = 8 * 366 + 1;

const matchesDay = (cron: Cron, day: Date): boolean => {
  if (!cron.months.has(day.getUTCMonth() + 1)) return false;
  const ofMonth = cron.daysOfMonth.has(day.getUTCDate());
  const ofWeek = cron.daysOfWeek.has(day.getUTCDay());
  return cron.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
};

/** First time after the given one, in milliseconds since the epoch; undefined when there never is one. */
export const nextTime = (cron: Cron, afterMs: number): number | undefined => {
  const times = [...cron.hours]
    .flatMap((hour) => [...cron.minutes].map((minute) => (hour * 60 + minute) * 60_000))
    .sort((a, b) => a - b);
  const today = Math.floor(afterMs / dayMs) * dayMs;
  for (let index = 0; index < mostDays; index += 1) {
    const day = today + index * dayMs;
    if (!matchesDay(cron, new Date(day))) continue;
    const time = times.find((ofDay) => day + ofDay > afterMs);
    if (time !== undefined) return day + time;
  }
  return undefined;
};
