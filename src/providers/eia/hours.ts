import type { Observation } from '../provider.js';

/** Rules for the value of a day from its hours. Days are those of the upstream, in UTC. */
export const hourRules = [
  { code: 'mean', label: 'Mean of the hours of a day' },
  { code: 'last', label: 'Last hour of a day' },
] as const;

/** Digits of a mean in addition to those of the hours, for means that do not terminate. */
const moreDigits = 6;

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Mean of decimal texts, rounded half away from zero; undefined if a text is not in plain digits. */
const meanOf = (texts: readonly string[]): string | undefined => {
  const parts = texts.map((text) => decimal.exec(text));
  const scale = Math.max(...parts.map((part) => part?.[3]?.length ?? 0)) + moreDigits;
  let sum = 0n;
  for (const part of parts) {
    if (part === null) return undefined;
    const [, sign, whole = '', fraction = ''] = part;
    sum += BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`);
  }
  const count = BigInt(texts.length);
  const half = sum < 0n ? -count : count;
  const mean = (2n * sum + half) / (2n * count);
  const digits = String(mean < 0n ? -mean : mean).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  return `${mean < 0n ? '-' : ''}${digits.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`;
};

export interface Hour extends Pick<Observation, 'value' | 'flag'> {
  /** `2024-01-31T05` */
  readonly period: string;
}

/**
 * One value per day. The mean ignores hours without a value; the last hour counts even if it has none. A day that is not over has the hours
 * so far.
 * @returns undefined for a value that is not in plain digits
 */
export const perDay = (hours: readonly Hour[], rule: string): Observation[] | undefined => {
  const days = new Map<string, Hour[]>();
  for (const hour of hours.toSorted((a, b) => (a.period < b.period ? -1 : 1))) {
    const day = hour.period.slice(0, 10);
    const known = days.get(day);
    if (known === undefined) days.set(day, [hour]);
    else known.push(hour);
  }
  const observations: Observation[] = [];
  for (const [date, own] of days) {
    const last = own.at(-1);
    const values = own.flatMap(({ value }) => value ?? []);
    if (rule === 'last' && last !== undefined) {
      const { period: _, ...rest } = last;
      observations.push({ date, ...rest });
    } else if (values.length === 0) observations.push({ date, value: null });
    else {
      const value = meanOf(values);
      if (value === undefined) return undefined;
      observations.push({ date, value });
    }
  }
  return observations;
};
