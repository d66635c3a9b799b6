import type { Concept, Query } from './concepts.js';
import { findRegions, type Region } from './regions.js';
import { minShare } from './text-query.js';
import { matchTitle, readTitle } from './titles.js';
import { wordsOf } from './words.js';

/** An item that may be a hit, with its data in the index or the bundled lists. */
export interface Candidate {
  readonly provider: string;
  readonly id: string;
  readonly label: string;
  readonly kind: 'series' | 'folder';
  readonly popular: boolean;
  readonly frequency: string | null;
  /** Concepts of the query that its id or label matches: region, subjects, wishes. */
  readonly inTitle: readonly boolean[];
  /** The same for all of its texts. */
  readonly anywhere: readonly boolean[];
}

/** Properties of the provider of an item. */
export interface ProviderTraits {
  readonly needsKey: boolean;
  /** Region of its series unless they name another. */
  readonly home: Region | undefined;
  /** Parameters for items about a region; undefined if it has no such parameter or value. */
  paramsOf(region: Region): Readonly<Record<string, string>> | undefined;
  readonly takesRegions: boolean;
}

export interface Ranked {
  readonly candidate: Candidate;
  readonly params: Readonly<Record<string, string>> | undefined;
}

const scores = {
  exactId: 6,
  exactLabel: 4,
  idPrefix: 2,
  coverage: 10,
  region: 4,
  home: 0.4,
  popular: 1.5,
  wish: 0.3,
  density: 1.5,
  folder: -0.5,
  /** Score of a hit that names a region when the query names none. */
  otherRegion: -1,
  /** Scores of growth rates and of parts of what the query names. */
  growth: -0.9,
  part: -0.5,
  /** Score per step of frequency: of otherwise equal series the more frequent one comes first. */
  frequent: 0.15,
  key: -0.05,
} as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Concepts of a query in the order of `inTitle` and `anywhere`. */
export const conceptsOf = ({ region, subjects, wishes }: Query): Concept[] => [
  ...(region === undefined ? [] : [region.concept]),
  ...subjects,
  ...wishes,
];

interface Measured {
  readonly coverage: number;
  /** Share of the title's words that are in the query. */
  readonly density: number;
}

const measure = (
  { label, inTitle, anywhere }: Candidate,
  words: readonly string[],
  concepts: readonly Concept[],
  rarities: readonly number[],
  first: number,
): Measured & { readonly share: number } => {
  const title = readTitle(label);
  const matches = concepts.map((concept, index) => {
    if (inTitle[first + index] === true) return matchTitle(concept, title);
    return anywhere[first + index] === true ? 0.25 : 0;
  });
  const total = sum(rarities) || 1;
  const found = concepts.filter((_, index) => inTitle[first + index] === true).length;
  return {
    coverage: sum(matches.map((match, index) => match * (rarities[index] ?? 0))) / total,
    share: sum(matches.map((match, index) => (match > 0 ? (rarities[index] ?? 0) : 0))) / total,
    density: found / Math.max(1, words.length),
  };
};

type RegionMatch = { readonly score: number; readonly params?: Readonly<Record<string, string>> };

/** Score of an item for the region of the query; undefined if it is about another region. */
const regionScore = (
  region: Region,
  candidate: Candidate,
  words: readonly string[],
  traits: ProviderTraits | undefined,
): RegionMatch | undefined => {
  const params = candidate.kind === 'series' ? traits?.paramsOf(region) : undefined;
  if (params !== undefined) return { score: scores.region, params };
  // A national source comes before an international one.
  if (candidate.inTitle[0] === true) {
    return { score: scores.region + (traits?.home === region ? scores.home : 0) };
  }
  if (candidate.kind === 'folder') return { score: 0 };
  if (traits?.takesRegions === true) return undefined;
  const named = findRegions(words).map((found) => found.region);
  if (named.includes(region)) return { score: scores.region };
  if (named.length > 0) return undefined;
  if (traits?.home === undefined) return { score: candidate.anywhere[0] === true ? scores.region / 2 : 0 };
  return traits.home === region ? { score: scores.region + scores.home } : undefined;
};

interface RankOptions {
  /** The query in lower case. */
  readonly plain: string;
  readonly query: Query;
  /** Rarity of each subject: the rarer a word, the more a match counts. */
  readonly rarities: readonly number[];
  readonly traitsOf: (provider: string) => ProviderTraits | undefined;
  /** Minimum share of the query's rarity that a hit must match. @default minShare */
  readonly least?: number;
}

const isPrice = (text: string): boolean => /^prices?$/.test(text);

const isPart = (word: string): boolean => /^(?:core|except|excluding|less)$/.test(word);

const asksForPart = ({ subjects }: Query): boolean => subjects.some(({ text }) => isPart(text));

/** Rank of the frequency in a title: 0 for a year or none. */
const frequencyOf = (words: readonly string[]): number =>
  words.includes('daily') || words.includes('weekly') || words.includes('monthly')
    ? 2
    : Number(words.includes('quarterly'));

const asksForGrowth = ({ subjects, wishes }: Query): boolean =>
  [...subjects, ...wishes].some(({ text }) => /^(?:growth|change|inflation|mom|qoq|yoy)$/.test(text));

const rankOne = (
  candidate: Candidate,
  { plain, query, rarities, traitsOf, least = minShare }: RankOptions,
) => {
  const { region, subjects, wishes } = query;
  const words = wordsOf(candidate.label);
  const traits = traitsOf(candidate.provider);
  const first = region === undefined ? 0 : 1;
  const id = candidate.id.toLowerCase();
  const exact = id === plain || id.startsWith(plain);
  const matched = region === undefined ? { score: 0 } : regionScore(region.region, candidate, words, traits);
  if (matched === undefined && !exact) return undefined;
  // A query that only names a region is about the region.
  if (subjects.length === 0 && (matched?.score ?? 0) === 0 && !exact) return undefined;
  const { coverage, share, density } = measure(candidate, words, subjects, rarities, first);
  if (subjects.length > 0 && share < least && !exact) return undefined;
  // A price is not the commodity itself.
  if (subjects.some(({ text }, index) => isPrice(text) && candidate.anywhere[first + index] !== true))
    return undefined;
  const wished = wishes.filter((_, index) => candidate.anywhere[first + subjects.length + index] === true);
  const score =
    (id === plain ? scores.exactId : id.startsWith(plain) ? scores.idPrefix : 0) +
    (candidate.label.toLowerCase() === plain ? scores.exactLabel : 0) +
    scores.coverage * coverage +
    (matched?.score ?? 0) +
    scores.density * density +
    scores.wish * wished.length +
    (candidate.popular ? scores.popular : 0) +
    (candidate.kind === 'folder' ? scores.folder : 0) +
    (region === undefined && !candidate.popular && findRegions(words).length > 0 ? scores.otherRegion : 0) +
    (words.includes('growth') && !asksForGrowth(query) ? scores.growth : 0) +
    (words.some(isPart) && !asksForPart(query) ? scores.part : 0) +
    scores.frequent * frequencyOf(words) +
    (traits?.needsKey === true ? scores.key : 0);
  return { candidate, params: matched?.params, score };
};

/** Hits among candidates, best first. */
export const rank = (candidates: readonly Candidate[], options: RankOptions): Ranked[] =>
  candidates
    .map((candidate) => rankOne(candidate, options))
    .filter((ranked) => ranked !== undefined)
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        a.candidate.label.length - b.candidate.label.length ||
        (a.candidate.provider + a.candidate.id < b.candidate.provider + b.candidate.id ? -1 : 1),
    );
