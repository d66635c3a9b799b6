import { readSourceLines } from '../../lib/source-files.js';
import { currencyOf, namesOfCurrency } from './currency-names.js';
import { singular } from './plurals.js';
import { isCurrencyPair, isFunctionWord, isWish, isYear } from './query-words.js';
import { findCentralBank, findRegions, type Region, type RegionFound } from './regions.js';
import { wordsOf } from './words.js';

/** Part of a query with one meaning: a word, or a phrase with its other names. */
export interface Concept {
  /** As written in the query. */
  readonly text: string;
  /** Lists of words; a text must have all words of one list. The first list is that of the query. */
  readonly alternatives: readonly (readonly string[])[];
  /** True: whole words must match, as for names and codes. False: a word of the query matches prefixes of words. */
  readonly whole: boolean;
  /** Codes of a currency that the concept names. */
  readonly currencies?: readonly string[];
}

export interface Query {
  /** Concepts that a hit must match, or most of them by rarity. */
  readonly subjects: readonly Concept[];
  /** Requested frequency, transformation or currency. Hits that match come first. */
  readonly wishes: readonly Concept[];
  /** The country or area that the query names. */
  readonly region?: { readonly region: Region; readonly concept: Concept };
}

/** Maximum concepts of a query; those beyond it are ignored. */
const maxConcepts = 8;

const phrasesOf = (text: string): string[][] => text.split('|').map(wordsOf);

/** Key of a phrase, the same for singular and plural. */
const keyOf = (words: readonly string[]): string => words.map(singular).join(' ');

const readSynonyms = (): ReadonlyMap<string, readonly (readonly string[])[]> => {
  const found = new Map<string, string[][]>();
  const add = (phrase: string[], others: string[][]) =>
    found.set(keyOf(phrase), [...(found.get(keyOf(phrase)) ?? [phrase]), ...others]);
  for (const line of readSourceLines('search/synonyms.txt')) {
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

interface Read {
  readonly concept: Concept;
  readonly length: number;
}

const readCurrency = (words: readonly string[]): Read | undefined => {
  const [word = ''] = words;
  // `ALL` is the code of the lek.
  if (isFunctionWord(word)) return undefined;
  if (isCurrencyPair(word)) return { concept: pairConcept(word.slice(0, 3), word.slice(3)), length: 1 };
  const first = currencyOf(words);
  if (first === undefined) return undefined;
  // `pound to dollar`, `NOK per EUR`
  const between = words.slice(first.length).findIndex((other) => !isFunctionWord(other));
  const second = between < 0 ? undefined : currencyOf(words.slice(first.length + between));
  if (second !== undefined && second.code !== first.code) {
    const length = first.length + between + second.length;
    return { concept: pairConcept(first.code, second.code), length };
  }
  const given = words.slice(0, first.length);
  const names = namesOfCurrency(first.code).filter((name) => name.join(' ') !== given.join(' '));
  const codes = [first.code.toUpperCase()];
  const concept = { text: given.join(' '), alternatives: [given, ...names], whole: true, currencies: codes };
  return { concept, length: first.length };
};

const readPhrase = (words: readonly string[]): Read => {
  for (let length = Math.min(longestPhrase, words.length); length > 0; length -= 1) {
    const given = words.slice(0, length);
    const alternatives = synonyms.get(keyOf(given));
    if (alternatives !== undefined) {
      return { concept: { text: given.join(' '), alternatives, whole: false }, length };
    }
  }
  const [word = ''] = words;
  return { concept: { text: word, alternatives: [[word]], whole: word.length < 3 }, length: 1 };
};

const readConcepts = (words: readonly string[]): Concept[] => {
  const found = new Map<string, Concept>();
  for (let at = 0; at < words.length; ) {
    const rest = words.slice(at);
    const { concept, length } = readCurrency(rest) ?? readPhrase(rest);
    // Function words count within a phrase: `per capita`.
    if (length > 1 || !isFunctionWord(concept.text)) found.set(concept.text, concept);
    at += length;
  }
  return [...found.values()];
};

/** Currencies in which amounts are usually requested: `GDP in USD` is about GDP. */
const isAmount = ({ text, currencies: codes = [] }: Concept): boolean =>
  codes.length === 1 && /^(?:usd|eur|(?:us )?dollars|euros)$/.test(text);

const aboutRates = ({ text }: Concept): boolean => /^(?:exchange|rates?|forex|fx)$/.test(text);

/** A query for a share means its price. */
const isSharePrice = (text: string): boolean => /^(?:shares?|stocks?)(?: (?:price|quote)s?)?$/.test(text);

const isWished = ({ text }: Concept): boolean => isWish(text) || isYear(text) || isSharePrice(text);

const split = (concepts: readonly Concept[]): Pick<Query, 'subjects' | 'wishes'> => {
  const about = concepts.filter((concept) => !isWished(concept));
  const others = about.filter((concept) => !isAmount(concept));
  const amounts = others.length > 0 && !others.every(aboutRates);
  const subjects = (amounts ? others : about).slice(0, maxConcepts);
  return {
    subjects,
    wishes: concepts.filter((concept) => !subjects.includes(concept)).slice(0, maxConcepts),
  };
};

const readWords = (words: readonly string[]): Concept[] =>
  words.map((word) => ({ text: word, alternatives: [[word]], whole: true }));

/** Words of synonyms, and of the terms that they stand for. */
export const synonymWords: ReadonlySet<string> = new Set(
  [...synonyms.values()].flatMap((alternatives) => alternatives.flat()),
);

export const isTerm = (word: string): boolean => synonyms.has(keyOf([word]));

const policyRate = ['policy', 'rate'];

/** Words with which the name of a central bank means its policy rate. */
const isAboutPolicyRate = (word: string): boolean =>
  /^(?:base|cash|central|interest|key|policy|repo|rates?)$/.test(word);

/** `Canadian dollar` is a currency and not about Canada. */
const isCurrencyName = (words: readonly string[], { at, length }: RegionFound): boolean =>
  (currencyOf(words.slice(at))?.length ?? 0) > length;

/** Words without the regions that they name; the first one is the subject of a hit. */
const withoutRegions = (words: readonly string[]): readonly string[] =>
  findRegions(words)
    .filter((region) => !isCurrencyName(words, region))
    .toReversed()
    .reduce((rest, { at, length }) => rest.toSpliced(at, length), words);

/** The words of a query without the region. A central bank alone, or with `rate`, means the policy rate of its region. */
const restOf = (words: readonly string[], { at, length, centralBank }: RegionFound): readonly string[] => {
  const rest = withoutRegions(words.toSpliced(at, length));
  if (centralBank !== true) return rest;
  return rest.every((word) => isFunctionWord(word) || isAboutPolicyRate(word)) ? policyRate : rest;
};

export const readQuery = (words: readonly string[]): Query => {
  const found = findCentralBank(words) ?? findRegions(words).find((region) => !isCurrencyName(words, region));
  const rest = found === undefined ? words : restOf(words, found);
  const read = readConcepts(rest);
  // A query that has only function words is about them.
  const concepts = read.length > 0 || found !== undefined ? read : readWords(rest);
  const { subjects, wishes } = split(concepts);
  if (found === undefined) {
    // A query that has only wishes is about them.
    return subjects.length > 0 ? { subjects, wishes } : { subjects: wishes, wishes: [] };
  }
  const given = words.slice(found.at, found.at + found.length);
  const alternatives = [given, ...found.region.names.filter((name) => name.join(' ') !== given.join(' '))];
  const concept = { text: given.join(' '), alternatives, whole: true };
  return { subjects, wishes, region: { region: found.region, concept } };
};
