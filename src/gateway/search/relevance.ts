import type { Item, Provider } from '../../providers/provider.js';
import { readQuery } from './concepts.js';
import { matches, traitsOf } from './patterns.js';
import { type Candidate, conceptsOf, rank } from './ranking.js';
import { wordsOf } from './words.js';

/**
 * Relevant hits of a provider's own search, best first. Such searches return something for every query, so hits that match no word of it,
 * or are about another place, are removed.
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
    // The provider does not report how rare a word is.
    rarities: query.subjects.map(() => 1),
    traitsOf: () => traits,
    // The provider's search knows forms of words, and texts, that are not available here.
    least: Number.MIN_VALUE,
  });
  const byId = new Map(items.map((item) => [item.id, item]));
  return ranked.flatMap(({ candidate }) => byId.get(candidate.id) ?? []);
};
