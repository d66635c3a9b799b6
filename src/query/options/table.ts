import { notFound } from '../../lib/errors.js';
import { type Instant, instantForm, parseInstant } from '../../lib/instant.js';
import { type Appearance, plainAppearance } from '../formats/format.js';
import { type Format, formatNames } from '../formats/formats.js';
import {
  asItIs,
  badOption,
  countOption,
  flagOption,
  isGiven,
  type Option,
  parseChoice,
  parseCount,
  parseText,
  textOption,
} from './option.js';

/** Parsed options; column names are not yet resolved. */
export interface DownloadOptions extends Appearance {
  /** Undefined if not given: the `Accept` header may choose it. */
  readonly format: Format | undefined;
  readonly select: string | readonly string[] | undefined;
  /** Applied before all other options. */
  readonly apply: string | undefined;
  readonly filter: string | undefined;
  readonly search: string | undefined;
  readonly orderBy: string | undefined;
  readonly top: number | undefined;
  readonly skip: number | undefined;
  readonly last: number | undefined;
  /** Rows per page. */
  readonly pageSize: number | undefined;
  /** Token from the previous page. */
  readonly skipToken: string | undefined;
  readonly count: boolean;
  readonly distinct: boolean;
  /** Entity columns to prepend to the selected ones. */
  readonly entities: 'all' | 'selected';
  readonly combineEntities: boolean;
  readonly includeIds: boolean;
  readonly dropNA: boolean;
  readonly transpose: boolean;
  readonly versionId: number | undefined;
  /** Selects the version that was current at this time. */
  readonly asOf: Instant | undefined;
}

export type OptionKey = keyof DownloadOptions;

/** Items of a list in the POST form are literal names. The text form is split later. */
const parseSelect = (value: unknown, name: string): string | readonly string[] => {
  if (!Array.isArray(value)) return typeof value === 'number' ? String(value) : parseText(value, name);
  if (value.length === 0) throw badOption(name, 'must not be empty');
  return value.map((item: unknown) => {
    if (typeof item === 'string' || typeof item === 'number') return String(item);
    throw badOption(name, 'must list names or ids of columns');
  });
};

const parseVersionId = (value: unknown, name: string): number => {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,40}$/.test(text))
    throw badOption(name, 'must be the id of a version');
  // No version has an id beyond 2^53.
  if (!Number.isSafeInteger(Number(text)))
    throw notFound('unknown_version', `The dataset has no version ${text}.`);
  return Number(text);
};

const parseAsOf = (value: unknown, name: string): Instant => {
  const instant = parseInstant(parseText(value, name));
  if (instant === undefined) throw badOption(name, instantForm);
  return instant;
};

const parsePageSize = (value: unknown, name: string): number => {
  const rows = parseCount(value, name);
  if (rows === 0) throw badOption(name, 'must be at least 1');
  return rows;
};

/**
 * Definitions of the download options: how they are parsed and documented, whether a link to the whole file can answer,
 * and what distinguishes two answers. Their effect is implemented in `plan.ts`, `statement.ts` and the formats.
 */
export const options: { readonly [K in OptionKey]: Option<DownloadOptions[K]> } = {
  versionId: {
    name: 'versionId',
    parse: parseVersionId,
    absent: undefined,
    decides: 'rows',
    openapi: { type: 'string', description: 'Id of a version; without it the current data.' },
    example: '1',
    shapesRows: () => false,
    appearance: undefined,
    // Every tag already includes the version and the column names.
    tag: () => undefined,
  },
  asOf: {
    name: 'asOf',
    parse: parseAsOf,
    absent: undefined,
    decides: 'rows',
    openapi: {
      type: 'string',
      description:
        'The version that was current then, under the names it had: a day (its end) or a time; UTC unless it has a zone. Not with `versionId`.',
    },
    example: '2099-12-31',
    shapesRows: () => false,
    appearance: undefined,
    tag: () => undefined,
  },
  apply: {
    ...textOption,
    name: '$apply',
    openapi: {
      type: 'string',
      description:
        'Steps of OData Data Aggregation: `filter(…)`, `compute(…)`, `groupby((…),aggregate(…))`, `aggregate(…)`, `orderby(…)`, `top(n)`, `skip(n)`, joined by `/`. The other options work on their result.',
    },
    example: 'groupby((Country),aggregate(GDP with sum as GDP))',
    tag: (_, { applied }) => applied?.normalized,
  },
  filter: {
    ...textOption,
    name: '$filter',
    openapi: {
      type: 'string',
      description: "OData condition, such as `Country eq 'France' and Date ge 2020-01-01`.",
    },
    example: "Country eq 'France'",
    tag: (_, { filter }) => filter?.normalized,
  },
  search: {
    ...textOption,
    name: '$search',
    openapi: {
      type: 'string',
      maxLength: 1_000,
      description:
        'Words or `"phrases"` that a text column must contain, whatever the case of letters; joined by `AND` or nothing, `OR`, `NOT` and parentheses.',
    },
    example: 'France OR Spain',
    // The normal form of `$filter` and `$search` combined.
    tag: (_, { filter }) => filter?.normalized,
  },
  last: countOption(
    '$last',
    'Rows of the last N distinct dates; `Row-Count` then says how many rows the dataset has.',
  ),
  dropNA: flagOption('dropNA', 'Leave out rows whose value columns are all null.'),
  orderBy: {
    ...textOption,
    name: '$orderby',
    openapi: {
      type: 'string',
      description: 'Columns with `asc` or `desc`, separated by commas. Nulls last, ties in upload order.',
    },
    example: 'Date desc',
    tag: (_, { order }) => order.map(({ column, descending }) => [column.id, descending]),
  },
  distinct: flagOption(
    '$distinct',
    'Each combination of the selected columns once; needs `$select`, prepends nothing.',
  ),
  skip: countOption('$skip', 'Leave out the first N rows.'),
  top: countOption('$top', 'First N rows; the header `Row-Count` then says how many match `$filter`.'),
  pageSize: {
    ...countOption(
      '$pagesize',
      'Rows of one page. While more follow, the header `Link` holds the address of the next page, with `rel="next"`.',
    ),
    parse: parsePageSize,
    decides: 'page',
  },
  skipToken: {
    ...textOption,
    name: '$skiptoken',
    decides: 'page',
    openapi: {
      type: 'string',
      maxLength: 500,
      description:
        'Where a page begins: taken from the address of the next page, together with the options of the first. It names the version.',
    },
    example: 'WzEsMV0.c2lnbmF0dXJl',
    tag: asItIs,
  },
  count: flagOption('$count', 'Return only the number of rows.'),
  select: {
    name: '$select',
    parse: parseSelect,
    absent: undefined,
    decides: 'rows',
    openapi: {
      type: 'string',
      description:
        'Columns by name or id, separated by commas; `"…"` or `[…]` around a name that holds commas. Entity columns are prepended.',
    },
    example: 'GDP',
    shapesRows: isGiven,
    appearance: undefined,
    tag: (_, { chosen }) => chosen.map(({ id }) => id),
  },
  entities: {
    name: 'entities',
    parse: parseChoice(['all', 'selected']),
    absent: 'all',
    decides: 'rows',
    openapi: {
      type: 'string',
      enum: ['all', 'selected'],
      default: 'all',
      description: '`selected`: of the entity columns only those that `$select` names are in the answer.',
    },
    example: 'selected',
    shapesRows: (value) => value !== 'all',
    appearance: undefined,
    tag: asItIs,
  },
  combineEntities: flagOption('combineEntities', 'One column with the values of all entity columns.'),
  includeIds: flagOption('includeIds', 'Names in the header as `name [id]`.'),
  // A whole transposed table is a file too.
  transpose: flagOption('transpose', 'Dates become column headers, columns become rows.', () => false),
  format: {
    name: '$format',
    parse: parseChoice(formatNames),
    absent: undefined,
    decides: 'bytes',
    openapi: {
      type: 'string',
      enum: formatNames,
      default: 'csv',
      description: 'Format of the rows. Without it csv, unless `Accept` names other types and no wildcard.',
    },
    example: 'json',
    shapesRows: () => false,
    appearance: undefined,
    // The plan adds the negotiated format to the tag.
    tag: () => undefined,
  },
  decimals: {
    name: '$decimals',
    parse: parseChoice(['number', 'string']),
    absent: plainAppearance.decimals,
    decides: 'bytes',
    openapi: {
      type: 'string',
      enum: ['number', 'string'],
      default: 'number',
      description: 'JSON numbers as numbers or as strings.',
    },
    example: 'string',
    shapesRows: (value) => value !== 'number',
    appearance: { key: 'decimals', elsewhere: (format) => `; ${format} always keeps all digits.` },
    tag: asItIs,
  },
  quote: {
    name: '$quote',
    parse: parseChoice(['all', 'minimal']),
    absent: plainAppearance.quote,
    decides: 'bytes',
    openapi: {
      type: 'string',
      enum: ['all', 'minimal'],
      default: 'all',
      description: 'CSV and TSV: quotes around all texts and dates, or only where a reader needs them.',
    },
    example: 'minimal',
    shapesRows: (value) => value !== 'all',
    appearance: { key: 'quote', elsewhere: (format) => `, the format is ${format}.` },
    tag: asItIs,
  },
};

export const optionKeys = Object.keys(options) as OptionKey[];
