import type { Concept } from './concepts.js';
import { singular } from './plurals.js';
import { wordsOf } from './words.js';

/** Title of an item, as words without plural endings. */
interface Title {
  readonly words: ReadonlySet<string>;
  /** Without the unit: `Tax revenue (% of GDP)` is not about GDP. */
  readonly core: ReadonlySet<string>;
}

const measures = /\((?:%|per |includes |as )[^)]*\)|,? (?:as )?percent of [^,(]*/gi;

const setOf = (label: string): ReadonlySet<string> => new Set(wordsOf(label).map(singular));

export const readTitle = (label: string): Title => ({
  words: setOf(label),
  core: setOf(label.replace(measures, ' ')),
});

/** How well a title matches a concept: with the words of the query, by another name, by other word forms, or only in its unit. */
export const matchTitle = ({ alternatives }: Concept, { words, core }: Title): number => {
  const indexIn = (set: ReadonlySet<string>): number =>
    alternatives.findIndex((alternative) => alternative.every((word) => set.has(singular(word))));
  const index = indexIn(core);
  if (index === 0) return 1;
  if (index > 0) return 0.98;
  return indexIn(words) < 0 ? 0.85 : 0.5;
};
