import type { Provider, SeriesPattern } from '../../providers/provider.js';
import type { Concept, Query } from './concepts.js';
import { singular } from './plurals.js';
import { type Candidate, conceptsOf, type ProviderTraits } from './ranking.js';
import { type Region, regionOfCode } from './regions.js';
import { wordsOf } from './words.js';

const hasWord = (words: readonly string[], word: string, whole: boolean): boolean =>
  words.some(
    (found) =>
      singular(found) === singular(word) || (!whole && word.length >= 3 && found.startsWith(singular(word))),
  );

/** Returns true if the words contain the concept, by any of its names. */
export const matches = ({ alternatives, whole }: Concept, words: readonly string[]): boolean =>
  alternatives.some((alternative) => alternative.every((word) => hasWord(words, word, whole)));

interface Code {
  readonly code: string;
  readonly label: string;
}

const codesOf = ({ codes, labels }: SeriesPattern): Code[] =>
  codes.map((code) => ({ code, label: labels?.[code] ?? regionOfCode(code)?.name ?? code }));

const namesRegion = ({ labels }: SeriesPattern): boolean => labels === undefined;

/** Codes of a pattern that the query names. */
const codesNamed = (pattern: SeriesPattern, { region, subjects, wishes }: Query): Code[] => {
  if (namesRegion(pattern)) {
    return region === undefined
      ? []
      : codesOf(pattern).filter(({ code }) => regionOfCode(code) === region.region);
  }
  const concepts = [...subjects, ...wishes];
  return codesOf(pattern).filter(({ code, label }) =>
    concepts.some(
      (concept) => concept.currencies?.includes(code) === true || matches(concept, wordsOf(label)),
    ),
  );
};

export interface PatternCandidate extends Candidate {
  /** Prefix of the ids of its family. */
  readonly family: string;
}

const toCandidate = (
  provider: Provider,
  pattern: SeriesPattern,
  { code, label }: Code,
  query: Query,
): PatternCandidate => {
  const title = `${pattern.label}, ${label}`;
  const id = pattern.id.replace('{}', code);
  const words = wordsOf(`${title} ${id}`);
  const flags = conceptsOf(query).map(
    (concept, index) =>
      (query.region !== undefined && index === 0 && namesRegion(pattern)) ||
      matches(concept, words) ||
      (concept.currencies?.every((one) => words.includes(one.toLowerCase())) ?? false),
  );
  return {
    provider: provider.slug,
    family: pattern.id.slice(0, pattern.id.indexOf('{}')),
    id,
    label: title,
    kind: 'series',
    popular: true,
    frequency: null,
    inTitle: flags,
    anywhere: flags,
  };
};

/** Series of the providers' patterns with codes that the query names. */
export const patternCandidates = (providers: readonly Provider[], query: Query): PatternCandidate[] =>
  providers.flatMap((provider) =>
    (provider.patterns ?? []).flatMap((pattern) =>
      codesNamed(pattern, query).map((code) => toCandidate(provider, pattern, code, query)),
    ),
  );

/** Properties of a provider for the ranking of its items. */
export const traitsOf = (provider: Provider): ProviderTraits => {
  const parameter = provider.parameters.find(({ regions }) => regions === true);
  const codes = new Map((parameter?.values ?? []).map(({ code }) => [regionOfCode(code), code] as const));
  return {
    needsKey: provider.key?.required === true,
    home: provider.home === undefined ? undefined : regionOfCode(provider.home),
    takesRegions: parameter !== undefined,
    paramsOf(region: Region) {
      const code = codes.get(region);
      return parameter === undefined || code === undefined ? undefined : { [parameter.key]: code };
    },
  };
};

/** Words in the labels of patterns. They count as correct although no listing has them. */
export const patternWords = (providers: readonly Provider[]): ReadonlySet<string> =>
  new Set(
    providers.flatMap(({ patterns = [] }) =>
      patterns.flatMap((pattern) =>
        wordsOf([pattern.label, ...Object.values(pattern.labels ?? {})].join(' ')),
      ),
    ),
  );
