import { type AppError, invalid } from '../../lib/errors.js';
import { nearest } from '../../lib/nearest.js';
import { type Format, formatNames, formats } from '../formats/formats.js';
import { type BoundOptions, badOption, type Decides } from './option.js';
import { type DownloadOptions, type OptionKey, optionKeys, options as table } from './table.js';

export type { DownloadOptions } from './table.js';

/** The API key is a credential, not an option. */
const ignoredNames = new Set(['apiKey']);

const plainName = (name: string): string => name.replace(/^\$/, '');

const keyByName = new Map(optionKeys.map((key) => [plainName(table[key].name), key]));

const unknownOption = (name: string): AppError => {
  const near = nearest(plainName(name), [...keyByName.keys()]);
  const key = near === undefined ? undefined : keyByName.get(near);
  const hint = key === undefined ? '' : ` Did you mean ${table[key].name}?`;
  return invalid('unknown_option', `Unknown parameter ${name.slice(0, 64)}.${hint}`, {
    option: name.slice(0, 64),
  });
};

/** Collects the given options. Rejects unknown and repeated ones. */
const collect = (source: Readonly<Record<string, unknown>>): ReadonlyMap<OptionKey, unknown> => {
  const given = new Map<OptionKey, unknown>();
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || value === null || name.startsWith('_') || ignoredNames.has(name)) continue;
    const key = keyByName.get(plainName(name));
    if (key === undefined) throw unknownOption(name);
    if (given.has(key)) throw badOption(table[key].name, 'is given more than once');
    given.set(key, value);
  }
  return given;
};

/** Rejects combinations that have no meaning. */
const refuseContradictions = (options: DownloadOptions): void => {
  const refuse = (message: string): never => {
    throw invalid('bad_combination', message);
  };
  if (options.versionId !== undefined && options.asOf !== undefined) {
    refuse('versionId and asOf both name a version; give one of them.');
  }
  if (options.distinct && options.select === undefined) {
    refuse('$distinct needs $select: it gives the distinct values of the selected columns.');
  }
  if (options.transpose && options.count) {
    refuse('$count cannot be combined with transpose: it counts rows as they are stored.');
  }
  if (options.transpose && options.distinct) {
    refuse('$distinct cannot be combined with transpose: it would remove values from the table.');
  }
  if (options.transpose && (options.pageSize !== undefined || options.skipToken !== undefined)) {
    refuse('$pagesize cannot be combined with transpose: a transposed table needs all of its rows.');
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
 * @throws AppError `invalid` that names the option and its valid values
 */
export const parseOptions = (source: Readonly<Record<string, unknown>>): DownloadOptions => {
  const given = collect(source);
  const read = optionKeys.map((key) => {
    const { name, parse, absent } = table[key];
    return [key, given.has(key) ? parse(given.get(key), name) : absent];
  });
  // The cast is safe: the parser of each key returned its value.
  const options = Object.fromEntries(read) as DownloadOptions;
  refuseContradictions(options);
  return options;
};

/** The given options under their documented names, to be stored and parsed later by `parseOptions`. */
export const givenOptions = (source: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries([...collect(source)].map(([key, value]) => [table[key].name, value]));

/** Rejects options that the format does not take. Called after parsing, because `Accept` may choose the format. */
export const refuseUseless = (options: DownloadOptions, format: Format): void => {
  for (const key of optionKeys) {
    const { name, appearance } = table[key];
    if (appearance === undefined || !shapesRows(key, options)) continue;
    const taking = formatNames.filter((one) => formats[one].takes.includes(appearance.key));
    if (taking.includes(format)) continue;
    const others = appearance.elsewhere(format);
    throw invalid('bad_combination', `${name} is for $format=${taking.join(' and ')}${others}`);
  }
};

const shapesRows = <K extends OptionKey>(key: K, options: DownloadOptions): boolean =>
  table[key].shapesRows(options[key]);

/** The file that answers the request; undefined if an option shapes the rows. */
export const wholeFileOf = (options: DownloadOptions): 'table' | 'transposed' | undefined => {
  if (optionKeys.some((key) => shapesRows(key, options))) return undefined;
  return options.transpose ? 'transposed' : 'table';
};

const tagOf = <K extends OptionKey>(key: K, options: DownloadOptions, bound: BoundOptions): unknown =>
  options[key] === table[key].absent ? undefined : table[key].tag(options[key], bound);

/** Tags of the options that affect the bytes of an answer. @param only those that affect this; by default all */
export const tagsOf = (
  options: DownloadOptions,
  bound: BoundOptions,
  only?: Decides,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    optionKeys
      .filter((key) => only === undefined || table[key].decides === only)
      .map((key) => [key, tagOf(key, options, bound)] as const)
      .filter(([, tag]) => tag !== undefined),
  );
