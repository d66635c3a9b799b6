import { invalid } from '../../lib/errors.js';
import { excerpt, positionOf } from './failure.js';

/** Finds column names in running text. */
export interface NameIndex {
  has(name: string): boolean;
  /** The longest known name that stands at the offset and ends there as a word does. */
  longestAt(text: string, offset: number): string | undefined;
  readonly names: readonly string[];
  /** True when some name begins with a quote, as texts do. */
  readonly hasQuoted: boolean;
}

/** What may follow a bare name; anything else makes it part of a longer, unknown one. */
const endsName = (text: string, offset: number): boolean => {
  const next = text[offset];
  return next === undefined || next === ')' || next === ',' || /\s/.test(next);
};

export const createNameIndex = (names: readonly string[]): NameIndex => {
  const known = new Set(names);
  // One look-up per distinct length, not per name: 10,000 columns cost no more than their lengths differ.
  const lengths = [...new Set(names.map((name) => name.length))].sort((left, right) => right - left);
  return {
    names,
    hasQuoted: names.some((name) => name.startsWith("'")),
    has: (name) => known.has(name),
    longestAt: (text, offset) => {
      for (const length of lengths) {
        if (length === 0 || offset + length > text.length) continue;
        if (!endsName(text, offset + length)) continue;
        const candidate = text.slice(offset, offset + length);
        if (known.has(candidate)) return candidate;
      }
      return undefined;
    },
  };
};

/** Edits (insert, delete, replace) between two short texts, or `limit` + 1 when there are more. */
const distance = (left: string, right: string, limit: number): number => {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? limit + 1;
};

const longestCompared = 64;

/** A known name that differs by case or by a slip of the keyboard. */
const nearest = (name: string, names: readonly string[]): string | undefined => {
  const folded = name.toLowerCase();
  if (folded.length > longestCompared) return undefined;
  let best: { name: string; edits: number } | undefined;
  const limit = folded.length < 4 ? 1 : 2;
  for (const candidate of names) {
    const edits = distance(folded, candidate.toLowerCase(), limit);
    if (edits <= limit && edits < folded.length && (best === undefined || edits < best.edits))
      best = { name: candidate, edits };
  }
  return best?.name;
};

export interface UnknownName {
  readonly name: string;
  readonly start: number;
}

/** A name as it can be written, blanks at its ends visible. */
const written = (name: string): string =>
  name.trim() === name ? excerpt(name) : `[${excerpt(name.replaceAll(']', ']]'))}]`;

/** Names that get a suggestion: each costs a pass over all columns. */
const suggested = 5;

/** Quotes that a word processor puts in. */
const otherQuote = /^[`\u2018-\u201f]/;

/** One error that lists every unknown column, each once, in the order of the text. */
export const unknownColumns = (
  text: string,
  unknown: readonly UnknownName[],
  names: readonly string[],
  option = '$filter',
) => {
  const first = new Map<string, number>();
  for (const { name, start } of unknown) if (!first.has(name)) first.set(name, start);
  const listed = [...first.keys()];
  const hints = listed.slice(0, suggested).flatMap((name) => {
    const near = nearest(name, names);
    return near === undefined ? [] : [`${written(near)} instead of ${excerpt(name)}`];
  });
  const position = positionOf(text, [...first.values()][0] ?? 0);
  const meant = hints.length === 0 ? '' : `; did you mean ${hints.join(', ')}?`;
  const hint = listed.some((name) => otherQuote.test(name)) ? "; write texts in single quotes ('…')" : meant;
  return invalid(
    'unknown_column',
    `Invalid column names: ${listed.map(excerpt).join(', ')} (${option}, character ${position})${hint}`,
    { position, columns: listed.map(excerpt) },
  );
};
