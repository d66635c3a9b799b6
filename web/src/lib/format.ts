/** Formats numbers and times of the interface. Never for data values, which are shown exactly as the API sent them. */

const whole = new Intl.NumberFormat('en-US');
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

export const count = (value: number): string => whole.format(value);
/** `5.2M` */
export const shortCount = (value: number): string =>
  value < 10_000 ? whole.format(value) : short.format(value);

const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** In decimal units, like the documentation. */
export const bytes = (value: number): string => {
  const power = value < 1_000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1);
  const scaled = value / 1_000 ** power;
  return `${power === 0 ? whole.format(value) : scaled.toPrecision(3)} ${units[power]}`;
};

/** Parses a time of the API, which is UTC if it has no zone. */
export const timeOf = (text: string): Date => new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
export const dateAndTime = (text: string): string => dateTime.format(timeOf(text));

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 days ago` */
export const ago = (text: string, now = Date.now()): string => {
  const seconds = (timeOf(text).getTime() - now) / 1_000;
  const step = steps.find(([, size]) => Math.abs(seconds) >= size);
  return step === undefined ? 'just now' : relative.format(Math.round(seconds / step[1]), step[0]);
};

export const percent = (share: number): string =>
  share > 0 && share < 0.001 ? '< 0.1 %' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** The two largest units: `3 h 20 min`. */
export const duration = (seconds: number): string => {
  if (seconds < 1) return '0 s';
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  const [large, small, name, rest] = seconds < 86_400 ? [3_600, 60, 'h', 'min'] : [86_400, 3_600, 'd', 'h'];
  const left = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${name}${left === 0 ? '' : ` ${left} ${rest}`}`;
};
