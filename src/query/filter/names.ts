import { invalid } from '../../lib/errors.js';
import { firstItems, listed } from '../../lib/listing.js';
import { nearest } from '../../lib/nearest.js';
import { excerpt, positionOf } from './failure.js';
import { isSpaceAt } from './space.js';
import type { Spend } from './steps.js';

/** Finds column names in running text. */
export interface NameIndex {
  has(name: string): boolean;
  /** The longest known name at the offset that ends at a word boundary. */
  longestAt(text: string, offset: number, spend: Spend): string | undefined;
  readonly names: readonly string[];
  /** True if a name begins with a single quote, as text literals do. */
  readonly hasQuoted: boolean;
}

/** True if a bare name may end here. Otherwise it is part of a longer, unknown name. */
const endsName = (text: string, offset: number): boolean => {
  const next = text[offset];
  return next === undefined || next === ')' || next === ',' || isSpaceAt(text, offset);
};

/** End of the word at the offset; gives up after `longest` characters. */
const endOfWord = (text: string, offset: number, longest = text.length): number => {
  let end = offset;
  while (end <= offset + longest && !endsName(text, end)) end += 1;
  return end;
};

/** Hashing this many characters takes as long as one comparison of lengths. */
const hashedPerStep = 16;

export const createNameIndex = (names: readonly string[]): NameIndex => {
  const known = new Set(names);
  // Names are grouped by first word. A search makes one look-up per distinct length in the group, longest first.
  const byWord = new Map<string, Set<number>>();
  for (const name of names) {
    const word = name.slice(0, endOfWord(name, 0));
    const lengths = byWord.get(word);
    if (lengths === undefined) byWord.set(word, new Set([name.length]));
    else lengths.add(name.length);
  }
  const lengthsOf = new Map(
    [...byWord].map(([word, lengths]) => [word, [...lengths].sort((left, right) => right - left)]),
  );
  const longestWord = Math.max(0, ...[...byWord.keys()].map((word) => word.length));
  return {
    names,
    hasQuoted: names.some((name) => name.startsWith("'")),
    has: (name) => known.has(name),
    longestAt: (text, offset, spend) => {
      const end = endOfWord(text, offset, longestWord);
      spend((end - offset) / hashedPerStep);
      for (const length of lengthsOf.get(text.slice(offset, end)) ?? []) {
        spend(1);
        if (!endsName(text, offset + length)) continue;
        spend(length / hashedPerStep);
        const candidate = text.slice(offset, offset + length);
        if (known.has(candidate)) return candidate;
      }
      return undefined;
    },
  };
};

export interface UnknownName {
  readonly name: string;
  readonly start: number;
}

/** A name as it is written in a filter; brackets make blanks at its ends visible. */
const written = (name: string): string =>
  name.trim() === name ? excerpt(name) : `[${excerpt(name.replaceAll(']', ']]'))}]`;

/** Most unknown names that get a suggestion: each costs a pass over all columns. */
const maxSuggestions = 5;

/** Typographic quotes and backticks. */
const otherQuote = /^[`\u2018-\u201f]/;

/** One error that lists every unknown column once, in the order of the text. */
export const unknownColumns = (
  text: string,
  unknown: readonly UnknownName[],
  names: readonly string[],
  option = '$filter',
) => {
  const first = new Map<string, number>();
  for (const { name, start } of unknown) if (!first.has(name)) first.set(name, start);
  const unknownNames = [...first.keys()];
  // A later step may have created a column with the unknown name.
  const others = names.filter((name) => !first.has(name));
  const hints = unknownNames.slice(0, maxSuggestions).flatMap((name) => {
    const near = nearest(name, others);
    return near === undefined ? [] : [`${written(near)} instead of ${excerpt(name)}`];
  });
  const position = positionOf(text, [...first.values()][0] ?? 0);
  const suggestion = hints.length === 0 ? '' : `; did you mean ${hints.join(', ')}?`;
  const hint = unknownNames.some((name) => otherQuote.test(name))
    ? "; write texts in single quotes ('…')"
    : suggestion;
  return invalid(
    'unknown_column',
    `Invalid column names: ${listed(unknownNames.map(excerpt))} (${option}, character ${position})${hint}`,
    { position, columns: firstItems(unknownNames).map(excerpt), count: unknownNames.length },
  );
};
