import { weakMemo } from '../lib/weak-memo.js';
import type { Provider } from '../providers/provider.js';
import { isFunctionWord } from './search/query-words.js';
import { wordsOf } from './search/words.js';

const maxMatches = 5;

/** Searched texts of a provider, most specific first. */
const places: readonly (readonly [weight: number, text: (provider: Provider) => string])[] = [
  [8, ({ slug }) => slug],
  [5, ({ name }) => name],
  [4, ({ provider }) => provider],
  [2, ({ description }) => description],
  // No description mentions GDP or inflation, but all of these providers have them.
  [1, ({ popularSeries }) => popularSeries.map(({ id, label }) => `${id} ${label}`).join(' ')],
];

const scoreWord = (word: string, texts: readonly string[]): number => {
  if (texts.includes(word)) return 1;
  // Prefixes match from three letters on: "unemploy", but not "a".
  if (word.length >= 3 && texts.some((text) => text.startsWith(word))) return 0.6;
  return word.length >= 4 && texts.some((text) => text.includes(word)) ? 0.3 : 0;
};

/** `countries` also matches `country`. */
const singularOf = (word: string): string =>
  word.length < 5 ? word : word.replace(/ies$/, 'y').replace(/([^su])s$/, '$1');

const scoreForms = (word: string, texts: readonly string[]): number => {
  const singular = singularOf(word);
  const score = scoreWord(word, texts);
  return singular === word ? score : Math.max(score, scoreWord(singular, texts));
};

/** Words of a provider with their weight, split once. */
const searchedOf = weakMemo((provider: Provider) =>
  places.map(([weight, text]) => [weight, [...new Set(wordsOf(text(provider)))]] as const),
);

const scoreProvider = (provider: Provider, words: readonly string[]): { matched: number; score: number } => {
  const texts = searchedOf(provider);
  const scores = words.map((word) =>
    texts.reduce((sum, [weight, found]) => sum + weight * scoreForms(word, found), 0),
  );
  return {
    matched: scores.filter((score) => score > 0).length,
    score: scores.reduce((sum, score) => sum + score, 0),
  };
};

/** Providers that match any word of the query: those that match more words first, then by score. */
export const matchProviders = (providers: readonly Provider[], query: string): Provider[] => {
  // Single letters are fragments of other words.
  const all = [...new Set(wordsOf(query))].filter((word) => !/^[a-z]$/.test(word));
  const content = all.filter((word) => !isFunctionWord(word));
  const words = content.length === 0 ? all : content;
  return providers
    .map((provider) => ({ provider, ...scoreProvider(provider, words) }))
    .filter(({ matched }) => matched > 0)
    .toSorted(
      (a, b) => b.matched - a.matched || b.score - a.score || (a.provider.slug < b.provider.slug ? -1 : 1),
    )
    .slice(0, maxMatches)
    .map(({ provider }) => provider);
};
