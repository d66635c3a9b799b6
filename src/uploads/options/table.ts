import { textProblem } from '../../model/names.js';
import { isKeyed, type UploadMode } from '../../model/process.js';
import { type Manifest, manifestSteps } from './manifest.js';
import { choice, flag, onlyIn, parseTexts, type UploadOption, wrongOption } from './option.js';
import type { BadRowLimit, DuplicateKey } from './stored-options.js';

/** Options of an upload, complete and checked. */
export interface UploadOptions {
  readonly mode: UploadMode;
  readonly manifest: Manifest | undefined;
  /** Names of the key columns; undefined: the entity columns. */
  readonly key: readonly string[] | undefined;
  /** Undefined: `fail`, and in mode replace `replace` for values and `fail` for types of a manifest. */
  readonly onTypeConflict: 'fail' | 'replace' | 'widen' | undefined;
  readonly onDuplicateKey: DuplicateKey;
  readonly onMissingColumn: 'null' | 'fail';
  readonly onNewColumn: 'add' | 'fail' | 'ignore';
  readonly onBadRow: 'fail' | 'quarantine';
  readonly maxBadRows: BadRowLimit | undefined;
  /** Checks and counts everything and publishes nothing. */
  readonly dryRun: boolean;
  readonly async: boolean;
  /** With `async` false: seconds to wait for the end of the process. */
  readonly wait: number;
  /** Code of the character; undefined: recognised from the header. */
  readonly delimiter: number | undefined;
  readonly quote: '"' | 'none';
  readonly encoding: 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be';
  readonly decimal: '.' | ',';
  readonly nullValues: readonly string[];
}

/** One record for each option. */
export type OptionTable<Options extends UploadOptions = UploadOptions> = {
  readonly [K in keyof Options]: UploadOption<Options[K], Options>;
};

/** Names and records of a table, for code that treats all options alike. */
export const recordsOf = (table: object) =>
  Object.entries(table) as [string, UploadOption<unknown, UploadOptions>][];

const maxWaitSeconds = 55;
const maxNullValues = 100;
const maxNullValueLength = 1_000;
const comma = 0x2c;

const parseLimit = (text: string, name: string): BadRowLimit => {
  const match = /^(\d{1,9})(?:(\.\d{1,6})?(%))?$/.exec(text);
  const number = match === null ? Number.NaN : Number(`${match[1]}${match[2] ?? ''}`);
  if (match?.[3] === '%' && number <= 100) return { percent: number };
  if (match !== null && match[3] === undefined) return { count: number };
  throw wrongOption(name, 'must be a count such as 100 or a share such as 5%');
};

const parseWait = (text: string, name: string): number => {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= maxWaitSeconds) return seconds;
  throw wrongOption(name, `must be a whole number from 0 to ${maxWaitSeconds}`);
};

const parseDelimiter = (text: string, name: string): number => {
  if (text === 'tab' || text === '\\t' || text === '\t') return 0x09;
  const code = text.length === 1 ? text.charCodeAt(0) : -1;
  if (code > 0x20 && code < 0x7f && !/[\w"'.+-]/.test(text)) return code;
  throw wrongOption(name, 'must be one ASCII sign such as , ; | or the word tab');
};

const parseQuote = (text: string, name: string): '"' | 'none' => {
  if (text === '"' || text === 'none') return text;
  throw wrongOption(name, 'must be " or none');
};

const parseNullValues = (text: string, name: string): readonly string[] => {
  const texts = parseTexts(text, name);
  if (texts.length > maxNullValues) throw wrongOption(name, `must be at most ${maxNullValues} texts`);
  for (const value of texts) {
    const problem = textProblem(value, maxNullValueLength);
    if (problem !== undefined) throw wrongOption(name, `each text ${problem}`);
  }
  return texts;
};

const parseKey = (text: string, name: string): readonly string[] => {
  const names = parseTexts(text, name);
  if (names.length === 0 || names.some((column) => column.trim() === ''))
    throw wrongOption(name, 'must name at least one column');
  if (new Set(names).size < names.length) throw wrongOption(name, 'names a column twice');
  return names;
};

/**
 * One record per upload option. The parser, the form, the query parameters, OpenAPI and the layout for workers are derived from it.
 */
export const uploadOptions: OptionTable = {
  mode: {
    ...choice(
      ['replace', 'append', 'upsert', 'delete', 'sync'],
      '`replace` (default), `append`, `upsert`, `delete` (removes the rows with the keys in the file) or `sync` (upsert, and removes rows whose keys are not in the file).',
    ),
    absent: 'replace',
  },
  manifest: {
    parseInSteps: manifestSteps,
    absent: undefined,
    openapi: {
      description:
        'JSON `{"columns": [{"name", "id"?, "dataType"?, "isEntity"?, "dateFormat"?, "description"?}], "unlisted": "infer" | "ignore" | "reject"}`.',
    },
  },
  key: {
    parse: parseKey,
    absent: undefined,
    openapi: {
      description:
        'Modes upsert, delete and sync: names of the columns that identify a row, separated by commas or as a JSON array. Default: the entity columns.',
      example: 'Country,Year',
    },
    problem: onlyIn('upsert', 'delete', 'sync'),
  },
  onTypeConflict: {
    ...choice(
      ['fail', 'replace', 'widen'],
      'Columns keep their types if all values fit. If a value or a type of the manifest does not: `fail` is 409. `replace` (mode replace): the column gets the new type. `widen` (mode append): it gets a type for old and new values. Default: `fail`, and in mode replace `replace` for values and `fail` for types of a manifest.',
    ),
    absent: undefined,
    problem(value, options) {
      if (value === 'replace') return onlyIn('replace')(value, options);
      return value === 'widen' ? onlyIn('append')(value, options) : undefined;
    },
    stored(value, { mode }) {
      if (value === 'widen') return { widen: true };
      return value === 'fail' && mode === 'replace' ? { keepsTypes: true } : {};
    },
  },
  onDuplicateKey: {
    ...choice(
      ['fail', 'last', 'first'],
      'Modes upsert, delete and sync, for a key of several rows in the file or the dataset: `fail` (default, 409 `key_not_unique`), `last` or `first` (row of the file, which applies to all rows of the dataset with the key).',
    ),
    absent: 'fail',
    problem: onlyIn('upsert', 'delete', 'sync'),
    stored: (onDuplicateKey, { mode }) => (isKeyed(mode) ? { onDuplicateKey } : {}),
  },
  onMissingColumn: {
    ...choice(
      ['null', 'fail'],
      'Modes append, upsert and sync, for a column that the file does not have: `null` (default) or `fail`.',
    ),
    absent: 'null',
    problem: onlyIn('append', 'upsert', 'sync'),
  },
  onNewColumn: {
    ...choice(
      ['add', 'fail', 'ignore'],
      'For a column that the dataset does not have: `add` (default), `fail` or `ignore`.',
    ),
    absent: 'add',
    problem: onlyIn('replace', 'append', 'upsert', 'sync'),
  },
  onBadRow: {
    ...choice(
      ['fail', 'quarantine'],
      '`fail` (default) or `quarantine`: bad rows are rejected, with their reason, and the others stored.',
    ),
    absent: 'fail',
    stored: (onBadRow) => ({ onBadRow }),
  },
  maxBadRows: {
    parse: parseLimit,
    absent: undefined,
    openapi: {
      description: 'With `onBadRow=quarantine`: most bad rows, a count or a share such as `5%`.',
      example: '5%',
    },
    problem: (_value, { onBadRow }) => (onBadRow === 'fail' ? 'needs onBadRow=quarantine' : undefined),
    stored: (maxBadRows) => (maxBadRows === undefined ? {} : { maxBadRows }),
  },
  dryRun: {
    ...flag(
      '`true`: everything is checked and counted, nothing is published; the process shows the difference. Default `false`.',
    ),
    absent: false,
  },
  async: {
    ...flag('`true` (default), or `false`: the answer waits for the end of the process.'),
    absent: true,
  },
  wait: {
    parse: parseWait,
    absent: 30,
    openapi: {
      type: 'integer',
      minimum: 0,
      maximum: maxWaitSeconds,
      description: `With \`async=false\`: seconds to wait, at most ${maxWaitSeconds}. Default 30.`,
    },
    problem: (_value, options) => (options.async ? 'needs async=false' : undefined),
  },
  delimiter: {
    parse: parseDelimiter,
    absent: undefined,
    openapi: {
      description: 'The delimiter: one ASCII character, or `tab`. Default: recognised from the header.',
      example: ';',
    },
  },
  quote: {
    parse: parseQuote,
    absent: '"',
    openapi: { description: 'The quote: `"` (default) or `none`.', example: 'none' },
    // Generated Python clients call the function `quote`; a parameter of that name would hide it.
    shownAs: 'quoting',
    problem: (value, { delimiter }) =>
      value === 'none' && delimiter === undefined ? 'none needs the option delimiter too' : undefined,
  },
  encoding: {
    ...choice(
      ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'],
      '`utf-8` (default), `windows-1252`, `utf-16le` or `utf-16be` (with byte order mark).',
    ),
    absent: 'utf-8',
  },
  decimal: {
    ...choice(['.', ','], 'The sign before a fraction: `.` (default) or `,`.'),
    absent: '.',
    problem: (value, { delimiter, quote }) =>
      value === ',' && delimiter === comma && quote === 'none'
        ? 'a comma cannot be delimiter and decimal sign of a file without quotes'
        : undefined,
    stored: (decimal) => (decimal === '.' ? {} : { rules: { decimal } }),
  },
  nullValues: {
    parse: parseNullValues,
    absent: [],
    openapi: {
      description:
        'Texts that are null in every column: a JSON array of strings, or texts separated by commas.',
      example: 'n/a,-',
    },
    stored: (nullValues) => (nullValues.length === 0 ? {} : { rules: { nullValues } }),
  },
};
