import { type AppError, invalid } from '../../lib/errors.js';
import { parseFlag } from '../../lib/flag.js';
import type { StoredColumn } from '../../model/column.js';
import type { AppliedRows } from '../apply/apply.js';
import type { OrderTerm } from '../column-list.js';
import type { CompiledFilter } from '../filter/filter.js';
import type { Appearance } from '../formats/format.js';

/** Columns that options name, for tags. */
export interface BoundOptions {
  readonly chosen: readonly StoredColumn[];
  readonly filter: CompiledFilter | undefined;
  readonly order: readonly OrderTerm[];
  readonly applied?: AppliedRows | undefined;
}

/** Scope of an option: the rows of an answer and their columns, which rows are on a page, or only how cells are written. */
export type Decides = 'rows' | 'page' | 'bytes';

/** Everything there is to know about one option of a download. */
export interface Option<T> {
  /** As the API describes it; it is read with and without `$`. */
  readonly name: string;
  /** Parses a given value, never undefined or null. @throws AppError that names the option. */
  readonly parse: (value: unknown, name: string) => T;
  /** Value when the option was not given. */
  readonly absent: T;
  readonly decides: Decides;
  /** JSON Schema of the parameter, in words for the documents. */
  readonly openapi: { readonly type: string; readonly description: string } & Readonly<
    Record<string, unknown>
  >;
  /** A value that asks for something, as written in an address. */
  readonly example: string;
  /** True when an answer is no longer the whole table as it is: no link leads to such a file. */
  readonly shapesRows: (value: T) => boolean;
  /** Set where the option is one of those that only some formats take: what it says of the others. */
  readonly appearance: { readonly key: keyof Appearance; elsewhere(format: string): string } | undefined;
  /**
   * The part of the value that decides the bytes of an answer, as JSON; undefined: none. Not called for `absent`, so a new option
   * leaves the tags of all requests without it as they are.
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

/** Larger limits mean the same as this one: more rows than there are. */
const mostRows = Number.MAX_SAFE_INTEGER;

export const parseCount = (value: unknown, name: string): number => {
  const number = typeof value === 'string' && /^\d{1,400}$/.test(value) ? Number(value) : value;
  // Numbers of JSON beyond a double's range are read as infinite.
  const isWhole = typeof number === 'number' && (Number.isInteger(number) || number === Infinity);
  if (!isWhole || number < 0) throw badOption(name, 'must be a whole number that is not negative');
  return Math.min(Math.abs(number), mostRows);
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

/** An option that is true or false, and false when it was not given. */
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

/** An option that counts rows or dates. */
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
