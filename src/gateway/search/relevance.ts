import type { Item, Provider } from '../../providers/provider.js';
import { readQuery } from './concepts.js';
import { matches, traitsOf } from './patterns.js';
import { type Candidate, conceptsOf, rank } from './ranking.js';
import { wordsOf } from './words.js';

/**
 * Hits of a provider's own search that are about the query, best first. Such searches give something for every query:
 * what matches no word of it, or is about another place, is left out.
 */
export const relevantItems = (provider: Provider, items: readonly Item[], text: string): readonly Item[] => {
  const query = readQuery(wordsOf(text));
  const concepts = conceptsOf(query);
  if (concepts.length === 0) return items;
  const candidates = items.map(({ id, label, description = '', kind = 'series', frequency }): Candidate => {
    const [title, all] = [wordsOf(`${id} ${label}`), wordsOf(`${id} ${label} ${description}`)];
    return {
      provider: provider.slug,
      id,
      label,
      kind,
      popular: false,
      frequency: frequency ?? null,
      inTitle: concepts.map((concept) => matches(concept, title)),
      anywhere: concepts.map((concept) => matches(concept, all)),
    };
  });
  const traits = traitsOf(provider);
  const ranked = rank(candidates, {
    plain: text.toLowerCase(),
    query,
    // The provider does not say how rare a word is.
    rarities: query.subjects.map(() => 1),
    traitsOf: () => traits,
    // It knows forms of words and texts that are not here.
    least: Number.MIN_VALUE,
  });
  const byId = new Map(items.map((item) => [item.id, item]));
  return ranked.flatMap(({ candidate }) => byId.get(candidate.id) ?? []);
};
