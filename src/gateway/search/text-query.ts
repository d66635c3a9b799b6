import type { Concept, Query } from './concepts.js';

/** Parts of a query as texts for `to_tsquery`. Words contain only letters and digits. */

const wordQuery = (word: string, whole: boolean, weights: string): string => {
  const flags = `${whole || word.length < 3 ? '' : '*'}${weights}`;
  return flags === '' ? word : `${word}:${flags}`;
};

/** Matches texts with any of the alternatives. */
const conceptQuery = ({ alternatives, whole, currencies }: Concept, weights: string): string => {
  // Words of a name must be adjacent; two currencies may have words between them.
  const and = whole && currencies === undefined ? ' <-> ' : ' & ';
  const texts = alternatives.map((words) => words.map((word) => wordQuery(word, whole, weights)).join(and));
  return `(${texts.map((text) => `(${text})`).join(' | ')})`;
};

/** Weights of ids and labels in the index. */
export const title = 'AB';

export const conceptQueries = (concepts: readonly Concept[], weights: string): string[] =>
  concepts.map((concept) => conceptQuery(concept, weights));

/** Matches texts with all of the concepts; null if there are none. */
export const allOf = (concepts: readonly Concept[], weights: string): string | null =>
  concepts.length === 0 ? null : conceptQueries(concepts, weights).join(' & ');

/** Minimum share of the query's rarity that a hit must match. */
export const minShare = 0.6;

/** Limit of combinations of concepts in one query, below the worst case of 8 concepts. */
const maxCombinations = 40;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Matches texts with some of the concepts that are rare enough together; null if all of them are needed. */
export const partOf = ({ subjects }: Query, rarities: readonly number[], weights: string): string | null => {
  const least = minShare * sum(rarities);
  const indexes = subjects.map((_, index) => index);
  const chosen = Array.from({ length: 2 ** subjects.length - 2 }, (_, index) => index + 1)
    .map((mask) => indexes.filter((index) => (mask & (2 ** index)) !== 0))
    .filter((set) => {
      const rarity = sum(set.map((index) => rarities[index] ?? 0));
      // Each concept is needed: without any of them the rarity would be too low.
      return rarity >= least && set.every((index) => rarity - (rarities[index] ?? 0) < least);
    })
    .slice(0, maxCombinations);
  if (chosen.length === 0) return null;
  const queries = conceptQueries(subjects, weights);
  return chosen.map((set) => `(${set.map((index) => queries[index]).join(' & ')})`).join(' | ');
};
