import { type AppError, invalid, notFound } from '../lib/errors.js';
import { parseFlag } from '../lib/flag.js';
import { nearest } from '../lib/nearest.js';
import { type Format, formats } from './formats.js';

/** What a caller asks of the rows; names of columns are still text. */
export interface DownloadOptions {
  /** Undefined when the caller left it open: an `Accept` header may then decide. */
  readonly format: Format | undefined;
  readonly select: string | readonly string[] | undefined;
  readonly filter: string | undefined;
  readonly orderBy: string | undefined;
  readonly top: number | undefined;
  readonly skip: number | undefined;
  readonly last: number | undefined;
  readonly count: boolean;
  readonly distinct: boolean;
  readonly combineEntities: boolean;
  readonly includeIds: boolean;
  readonly dropNA: boolean;
  readonly transpose: boolean;
  readonly decimals: 'number' | 'string';
  readonly versionId: number | undefined;
}

/** Larger limits mean the same as this one: more rows than there are. */
const mostRows = Number.MAX_SAFE_INTEGER;

/** Options that the API describes with a leading `$`. */
const dollarNames = [
  'format',
  'select',
  'filter',
  'orderby',
  'top',
  'skip',
  'last',
  'count',
  'distinct',
  'decimals',
] as const;

const optionNames = [
  ...dollarNames,
  'combineEntities',
  'includeIds',
  'dropNA',
  'transpose',
  'versionId',
] as const;
type OptionName = (typeof optionNames)[number];

/** Not an option: it says who asks, and is looked at elsewhere. */
const ignoredNames = new Set(['apiKey']);

type Given = Readonly<Partial<Record<OptionName, unknown>>>;

const bad = (name: string, message: string): AppError =>
  invalid('bad_option', `${shown(name)} ${message}.`, { option: name });

const shown = (name: string): string =>
  (dollarNames as readonly string[]).includes(name) ? `$${name}` : name;

const isOptionName = (name: string): name is OptionName => (optionNames as readonly string[]).includes(name);

const unknownOption = (name: string): AppError => {
  const near = nearest(name.replace(/^\$/, ''), optionNames);
  const hint = near === undefined ? '' : ` Did you mean ${shown(near)}?`;
  return invalid('unknown_option', `Unknown parameter ${name.slice(0, 64)}.${hint}`, {
    option: name.slice(0, 64),
  });
};

/** Parameters under their plain names: each once, with or without `$`, nothing unknown. */
const collect = (source: Readonly<Record<string, unknown>>): Given => {
  const given: Partial<Record<OptionName, unknown>> = {};
  for (const [key, value] of Object.entries(source)) {
    if (value === undefined || value === null || key.startsWith('_') || ignoredNames.has(key)) continue;
    const name = key.startsWith('$') ? key.slice(1) : key;
    if (!isOptionName(name)) throw unknownOption(key);
    if (given[name] !== undefined) throw bad(name, 'is given more than once');
    given[name] = value;
  }
  return given;
};

const textOf = (given: Given, name: OptionName): string | undefined => {
  const value = given[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) throw bad(name, 'is given more than once');
  if (typeof value !== 'string') throw bad(name, 'must be a text');
  if (value.trim() === '') throw bad(name, 'must not be empty');
  return value;
};

const countOf = (given: Given, name: OptionName): number | undefined => {
  const value = given[name];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,400}$/.test(value) ? Number(value) : value;
  // What JSON writes beyond a double's range is read as infinite.
  const isWhole = typeof number === 'number' && (Number.isInteger(number) || number === Infinity);
  if (!isWhole || number < 0) throw bad(name, 'must be a whole number that is not negative');
  return Math.min(Math.abs(number), mostRows);
};

const flagOf = (given: Given, name: OptionName): boolean => {
  const value = given[name];
  if (value === undefined) return false;
  const flag = parseFlag(value);
  if (flag === undefined) throw bad(name, 'must be true or false');
  return flag;
};

const choiceOf = <T extends string>(given: Given, name: OptionName, choices: readonly T[]): T | undefined => {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const choice = choices.find((item) => item === text.toLowerCase());
  if (choice !== undefined) return choice;
  throw bad(name, `must be one of ${choices.join(', ')}`);
};

/** Names in a list of the POST form stand for themselves; the text form is taken apart later. */
const selectOf = (given: Given): string | readonly string[] | undefined => {
  const value = given.select;
  if (!Array.isArray(value)) return typeof value === 'number' ? String(value) : textOf(given, 'select');
  if (value.length === 0) throw bad('select', 'must not be empty');
  return value.map((item: unknown) => {
    if (typeof item === 'string' || typeof item === 'number') return String(item);
    throw bad('select', 'must list names or ids of columns');
  });
};

const versionOf = (given: Given): number | undefined => {
  const value = given.versionId;
  if (value === undefined) return undefined;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,40}$/.test(text))
    throw bad('versionId', 'must be the id of a version');
  // No version has an id beyond 2^53.
  if (!Number.isSafeInteger(Number(text)))
    throw notFound('unknown_version', `The dataset has no version ${text}.`);
  return Number(text);
};

/** Combinations that have no meaning, each with the reason. */
const refuseContradictions = (options: DownloadOptions): void => {
  const refuse = (message: string): never => {
    throw invalid('bad_combination', message);
  };
  if (options.distinct && options.select === undefined) {
    refuse('$distinct needs $select: it gives the distinct values of the selected columns.');
  }
  if (options.transpose && options.count) {
    refuse('$count can not be combined with transpose: it counts rows as they are stored.');
  }
  if (options.transpose && options.distinct) {
    refuse('$distinct can not be combined with transpose: it would take values away from the table.');
  }
  if (options.transpose && options.orderBy !== undefined && !hasLimit(options)) {
    refuse(
      '$orderby with transpose needs $top or $skip: the rows of a transposed table have their own order.',
    );
  }
};

const hasLimit = (options: DownloadOptions): boolean =>
  options.top !== undefined || options.skip !== undefined;

/**
 * Reads the options of a download, from a query string or from a JSON body.
 * @throws AppError `invalid` that names the option and what it takes.
 */
export const parseOptions = (source: Readonly<Record<string, unknown>>): DownloadOptions => {
  const given = collect(source);
  const options: DownloadOptions = {
    format: choiceOf(given, 'format', formats),
    select: selectOf(given),
    filter: textOf(given, 'filter'),
    orderBy: textOf(given, 'orderby'),
    top: countOf(given, 'top'),
    skip: countOf(given, 'skip'),
    last: countOf(given, 'last'),
    count: flagOf(given, 'count'),
    distinct: flagOf(given, 'distinct'),
    combineEntities: flagOf(given, 'combineEntities'),
    includeIds: flagOf(given, 'includeIds'),
    dropNA: flagOf(given, 'dropNA'),
    transpose: flagOf(given, 'transpose'),
    decimals: choiceOf(given, 'decimals', ['number', 'string'] as const) ?? 'number',
    versionId: versionOf(given),
  };
  refuseContradictions(options);
  return options;
};

/** True when nothing but the format and the version is asked for: the whole table as it is. */
export const isWholeTable = (options: DownloadOptions): boolean => !options.transpose && isUnshaped(options);

/** True when transposing is all that is asked for. */
export const isWholeTransposed = (options: DownloadOptions): boolean =>
  options.transpose && isUnshaped(options);

const isUnshaped = (options: DownloadOptions): boolean =>
  options.select === undefined &&
  options.filter === undefined &&
  options.orderBy === undefined &&
  options.last === undefined &&
  !hasLimit(options) &&
  !options.count &&
  !options.distinct &&
  !options.combineEntities &&
  !options.includeIds &&
  !options.dropNA;
