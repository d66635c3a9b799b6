import type { ColumnRules, Dialect } from '../../csv/types.js';
import { type AppError, invalid } from '../../lib/errors.js';
import { parseFlag } from '../../lib/flag.js';
import { nearest } from '../../lib/nearest.js';
import { runAtOnce } from '../../lib/time-slicing.js';
import { textProblem } from '../../model/names.js';
import { isKeyed, type UploadMode } from '../../model/process.js';
import { type Manifest, manifestSteps } from './manifest.js';

/** How many bad rows an upload may have; beyond it fails. */
export type BadRowLimit = { readonly count: number } | { readonly percent: number };

export type TypeConflict = 'fail' | 'replace' | 'widen';
export type NewColumn = 'add' | 'fail' | 'ignore';
export type MissingColumn = 'null' | 'fail';
export type DuplicateKey = 'last' | 'first' | 'fail';
export type Encoding = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be';

/** Options of an upload, complete and checked. */
export interface UploadOptions {
  readonly mode: UploadMode;
  readonly manifest: Manifest | undefined;
  /** Names of the columns that tell rows apart; undefined: the entity columns. */
  readonly key: readonly string[] | undefined;
  readonly onTypeConflict: TypeConflict;
  /** With mode replace: values that do not fit the type of their column fail the upload. */
  readonly keepsTypes?: true;
  readonly onDuplicateKey: DuplicateKey;
  readonly onMissingColumn: MissingColumn;
  readonly onNewColumn: NewColumn;
  readonly onBadRow: 'fail' | 'quarantine';
  readonly maxBadRows: BadRowLimit | undefined;
  /** Everything is checked and counted, nothing is published. */
  readonly dryRun: boolean;
  readonly async: boolean;
  /** With `async` false: seconds to wait for the end of the process. */
  readonly waitSeconds: number;
  /** Undefined: recognised from the header. */
  readonly dialect: Dialect | undefined;
  readonly encoding: Encoding;
  /** Rules of every column. */
  readonly rules: ColumnRules;
}

/** Every option with what it means; the one list that the route, the parser and the documents share. */
export const uploadOptionTexts = {
  mode: '`replace` (default), `append`, `upsert`, `delete` (rows of the keys in the file go) or `sync` (upsert, and rows of keys that the file lacks go).',
  manifest:
    'JSON `{"columns": [{"name", "id"?, "dataType"?, "isEntity"?, "dateFormat"?, "description"?}], "unlisted": "infer" | "ignore" | "reject"}`.',
  key: 'Modes upsert, delete and sync: names of the columns that tell rows apart, separated by commas or as a JSON array; the entity columns unless given.',
  onTypeConflict:
    'Columns keep their types where all values fit. Where a value or a type of the manifest does not: `fail` is 409. `replace` (mode replace): the column takes the new type. `widen` (mode append): it takes a type that holds old and new values. Default: `fail`, and in mode replace `replace` for values and `fail` for types of a manifest.',
  onDuplicateKey:
    'Modes upsert, delete and sync, a key that several rows of the file or of the dataset have: `fail` (default, 409 `key_not_unique`), `last` or `first` (of the file; all rows of the dataset that have it are meant).',
  onMissingColumn: 'Modes append, upsert and sync, a column the file lacks: `null` (default) or `fail`.',
  onNewColumn: 'A column the dataset does not have yet: `add` (default), `fail` or `ignore`.',
  onBadRow: '`fail` (default) or `quarantine`: bad rows are set aside with their reason.',
  maxBadRows: 'With `onBadRow=quarantine`: most bad rows, a count or a share such as `5%`.',
  dryRun:
    '`true`: everything is checked and counted, nothing is published; the process shows the difference. Default `false`.',
  async: '`true` (default), or `false`: the answer waits for the end of the process.',
  wait: 'With `async=false`: seconds to wait, 30 unless given, at most 55.',
  delimiter: 'The delimiter: one ASCII character, or `tab`. Recognised from the header unless given.',
  quote: 'The quote: `"` (default) or `none`.',
  encoding: '`utf-8` (default), `windows-1252`, `utf-16le` or `utf-16be` (with byte order mark).',
  decimal: 'The sign before a fraction: `.` (default) or `,`.',
  nullValues: 'Texts that are null in every column: a JSON array of strings, or texts separated by commas.',
} as const;

export type UploadOptionName = keyof typeof uploadOptionTexts;

export const uploadOptionNames = Object.keys(uploadOptionTexts) as UploadOptionName[];

export interface GivenOption {
  readonly name: string;
  readonly value: string;
}

const maxWaitSeconds = 55;
const defaultWaitSeconds = 30;
const maxNullValues = 100;
const maxNullValueLength = 1_000;
/** No CSV text that is accepted holds it: as a quote it quotes nothing. */
const noQuote = 0;

const wrong = (name: UploadOptionName, message: string): AppError =>
  invalid('invalid_option', `Option ${name}: ${message}.`, { option: name });

const isKnown = (name: string): name is UploadOptionName => Object.hasOwn(uploadOptionTexts, name);

/** @throws AppError for an unknown option, with the nearest one. */
export function requireOption(name: string): asserts name is UploadOptionName {
  if (name === 'processId')
    throw invalid('invalid_option', 'processId stands in the address alone, not in the form.', {
      option: name,
    });
  if (isKnown(name)) return;
  const meant = nearest(name, uploadOptionNames);
  throw invalid(
    'unknown_option',
    `There is no upload option ${JSON.stringify(name.slice(0, 64))}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    {
      option: name.slice(0, 64),
      ...(meant === undefined ? {} : { didYouMean: meant }),
      known: uploadOptionNames,
    },
  );
}

/** @throws AppError for an unknown option, and for one that is given twice. */
const collect = (given: readonly GivenOption[]): Map<UploadOptionName, string> => {
  const values = new Map<UploadOptionName, string>();
  for (const { name, value } of given) {
    requireOption(name);
    if (values.has(name))
      throw invalid('repeated_option', `The option ${name} is given more than once.`, { option: name });
    values.set(name, value);
  }
  return values;
};

const choose = <T extends string>(
  values: ReadonlyMap<UploadOptionName, string>,
  name: UploadOptionName,
  choices: readonly [T, ...T[]],
): T => {
  const value = values.get(name);
  if (value === undefined) return choices[0];
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw wrong(name, `must be one of ${choices.join(', ')}`);
  return choice;
};

const parseLimit = (text: string | undefined): BadRowLimit | undefined => {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9})(?:(\.\d{1,6})?(%))?$/.exec(text);
  const number = match === null ? Number.NaN : Number(`${match[1]}${match[2] ?? ''}`);
  if (match?.[3] === '%' && number <= 100) return { percent: number };
  if (match !== null && match[3] === undefined) return { count: number };
  throw wrong('maxBadRows', 'must be a count such as 100 or a share such as 5%');
};

const parseWait = (text: string | undefined): number => {
  if (text === undefined) return defaultWaitSeconds;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= maxWaitSeconds)) throw wrong('wait', `must be a whole number from 0 to ${maxWaitSeconds}`);
  return seconds;
};

const parseDelimiter = (text: string): number => {
  if (text === 'tab' || text === '\\t' || text === '\t') return 0x09;
  const code = text.length === 1 ? text.charCodeAt(0) : -1;
  if (code > 0x20 && code < 0x7f && !/[\w"'.+-]/.test(text)) return code;
  throw wrong('delimiter', 'must be one ASCII sign such as , ; | or the word tab');
};

const parseDialect = (delimiter: string | undefined, quote: string | undefined): Dialect | undefined => {
  if (quote !== undefined && quote !== '"' && quote !== 'none') throw wrong('quote', 'must be " or none');
  if (quote === 'none' && delimiter === undefined)
    throw wrong('quote', 'none needs the option delimiter too');
  if (delimiter === undefined) return undefined;
  return { delimiter: parseDelimiter(delimiter), quote: quote === 'none' ? noQuote : 0x22 };
};

/** @param text A JSON array of texts, or texts separated by commas. */
const parseTexts = (name: UploadOptionName, text: string | undefined): readonly string[] => {
  if (text === undefined) return [];
  if (!text.startsWith('[')) return text.split(',').filter((value) => value !== '');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw wrong(name, 'is not valid JSON');
  }
  if (!Array.isArray(list) || !list.every((value): value is string => typeof value === 'string'))
    throw wrong(name, 'must be an array of strings');
  return list.filter((value) => value !== '');
};

const parseRules = (values: ReadonlyMap<UploadOptionName, string>): ColumnRules => {
  const nullValues = parseTexts('nullValues', values.get('nullValues'));
  if (nullValues.length > maxNullValues) throw wrong('nullValues', `must be at most ${maxNullValues} texts`);
  for (const text of nullValues) {
    const problem = textProblem(text, maxNullValueLength);
    if (problem !== undefined) throw wrong('nullValues', `each text ${problem}`);
  }
  const decimal = choose(values, 'decimal', ['.', ',']);
  return {
    ...(decimal === '.' ? {} : { decimal }),
    ...(nullValues.length === 0 ? {} : { nullValues }),
  };
};

const parseKey = (text: string | undefined): readonly string[] | undefined => {
  if (text === undefined) return undefined;
  const names = parseTexts('key', text);
  if (names.length === 0 || names.some((name) => name.trim() === ''))
    throw wrong('key', 'must name at least one column');
  if (new Set(names).size < names.length) throw wrong('key', 'names a column twice');
  return names;
};

const parseOn = (
  values: ReadonlyMap<UploadOptionName, string>,
  name: UploadOptionName,
  initial: boolean,
): boolean => {
  const value = values.get(name);
  const flag = value === undefined ? initial : parseFlag(value);
  if (flag === undefined) throw wrong(name, 'must be one of true, false');
  return flag;
};

/** Options that mean something in some modes only. */
const requireMode = (mode: UploadMode, values: ReadonlyMap<UploadOptionName, string>): void => {
  const refuse = (name: UploadOptionName, modes: string): never => {
    throw wrong(name, `applies to mode ${modes} only, the mode is ${mode}`);
  };
  if (values.has('onDuplicateKey') && !isKeyed(mode)) refuse('onDuplicateKey', 'upsert, delete or sync');
  if (values.has('key') && !isKeyed(mode)) refuse('key', 'upsert, delete or sync');
  if (values.has('onMissingColumn') && (mode === 'replace' || mode === 'delete'))
    refuse('onMissingColumn', 'append, upsert or sync');
  if (values.has('onNewColumn') && mode === 'delete')
    refuse('onNewColumn', 'replace, append, upsert or sync');
  const conflict = values.get('onTypeConflict');
  if (conflict === 'replace' && mode !== 'replace') refuse('onTypeConflict', 'replace');
  if (conflict === 'widen' && mode !== 'append') refuse('onTypeConflict', 'append');
};

/**
 * Reads options as they were given, as form fields or in the address, step by step: a manifest may be long.
 * @throws AppError kind `invalid` that names the option.
 */
export function* uploadOptionSteps(given: readonly GivenOption[]): Generator<void, UploadOptions> {
  const values = collect(given);
  const mode = choose(values, 'mode', ['replace', 'append', 'upsert', 'delete', 'sync']);
  requireMode(mode, values);
  const onBadRow = choose(values, 'onBadRow', ['fail', 'quarantine']);
  const isAsync = parseOn(values, 'async', true);
  if (values.has('maxBadRows') && onBadRow === 'fail') throw wrong('maxBadRows', 'needs onBadRow=quarantine');
  if (values.has('wait') && isAsync) throw wrong('wait', 'needs async=false');
  const manifest = values.get('manifest');
  const dialect = parseDialect(values.get('delimiter'), values.get('quote'));
  const rules = parseRules(values);
  if (rules.decimal === ',' && dialect?.delimiter === 0x2c && dialect.quote === noQuote)
    throw wrong('decimal', 'a comma cannot be delimiter and decimal sign of a file without quotes');
  return {
    mode,
    manifest: manifest === undefined ? undefined : yield* manifestSteps(manifest),
    key: parseKey(values.get('key')),
    onTypeConflict: choose(values, 'onTypeConflict', ['fail', 'replace', 'widen']),
    ...(mode === 'replace' && values.get('onTypeConflict') === 'fail' ? { keepsTypes: true } : {}),
    onDuplicateKey: choose(values, 'onDuplicateKey', ['fail', 'last', 'first']),
    onMissingColumn: choose(values, 'onMissingColumn', ['null', 'fail']),
    onNewColumn: choose(values, 'onNewColumn', ['add', 'fail', 'ignore']),
    onBadRow,
    maxBadRows: parseLimit(values.get('maxBadRows')),
    dryRun: parseOn(values, 'dryRun', false),
    async: isAsync,
    waitSeconds: parseWait(values.get('wait')),
    dialect,
    encoding: choose(values, 'encoding', ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be']),
    rules,
  };
}

/** The same at once, for options that are known to be short. */
export const parseUploadOptions = (given: readonly GivenOption[]): UploadOptions =>
  runAtOnce(uploadOptionSteps(given));
