/** Parses upload options, and converts them for the layout, according to the records in `table.ts`. */
import type { Dialect } from '../../csv/types.js';
import { invalid } from '../../lib/errors.js';
import { nearest } from '../../lib/nearest.js';
import { runAtOnce } from '../../lib/time-slicing.js';
import { needOf } from './needs.js';
import { wrongOption } from './option.js';
import type { StoredOptions } from './stored-options.js';
import { type OptionTable, recordsOf, type UploadOptions, uploadOptions } from './table.js';

export interface GivenOption {
  readonly name: string;
  readonly value: string;
}

/** NUL as the quote disables quoting, since files with NUL are refused. */
const noQuote = 0;

/** @throws AppError for an unknown option, with the nearest known name */
export const requireOption = (name: string, table: object = uploadOptions): void => {
  if (name === 'processId')
    throw invalid('invalid_option', 'processId belongs in the address, not in the form.', { option: name });
  if (Object.hasOwn(table, name)) return;
  const known = Object.keys(table);
  const meant = nearest(name, known);
  throw invalid(
    'unknown_option',
    `There is no upload option ${JSON.stringify(name.slice(0, 64))}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    { option: name.slice(0, 64), ...(meant === undefined ? {} : { didYouMean: meant }), known },
  );
};

/** @throws AppError for an unknown option, and for one that is given twice. */
const collect = (given: readonly GivenOption[], table: object): Map<string, string> => {
  const texts = new Map<string, string>();
  for (const { name, value } of given) {
    requireOption(name, table);
    if (texts.has(name))
      throw invalid('repeated_option', `The option ${name} is given more than once.`, { option: name });
    texts.set(name, value);
  }
  return texts;
};

/**
 * Parses options from form fields or query parameters, in steps, since a manifest may be long.
 * @throws AppError kind `invalid` that names the option.
 */
export function* uploadOptionSteps<Options extends UploadOptions = UploadOptions>(
  given: readonly GivenOption[],
  table: OptionTable<Options> = uploadOptions as OptionTable<Options>,
): Generator<void, Options> {
  const texts = collect(given, table);
  const values: Record<string, unknown> = {};
  for (const [name, option] of recordsOf(table)) {
    const text = texts.get(name);
    if (text === undefined) values[name] = option.absent;
    else values[name] = 'parse' in option ? option.parse(text, name) : yield* option.parseInSteps(text);
  }
  const options = values as unknown as Options;
  for (const [name, option] of recordsOf(table)) {
    const problem = texts.has(name) ? option.problem?.(values[name], options) : undefined;
    if (problem !== undefined) throw wrongOption(name, problem);
  }
  return options;
}

/** Parses short options without steps. */
export const parseUploadOptions = (given: readonly GivenOption[]): UploadOptions =>
  runAtOnce(uploadOptionSteps(given));

/** Options for the layout. Given options that workers must know are listed in `needs`. */
export const storedOptions = <Options extends UploadOptions>(
  options: Options,
  table: OptionTable<Options> = uploadOptions as OptionTable<Options>,
): StoredOptions => {
  let stored: StoredOptions = { rules: {} };
  const needs: string[] = [];
  for (const [name, { absent, openapi, stored: storedAs }] of recordsOf(table)) {
    const value = options[name as keyof Options];
    const own = storedAs?.(value, options) ?? {};
    stored = { ...stored, ...own, rules: { ...stored.rules, ...own.rules } };
    if (value !== absent && Object.keys(own).length > 0) needs.push(needOf(name, openapi, value));
  }
  return needs.length === 0 ? stored : { ...stored, needs };
};

/** Dialect of the file; undefined: recognised from the header. */
export const dialectOf = ({ delimiter, quote }: UploadOptions): Dialect | undefined =>
  delimiter === undefined ? undefined : { delimiter, quote: quote === 'none' ? noQuote : 0x22 };
