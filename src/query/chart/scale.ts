/** Scales of the axes, with ticks and labels. */

interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Scale {
  readonly ticks: readonly Tick[];
  /** 0 at the start of the axis, 1 at its end. */
  readonly place: (value: number) => number;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 5 });

export const shortNumber = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return value.toExponential(2).replace('e+', 'e');
  return size >= 1e5 ? compact.format(value) : String(Number(value.toPrecision(12)));
};

/** The smallest of 1, 2 or 5 times a power of ten that is at least `least`. */
const niceStep = (least: number): number => {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((one) => one * power >= least) ?? 10;
  return factor * power;
};

/** Widens a range that is empty, or too narrow for doubles to divide. */
const widened = (low: number, high: number): readonly [number, number] => {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high / 2 - low / 2 > size * 1e-12 && high - low > 1e-290) return [low, high];
  const margin = size > 1e-280 ? size * 0.1 : 1;
  return [low - margin, high + margin];
};

interface NumberScaleOptions {
  /** Extends the range to whole steps. */
  readonly toSteps: boolean;
  readonly maxTicks: number;
}

export const numberScale = (
  [first, last]: readonly [number, number],
  { toSteps, maxTicks }: NumberScaleOptions,
): Scale => {
  const [low, high] = widened(first, last);
  // Divides first, because the difference of two doubles may overflow.
  const step = niceStep(high / maxTicks - low / maxTicks);
  const [from, to] = [low / step, high / step];
  const [start, end] = toSteps ? [Math.floor(from), Math.ceil(to)] : [from, to];
  const ticks: Tick[] = [];
  for (let count = Math.ceil(start); count <= end && ticks.length <= 2 * maxTicks; count += 1) {
    const at = Number((count * step).toPrecision(15));
    if (Number.isFinite(at)) ticks.push({ at, label: shortNumber(at) });
  }
  return { ticks, place: (value) => (value / step - start) / (end - start) };
};

const dayMs = 86_400_000;
const yearMs = 365.2425 * dayMs;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface Calendar {
  /** Approximate milliseconds between two ticks. */
  readonly length: number;
  /** The first tick at or before a time. */
  readonly floor: (time: Date) => Date;
  readonly next: (time: Date) => Date;
  readonly label: (time: Date) => string;
}

const utc = (year: number, month: number): Date => {
  const time = new Date(0);
  // Date.UTC would read years below 100 as 19xx.
  time.setUTCFullYear(year, month, 1);
  return time;
};

const monthly = (step: number): Calendar => ({
  length: (step * yearMs) / 12,
  floor: (time) => utc(time.getUTCFullYear(), Math.floor(time.getUTCMonth() / step) * step),
  next: (time) => utc(time.getUTCFullYear(), time.getUTCMonth() + step),
  label: (time) => `${months[time.getUTCMonth()]} ${time.getUTCFullYear()}`,
});

const yearly = (step: number): Calendar => ({
  length: step * yearMs,
  floor: (time) => utc(Math.floor(time.getUTCFullYear() / step) * step, 0),
  next: (time) => utc(time.getUTCFullYear() + step, 0),
  label: (time) => String(time.getUTCFullYear()),
});

const daily = (step: number): Calendar => ({
  length: step * dayMs,
  floor: (time) => new Date(Math.floor(time.getTime() / dayMs / step) * step * dayMs),
  next: (time) => new Date(time.getTime() + step * dayMs),
  label: (time) => `${time.getUTCDate()} ${months[time.getUTCMonth()]} ${time.getUTCFullYear()}`,
});

const calendars: readonly Calendar[] = [
  ...[1, 2, 7, 14].map(daily),
  ...[1, 2, 3, 6].map(monthly),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000].map(yearly),
];

const largest = calendars[calendars.length - 1] as Calendar;

export const timeScale = ([first, last]: readonly [number, number], maxTicks: number): Scale => {
  const [low, high] = first === last ? [first - dayMs, last + dayMs] : [first, last];
  const calendar = calendars.find(({ length }) => (high - low) / length <= maxTicks) ?? largest;
  const ticks: Tick[] = [];
  for (let time = calendar.floor(new Date(low)); time.getTime() <= high; time = calendar.next(time))
    if (time.getTime() >= low) ticks.push({ at: time.getTime(), label: calendar.label(time) });
  return { ticks, place: (value) => (value - low) / (high - low) };
};

/** One band per name, in order. */
export const bandScale = (labels: readonly string[], maxTicks: number): Scale => {
  const every = Math.max(1, Math.ceil(labels.length / maxTicks));
  return {
    ticks: labels.flatMap((label, at) => (at % every === 0 ? [{ at, label }] : [])),
    place: (index) => (index + 0.5) / Math.max(1, labels.length),
  };
};
