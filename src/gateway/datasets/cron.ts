import { type CronExpression, CronExpressionParser } from 'cron-parser';
import { invalid } from '../../lib/errors.js';

/**
 * Five fields of cron, in UTC: minute, hour, day of month, month, day of week (0 and 7 are Sunday). A field is `*`, a number, a range
 * `a-b`, any of these with a step `/n`, or a list of them. As in cron, if both days are restricted, one of them is enough; a day field that
 * starts with `*` does not count as restricted.
 */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  /** The same schedule with every field as `*` or a list of numbers. */
  readonly plain: string;
  readonly eitherDay: boolean;
}

const fields = [
  { name: 'minute', key: 'minute', min: 0, max: 59 },
  { name: 'hour', key: 'hour', min: 0, max: 23 },
  { name: 'day of month', key: 'dayOfMonth', min: 1, max: 31 },
  { name: 'month', key: 'month', min: 1, max: 12 },
  { name: 'day of week', key: 'dayOfWeek', min: 0, max: 7 },
] as const;

const refuse = (text: string, why: string) =>
  invalid('invalid_cron', `'${text}' is not a valid schedule: ${why}.`);

const expressionOf = (text: string, afterMs: number): CronExpression =>
  CronExpressionParser.parse(text, { tz: 'UTC', currentDate: new Date(afterMs) });

/** Stricter than cron-parser, which also accepts names, `L`, `#` and, as a random number, `H`. */
const itemForm = /^(?:\*|\d{1,2}(?:-\d{1,2})?)(?:\/\d{1,2})?$/;

/** Values of one item of a list. Items are parsed one by one, since cron accepts overlapping items and cron-parser does not. */
const valuesOf = (item: string, field: (typeof fields)[number], text: string): number[] => {
  const { name, key, min, max } = field;
  if (!itemForm.test(item)) throw refuse(text, `the ${name} cannot be read`);
  try {
    const alone = fields.map((other) => (other === field ? item : '*')).join(' ');
    return expressionOf(alone, 0).fields[key].values.map((value) => Number(value) % (max === 7 ? 7 : 60));
  } catch {
    throw refuse(text, `the ${name} must be from ${min} to ${max}`);
  }
};

/** @throws AppError `invalid` that names the field. */
export const parseCron = (text: string): Cron => {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length)
    throw refuse(text, 'it needs five fields: minute, hour, day, month, weekday');
  const values = fields.map(
    (field, index) => new Set((parts[index] ?? '').split(',').flatMap((item) => valuesOf(item, field, text))),
  );
  const cron = {
    minutes: values[0] ?? new Set(),
    plain: values.map((set, index) => (parts[index] === '*' ? '*' : [...set].join(','))).join(' '),
    eitherDay: !(parts[2] ?? '').startsWith('*') && !(parts[4] ?? '').startsWith('*'),
  };
  if (nextTime(cron, 0) === undefined) throw refuse(text, 'there is no such day');
  return cron;
};

const dayMs = 86_400_000;
/** Two 29 February around a year like 2100 are eight years apart. */
const longestGapMs = (8 * 366 + 1) * dayMs;

/** First time after the given one, in milliseconds since the epoch; undefined: never. */
export const nextTime = ({ plain, eitherDay }: Cron, afterMs: number): number | undefined => {
  let expression: CronExpression;
  try {
    expression = expressionOf(plain, afterMs);
  } catch {
    return undefined; // 30 February and the like
  }
  const daysOfMonth = new Set<unknown>(expression.fields.dayOfMonth.values);
  const daysOfWeek = new Set<unknown>(expression.fields.dayOfWeek.values);
  while (true) {
    const time = expression.next();
    if (time.getTime() - afterMs > longestGapMs) return undefined;
    // cron-parser treats every day field except `*` as restricted.
    const isBothDays = daysOfMonth.has(time.getDate()) && daysOfWeek.has(time.getDay());
    if (eitherDay || isBothDays) return time.getTime();
    expression.reset(new Date((Math.floor(time.getTime() / dayMs) + 1) * dayMs - 1));
  }
};
