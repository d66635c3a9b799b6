/** A point in time in a request. */
export interface Instant {
  /** The text that was sent. */
  readonly text: string;
  /** Its first moment: midnight (UTC) of a date. */
  readonly start: Date;
  /** The first moment after it: the next day (UTC) for a date, the next millisecond for a time. */
  readonly end: Date;
}

export const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:[Zz]|([+\- ])(\d{2}):?(\d{2}))?)?$/;

/** End of the error message for any other text. */
export const instantForm =
  'must be a day such as 2026-03-31, or a time such as 2026-03-31T12:00:00 (UTC) or 2026-03-31T12:00:00+02:00';

const day = 86_400_000;

/**
 * Parses a day such as `2026-03-31`, or a time; without a zone it is UTC, as in our answers. A space before the hours of the zone is a plus
 * sign that form decoding replaced. Returns undefined for anything else, and for dates that do not exist.
 */
export const parseInstant = (text: string): Instant | undefined => {
  const match = instantPattern.exec(text);
  if (match === null) return undefined;
  const [, date = '', time, sign, hours, minutes] = match;
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return undefined;
  if (time === undefined) return { text, start: midnight, end: new Date(midnight.getTime() + day) };
  const zone = sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours}:${minutes}`;
  const start = new Date(`${date}T${time}${zone}`);
  if (Number.isNaN(start.getTime())) return undefined;
  return { text, start, end: new Date(start.getTime() + 1) };
};
