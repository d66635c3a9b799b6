import { type AppError, invalid } from '../../lib/errors.js';

/** Position for messages, in code points from 1. */
export const positionOf = (text: string, offset: number): number => {
  const before = text.slice(0, offset);
  return before.length - (before.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0) + 1;
};

/** Names of a text in messages, and the stable error codes. */
export interface TextOwner {
  /** Query option, such as `$filter`. */
  readonly option: string;
  readonly noun: string;
  readonly codes: Readonly<Record<'syntax' | 'type' | 'unsupported' | 'limit', string>>;
}

const filterText: TextOwner = {
  option: '$filter',
  noun: 'filter',
  codes: {
    syntax: 'filter_syntax',
    type: 'filter_type',
    unsupported: 'filter_unsupported',
    limit: 'filter_limit',
  },
};

/** Creates the errors of one text. Offsets are UTF-16 indexes. */
export interface Failures {
  readonly owner: TextOwner;
  /** The text breaks the grammar. */
  syntax(offset: number, expected: string, found?: string): AppError;
  /** The text is grammatical, but the types do not match. */
  type(offset: number, message: string): AppError;
  /** The comparison has the same result for every row. */
  noColumn(offset: number, hint?: string): AppError;
  /** Valid OData that this service does not offer. */
  unsupported(offset: number, what: string, hint?: string): AppError;
  limit(offset: number, message: string): AppError;
  /** The text needs more than `maxWork` steps. */
  tooComplex(): AppError;
}

/** @throws AppError for a text with half of a surrogate pair */
export const requireWellFormed = (text: string, failures: Failures): void => {
  const surrogate = text.search(/\p{Surrogate}/u);
  if (surrogate >= 0) throw failures.syntax(surrogate, 'well-formed Unicode', 'half of a surrogate pair');
};

const longestQuote = 40;

/** The text, truncated for a message. */
export const excerpt = (text: string): string => {
  if (text.length <= longestQuote) return text;
  // A code point has at most two UTF-16 units, so this is enough of a long text.
  const characters = [...text.slice(0, 2 * longestQuote + 2)];
  return characters.length > longestQuote ? `${characters.slice(0, longestQuote).join('')}…` : text;
};

/** The next word or character at an offset, for a message. */
const foundAt = (text: string, offset: number, noun: string): string => {
  const rest = text
    .slice(offset)
    .trimStart()
    .slice(0, 4 * longestQuote);
  if (rest === '') return `the end of the ${noun}`;
  const word = /^(?:[\p{L}\p{N}_$.@]+|.)/su.exec(rest);
  return `'${excerpt(word?.[0] ?? rest)}'`;
};

export const createFailures = (text: string, owner: TextOwner = filterText): Failures => {
  const fail = (
    kind: keyof TextOwner['codes'],
    offset: number,
    message: string,
    details: Record<string, unknown> = {},
  ): AppError => {
    const position = positionOf(text, offset);
    return invalid(owner.codes[kind], `${owner.option}, character ${position}: ${message}`, {
      position,
      ...details,
    });
  };
  return {
    owner,
    syntax: (offset, expected, found = foundAt(text, offset, owner.noun)) =>
      fail('syntax', offset, `expected ${expected}, found ${found}`, { expected }),
    type: (offset, message) => fail('type', offset, message),
    noColumn: (offset, hint) =>
      fail(
        'type',
        offset,
        `this comparison names no column; ${hint === undefined ? '' : `${hint}, or `}write a column whose name looks like a value in brackets, as in [2020] gt 50`,
      ),
    unsupported: (offset, what, hint) =>
      fail('unsupported', offset, `${what} not supported here${hint === undefined ? '' : `; ${hint}`}`),
    limit: (offset, message) => fail('limit', offset, message),
    tooComplex: () =>
      invalid(
        'too_complex',
        `The ${owner.noun} is too complex; shorten it, or write column names in brackets.`,
      ),
  };
};
