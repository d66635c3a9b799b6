import { areaLines, countryLines } from './place-names.js';
import { wordsOf } from './words.js';

/** A country or an area of countries. */
export interface Place {
  readonly name: string;
  /** Codes that statistics offices use for it, in capitals; two letters, then three, then others. */
  readonly codes: readonly string[];
  /** Words of each of its names and adjectives. */
  readonly names: readonly (readonly string[])[];
}

const splitNames = (text: string): string[] => text.split('|').map((name) => name.trim());

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Codes of offices that differ from those of ISO 3166-1. */
const otherCodes: Readonly<Record<string, readonly string[]>> = { GR: ['EL'], GB: ['UK'] };

const readCountry = (line: string): Place => {
  const [name = '', ...others] = splitNames(line.slice(7));
  const two = line.slice(0, 2);
  const codes = [two, line.slice(3, 6), ...(otherCodes[two] ?? [])];
  return { name, codes, names: [name, ...others].map(wordsOf) };
};

const readArea = (line: string): Place => {
  const space = line.indexOf(' ');
  const [name = '', ...others] = splitNames(line.slice(space + 1));
  return { name, codes: line.slice(0, space).split(','), names: [name, ...others].map(wordsOf) };
};

export const places: readonly Place[] = [
  ...linesOf(countryLines).map(readCountry),
  ...linesOf(areaLines).map(readArea),
];

const byCode = new Map(places.flatMap((place) => place.codes.map((code) => [code, place] as const)));
const byName = new Map(
  places.flatMap((place) => place.names.map((words) => [words.join(' '), place] as const)),
);
const longestName = Math.max(...places.flatMap(({ names }) => names.map(({ length }) => length)));

/** The place that an office has under a code. */
export const placeOfCode = (code: string): Place | undefined => byCode.get(code.toUpperCase());

/** The place that a text names as a whole, by a name in any case or by a code. */
export const placeOf = (text: string): Place | undefined =>
  byName.get(wordsOf(text).join(' ')) ?? placeOfCode(text.trim());

/** Part of a text that names a place. */
export interface PlaceFound {
  readonly place: Place;
  /** Position of its first word, and how many words name it. */
  readonly at: number;
  readonly length: number;
}

const dollars: ReadonlySet<string | undefined> = new Set(['dollar', 'dollars', 'usd']);

/** `US dollar` and `US$` are a currency, not a place. */
const isCurrency = (words: readonly string[], end: number): boolean => dollars.has(words[end]);

const placeAt = (words: readonly string[], at: number): PlaceFound | undefined => {
  for (let length = Math.min(longestName, words.length - at); length > 0; length -= 1) {
    const place = byName.get(words.slice(at, at + length).join(' '));
    if (place !== undefined && !isCurrency(words, at + length)) return { place, at, length };
  }
  return undefined;
};

/** Names of places in a list of words, the longest ones. Codes count only where they are common words: `us`, `uk`. */
export const findPlaces = (words: readonly string[]): PlaceFound[] => {
  const found: PlaceFound[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const place = placeAt(words, at);
    if (place === undefined) continue;
    found.push(place);
    at += place.length - 1;
  }
  return found;
};
