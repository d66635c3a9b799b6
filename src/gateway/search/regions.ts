import { readSourceLines } from '../../lib/source-files.js';
import { wordsOf } from './words.js';

/** A country or an area of countries. */
export interface Region {
  readonly name: string;
  /** Codes in statistics, in capitals: two letters, then three, then others. */
  readonly codes: readonly string[];
  /** Words of each of its names and adjectives. */
  readonly names: readonly (readonly string[])[];
}

const splitNames = (text: string): string[] => text.split('|').map((name) => name.trim());

const readRegion = (line: string): Region => {
  const space = line.indexOf(' ');
  const [name = '', ...others] = splitNames(line.slice(space + 1));
  return { name, codes: line.slice(0, space).split(','), names: [name, ...others].map(wordsOf) };
};

export const regions: readonly Region[] = [
  ...readSourceLines('search/countries.txt'),
  ...readSourceLines('search/areas.txt'),
].map(readRegion);

/** Words of the names of all regions, those that are complete names first. */
export const regionWords: ReadonlySet<string> = new Set(
  regions
    .flatMap(({ names }) => names)
    .toSorted((a, b) => Number(a.length > 1) - Number(b.length > 1))
    .flat(),
);

const byCode = new Map(regions.flatMap((region) => region.codes.map((code) => [code, region] as const)));
const byName = new Map(
  regions.flatMap((region) => region.names.map((words) => [words.join(' '), region] as const)),
);
const longestName = Math.max(...regions.flatMap(({ names }) => names.map(({ length }) => length)));

export const regionOfCode = (code: string): Region | undefined => byCode.get(code.toUpperCase());

/** The region that the whole text names, by a name in any case or by a code. */
export const regionOf = (text: string): Region | undefined =>
  byName.get(wordsOf(text).join(' ')) ?? regionOfCode(text.trim());

/** Part of a text that names a region. */
export interface RegionFound {
  readonly region: Region;
  /** Position of its first word, and number of words. */
  readonly at: number;
  readonly length: number;
  /** True if the words name the central bank of the region. */
  readonly centralBank?: true;
}

const dollars: ReadonlySet<string | undefined> = new Set(['dollar', 'dollars', 'usd']);

/** `US dollar` and `US$` are a currency, not a region. */
const isCurrency = (words: readonly string[], end: number): boolean => dollars.has(words[end]);

const regionAt = (words: readonly string[], at: number): RegionFound | undefined => {
  for (let length = Math.min(longestName, words.length - at); length > 0; length -= 1) {
    const region = byName.get(words.slice(at, at + length).join(' '));
    if (region !== undefined && !isCurrency(words, at + length)) return { region, at, length };
  }
  return undefined;
};

/** Regions named in a list of words, the longest names first. Codes count only if they are common words: `us`, `uk`. */
export const findRegions = (words: readonly string[]): RegionFound[] => {
  const found: RegionFound[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const region = regionAt(words, at);
    if (region === undefined) continue;
    found.push(region);
    at += region.length - 1;
  }
  return found;
};

const centralBanks: ReadonlyMap<string, Region> = new Map(
  readSourceLines('search/central-banks.txt').flatMap((line) => {
    const region = regionOfCode(line.slice(0, line.indexOf(' ')));
    const names = splitNames(line.slice(line.indexOf(' ') + 1));
    return region === undefined ? [] : names.map((name) => [wordsOf(name).join(' '), region] as const);
  }),
);
const longestBank = Math.max(...[...centralBanks.keys()].map((name) => name.split(' ').length));

/** The central bank in a query, as its region. */
export const findCentralBank = (words: readonly string[]): RegionFound | undefined => {
  for (let at = 0; at < words.length; at += 1) {
    for (let length = Math.min(longestBank, words.length - at); length > 0; length -= 1) {
      const region = centralBanks.get(words.slice(at, at + length).join(' '));
      if (region !== undefined) return { region, at, length, centralBank: true };
    }
  }
  return undefined;
};
