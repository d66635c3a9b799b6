/** A point in time that a caller named. */
export interface Instant {
  /** As it was written. */
  readonly text: string;
  /** The first moment behind it: the next day (UTC) for a date, the next millisecond for a time. */
  readonly end: Date;
}

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:([Zz])|([+\- ])(\d{2}):?(\d{2})))?$/;

const day = 86_400_000;

/**
 * Reads a day such as `2026-03-31`, or a time with its zone. A blank in front of the hours of the zone is a plus sign
 * that an address turned into one. Undefined for anything else, and for dates that do not exist.
 */
export const parseInstant = (text: string): Instant | undefined => {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, date = '', time, , sign, hours, minutes] = match;
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return undefined;
  if (time === undefined) return { text, end: new Date(midnight.getTime() + day) };
  const zone = sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours}:${minutes}`;
  const moment = new Date(`${date}T${time}${zone}`).getTime();
  return Number.isNaN(moment) ? undefined : { text, end: new Date(moment + 1) };
};
