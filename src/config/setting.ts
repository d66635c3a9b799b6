import { z } from 'zod';

/** One environment variable. */
export interface Setting<T> {
  readonly env: string;
  readonly schema: z.ZodType<T>;
  /** Default as text; undefined: the variable is optional. */
  readonly default?: string;
  readonly text: string;
  readonly secret?: boolean;
}

export const setting = <T>(
  env: string,
  schema: z.ZodType<T>,
  fallback: string | undefined,
  text: string,
  options: { secret?: boolean } = {},
): Setting<T> => ({
  env,
  schema,
  text,
  ...(fallback === undefined ? {} : { default: fallback }),
  ...options,
});

export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** Longest delay of a timer of Node, in milliseconds. A longer one ends after 1 ms. */
const maxTimerMs = 2_147_483_647;

/** A time that a timer waits for. */
export const milliseconds = (min: number) => integer(min, maxTimerMs);
export const seconds = (min: number) => integer(min, Math.floor(maxTimerMs / 1000));

/** Milliseconds that are compared with a clock, up to a century: databases cannot go back many thousand years. */
export const age = (min: number) => integer(min, 36_500 * 24 * 60 * 60 * 1000);

export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
export const choice = <const T extends string>(...values: T[]) => z.enum(values as [T, ...T[]]);
export const text = z.string().min(1, 'must not be empty');
export const list = text.transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
export const optional = <T>(schema: z.ZodType<T>) => schema.optional();
export const url = (...schemes: string[]) =>
  z.string().refine(
    (value) => {
      try {
        return schemes.includes(new URL(value).protocol.replace(/:$/, ''));
      } catch {
        return false;
      }
    },
    `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  );

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;
