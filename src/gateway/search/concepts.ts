import { currencies, isWish, isYear, withoutFunctionWords } from './query-words.js';
import { findRegions, type Region } from './regions.js';
import { synonymLines } from './synonyms.js';
import { wordsOf } from './words.js';

/** Part of a query that means one thing: a word, or a phrase with what else it is called. */
export interface Concept {
  /** As the query has it. */
  readonly text: string;
  /** Lists of words, all of which a text must have; the first is that of the query. */
  readonly alternatives: readonly (readonly string[])[];
  /** A word of the query matches the beginnings of words; names and codes match whole words. */
  readonly whole: boolean;
  /** Codes of a currency that the concept names. */
  readonly currencies?: readonly string[];
}

export interface Query {
  /** Concepts that a hit must match, most of them by their rarity. */
  readonly subjects: readonly Concept[];
  /** Frequency, transformation or currency that is wanted. Hits that match come first. */
  readonly wishes: readonly Concept[];
  /** The country or area that the query names. */
  readonly region?: { readonly region: Region; readonly concept: Concept };
}

/** Concepts of a query; the others of a longer text are left out. */
const mostConcepts = 8;

const phrasesOf = (text: string): string[][] => text.split('|').map(wordsOf);

const readSynonyms = (): ReadonlyMap<string, readonly (readonly string[])[]> => {
  const found = new Map<string, string[][]>();
  const add = (phrase: string[], others: string[][]) =>
    found.set(phrase.join(' '), [...(found.get(phrase.join(' ')) ?? [phrase]), ...others]);
  const lines = synonymLines.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    const [from = '', to] = line.split('>');
    const group = phrasesOf(from);
    for (const phrase of group) {
      add(phrase, to === undefined ? group.filter((other) => other !== phrase) : phrasesOf(to));
    }
  }
  return found;
};

const synonyms = readSynonyms();
const longestPhrase = Math.max(...[...synonyms.keys()].map((phrase) => phrase.split(' ').length));

const currencyNames = new Intl.DisplayNames(['en'], { type: 'currency', fallback: 'none' });

const commonNames: Readonly<Record<string, string>> = {
  usd: 'dollar',
  eur: 'euro',
  gbp: 'sterling',
  jpy: 'yen',
  chf: 'franc',
};

/** A currency by its code, its name and the name that people use. */
const namesOfCurrency = (code: string): string[][] => {
  const common = commonNames[code];
  const names = [code, currencyNames.of(code.toUpperCase()) ?? ''].map(wordsOf);
  return [...names, ...(common === undefined ? [] : [[common]])].filter(({ length }) => length > 0);
};

const pairConcept = (from: string, to: string): Concept => ({
  text: `${from}${to}`,
  alternatives: [
    [from, to],
    [`${from}${to}`],
    ...namesOfCurrency(from).flatMap((a) => namesOfCurrency(to).map((b) => [...a, ...b])),
  ],
  whole: true,
  currencies: [from.toUpperCase(), to.toUpperCase()],
});

const isPair = (word: string): boolean =>
  word.length === 6 && currencies.has(word.slice(0, 3)) && currencies.has(word.slice(3));

interface Read {
  readonly concept: Concept;
  readonly length: number;
}

const readCurrency = ([first = '', second = '']: readonly string[]): Read | undefined => {
  if (isPair(first)) return { concept: pairConcept(first.slice(0, 3), first.slice(3)), length: 1 };
  if (!currencies.has(first)) return undefined;
  if (currencies.has(second)) return { concept: pairConcept(first, second), length: 2 };
  const alternatives = namesOfCurrency(first);
  const concept = { text: first, alternatives, whole: true, currencies: [first.toUpperCase()] };
  return { concept, length: 1 };
};

const readPhrase = (words: readonly string[]): Read => {
  for (let length = Math.min(longestPhrase, words.length); length > 0; length -= 1) {
    const text = words.slice(0, length).join(' ');
    const alternatives = synonyms.get(text);
    if (alternatives !== undefined) return { concept: { text, alternatives, whole: false }, length };
  }
  const [word = ''] = words;
  return { concept: { text: word, alternatives: [[word]], whole: word.length < 3 }, length: 1 };
};

const readConcepts = (words: readonly string[]): Concept[] => {
  const found = new Map<string, Concept>();
  for (let at = 0; at < words.length; ) {
    const rest = words.slice(at);
    const { concept, length } = readCurrency(rest) ?? readPhrase(rest);
    found.set(concept.text, concept);
    at += length;
  }
  return [...found.values()];
};

/** Currencies in which amounts are usually wanted: `GDP in USD` is about GDP. */
const isAmount = ({ currencies: codes = [] }: Concept): boolean =>
  codes.length === 1 && (codes[0] === 'USD' || codes[0] === 'EUR');

const aboutRates = ({ text }: Concept): boolean => /^(?:exchange|rates?|forex|fx)$/.test(text);

const isWished = ({ text }: Concept): boolean => isWish(text) || isYear(text);

const split = (concepts: readonly Concept[]): Pick<Query, 'subjects' | 'wishes'> => {
  const about = concepts.filter((concept) => !isWished(concept));
  const others = about.filter((concept) => !isAmount(concept));
  const amounts = others.length > 0 && !others.every(aboutRates);
  const subjects = (amounts ? others : about).slice(0, mostConcepts);
  return {
    subjects,
    wishes: concepts.filter((concept) => !subjects.includes(concept)).slice(0, mostConcepts),
  };
};

/** Returns true for a word that has synonyms. */
export const isTerm = (word: string): boolean => synonyms.has(word);

/** Reads a query of some words. */
export const readQuery = (words: readonly string[]): Query => {
  const [found] = findRegions(words);
  const rest = found === undefined ? words : words.toSpliced(found.at, found.length);
  const concepts = readConcepts(rest.length === 0 ? [] : withoutFunctionWords(rest));
  const { subjects, wishes } = split(concepts);
  if (found === undefined) {
    // A query of wishes alone is about them.
    return subjects.length > 0 ? { subjects, wishes } : { subjects: wishes, wishes: [] };
  }
  const given = words.slice(found.at, found.at + found.length);
  const alternatives = [given, ...found.region.names.filter((name) => name.join(' ') !== given.join(' '))];
  const concept = { text: given.join(' '), alternatives, whole: true };
  return { subjects, wishes, region: { region: found.region, concept } };
};
