import { type AppError, invalid } from '../../lib/errors.js';
import { parseFlag } from '../../lib/flag.js';
import type { StoredColumn } from '../../model/column.js';
import type { AppliedRows } from '../apply/apply.js';
import type { OrderTerm } from '../column-list.js';
import type { CompiledFilter } from '../filter/filter.js';
import type { Appearance } from '../formats/format.js';

/** Options bound to the columns of a version, for tags. */
export interface BoundOptions {
  readonly chosen: readonly StoredColumn[];
  readonly filter: CompiledFilter | undefined;
  readonly order: readonly OrderTerm[];
  readonly applied?: AppliedRows | undefined;
}

/** Effect of an option: on rows and columns, on the rows of a page, or only on the bytes of cells. */
export type Decides = 'rows' | 'page' | 'bytes';

/** Definition of one download option. */
export interface Option<T> {
  /** Documented name; accepted with and without `$`. */
  readonly name: string;
  /** Parses a given value, never undefined or null. @throws AppError that names the option. */
  readonly parse: (value: unknown, name: string) => T;
  /** Default value. */
  readonly absent: T;
  readonly decides: Decides;
  /** JSON Schema of the parameter, for the API documents. */
  readonly openapi: { readonly type: string; readonly description: string } & Readonly<
    Record<string, unknown>
  >;
  /** A non-default value, as in a URL. */
  readonly example: string;
  /** True if the answer is no longer the whole table, so that no link can replace it. */
  readonly shapesRows: (value: T) => boolean;
  /** Set for options that only some formats take. `elsewhere` ends the error message for other formats. */
  readonly appearance: { readonly key: keyof Appearance; elsewhere(format: string): string } | undefined;
  /**
   * The part of the value that affects the bytes of an answer, as JSON; undefined if none. Not called for `absent`, so
   * a new option does not change the tags of requests without it.
   */
  readonly tag: (value: T, bound: BoundOptions) => unknown;
}

export const badOption = (name: string, message: string): AppError =>
  invalid('bad_option', `${name} ${message}.`, { option: name.replace(/^\$/, '') });

export const parseText = (value: unknown, name: string): string => {
  if (Array.isArray(value)) throw badOption(name, 'is given more than once');
  if (typeof value !== 'string') throw badOption(name, 'must be a text');
  if (value.trim() === '') throw badOption(name, 'must not be empty');
  return value;
};

/** Larger limits are clamped: no table has as many rows. */
const maxRows = Number.MAX_SAFE_INTEGER;

export const parseCount = (value: unknown, name: string): number => {
  const number = typeof value === 'string' && /^\d{1,400}$/.test(value) ? Number(value) : value;
  // JSON.parse reads numbers beyond the range of doubles as Infinity.
  const isWhole = typeof number === 'number' && (Number.isInteger(number) || number === Infinity);
  if (!isWhole || number < 0) throw badOption(name, 'must be a whole number that is not negative');
  return Math.min(Math.abs(number), maxRows);
};

const parseSwitch = (value: unknown, name: string): boolean => {
  const flag = parseFlag(value);
  if (flag === undefined) throw badOption(name, 'must be true or false');
  return flag;
};

export const parseChoice =
  <const T extends string>(choices: readonly T[]) =>
  (value: unknown, name: string): T => {
    const text = parseText(value, name).toLowerCase();
    const choice = choices.find((item) => item === text);
    if (choice === undefined) throw badOption(name, `must be one of ${choices.join(', ')}`);
    return choice;
  };

export const isGiven = (value: unknown): boolean => value !== undefined;

export const asItIs = (value: unknown): unknown => value;

export const flagOption = (
  name: string,
  description: string,
  shapesRows: (value: boolean) => boolean = Boolean,
): Option<boolean> => ({
  name,
  parse: parseSwitch,
  absent: false,
  decides: 'rows',
  openapi: { type: 'boolean', default: false, description },
  example: 'true',
  shapesRows,
  appearance: undefined,
  tag: asItIs,
});

/** Members that all options with a text value share. */
export const textOption = {
  parse: parseText,
  absent: undefined,
  decides: 'rows',
  shapesRows: isGiven,
  appearance: undefined,
} as const;

export const countOption = (name: string, description: string): Option<number | undefined> => ({
  name,
  parse: parseCount,
  absent: undefined,
  decides: 'rows',
  openapi: { type: 'integer', minimum: 0, description },
  example: '2',
  shapesRows: isGiven,
  appearance: undefined,
  tag: asItIs,
});
