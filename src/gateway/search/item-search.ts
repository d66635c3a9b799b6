import { nearest } from '../../lib/nearest.js';
import type { Item, Provider } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { isTerm, type Query, readQuery, synonymWords } from './concepts.js';
import { type PatternCandidate, patternCandidates, patternWords, traitsOf } from './patterns.js';
import { correctableWords, isCorrectable } from './query-words.js';
import { type Candidate, conceptsOf, type Ranked, rank } from './ranking.js';
import { regionWords } from './regions.js';
import { allOf, conceptQueries, partOf, title } from './text-query.js';
import { maxWords, wordsOf } from './words.js';

export interface Hit extends Item {
  readonly provider: string;
  /** Parameters that select the matching series, such as its country. */
  readonly params?: Readonly<Record<string, string>>;
}

export interface Hits {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** The corrected query that was answered, if nothing matches the original one. */
  readonly corrected?: string;
}

export interface SearchOptions {
  /** Restricts the search to some upstreams. */
  readonly providers?: readonly string[];
  readonly limit: number;
}

interface Row {
  provider: string;
  id: string;
  label: string;
  description: string | null;
  kind: 'series' | 'folder';
  path: string[] | null;
  frequency: string | null;
  units: string | null;
}

/** Frequency of concepts, in a sample of some hundred pages; always the same pages for the same table. */
const countConcepts = `
  WITH query AS (
    SELECT n, to_tsquery('simple', text) || to_tsquery('english', text) AS tsquery
      FROM unnest($1::text[]) WITH ORDINALITY AS concept(text, n)
  ), sample AS (
    SELECT words FROM gateway_items
     TABLESAMPLE SYSTEM (least(100, 100.0 * 300 / greatest(1, pg_relation_size('gateway_items') / 8192))) REPEATABLE (1)
     LIMIT 5000
  )
  SELECT (SELECT count(*) FROM sample)::int AS items,
         (SELECT count(*) FROM sample WHERE words @@ query.tsquery)::int AS found
    FROM query ORDER BY n`;

const inProviders = `($1::text[] IS NULL OR provider = ANY ($1))`;

/**
 * Candidates come from indexes, each kind limited: the id, prefixes of ids, all subjects in id or title, all subjects anywhere (unless the
 * titles are enough: a part with frequent words takes a second per million entries), all subjects with the region, enough subjects by
 * rarity; and the same among popular series.
 */
const findCandidates = `
  WITH query AS (
    SELECT to_tsquery('simple', $4) || to_tsquery('english', $4) AS in_title,
           to_tsquery('simple', $5) || to_tsquery('english', $5) AS anywhere,
           to_tsquery('simple', $6) || to_tsquery('english', $6) AS with_region,
           to_tsquery('simple', $7) || to_tsquery('english', $7) AS partly,
           ARRAY (SELECT to_tsquery('simple', text) || to_tsquery('english', text)
                    FROM unnest($8::text[]) WITH ORDINALITY AS concept(text, n) ORDER BY n) AS title_concepts,
           ARRAY (SELECT to_tsquery('simple', text) || to_tsquery('english', text)
                    FROM unnest($9::text[]) WITH ORDINALITY AS concept(text, n) ORDER BY n) AS concepts
  ), titles AS MATERIALIZED (
    SELECT item.* FROM gateway_items AS item, query WHERE words @@ in_title AND ${inProviders} LIMIT 1000
  ), candidates AS (
    (SELECT item.* FROM gateway_items AS item WHERE lower(id) = $2 AND ${inProviders} LIMIT 50)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item WHERE lower(id) LIKE $3 AND ${inProviders}
      ORDER BY lower(id) USING ~<~ LIMIT 100)
    UNION ALL
    (SELECT * FROM titles)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query
      WHERE (SELECT count(*) FROM titles) < 1000 AND words @@ anywhere AND ${inProviders} LIMIT 500)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query WHERE words @@ with_region AND ${inProviders} LIMIT 300)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query WHERE words @@ partly AND ${inProviders} LIMIT 300)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query
      WHERE popular AND (words @@ in_title OR words @@ partly) AND ${inProviders} LIMIT 300)
  )
  SELECT DISTINCT ON (provider, id) provider, id, label, kind, popular, frequency,
         ARRAY (SELECT words @@ concept FROM unnest(title_concepts) WITH ORDINALITY AS c(concept, n) ORDER BY n) AS "inTitle",
         ARRAY (SELECT words @@ concept FROM unnest(concepts) WITH ORDINALITY AS c(concept, n) ORDER BY n) AS anywhere
    FROM candidates, query
   ORDER BY provider, id`;

/**
 * Positions of candidates that a listing refutes, since it has other series of the same family. Popular series are not in listings, so the
 * generation shows it.
 */
const findRefuted = `
  SELECT (n - 1)::int AS place
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS candidate(provider, id, low, high, n)
   CROSS JOIN LATERAL (
     SELECT FROM gateway_items AS item
      WHERE lower(item.id) ~>=~ candidate.low AND lower(item.id) ~<~ candidate.high
        AND item.provider = candidate.provider AND item.generation > 0
      LIMIT 1
   ) AS relative
    LEFT JOIN LATERAL (
     SELECT true AS listed FROM gateway_items AS item
      WHERE lower(item.id) = candidate.id AND item.provider = candidate.provider LIMIT 1
   ) AS own ON true
   WHERE own.listed IS NULL`;

const readItems = `
  SELECT provider, id, label, description, kind, path, frequency, units FROM gateway_items
    JOIN unnest($1::text[], $2::text[]) AS wanted(provider, id) USING (provider, id)`;

/** Words that occur nowhere, each with similar words of the index. */
const alikeWords = `
  SELECT searched.word AS searched, coalesce(near.word, '') AS near
    FROM unnest($1::text[]) AS searched(word)
    LEFT JOIN LATERAL (
     SELECT word FROM gateway_words WHERE word % searched.word ORDER BY similarity(word, searched.word) DESC, word LIMIT 8
   ) AS near ON true
   WHERE NOT EXISTS (SELECT 1 FROM gateway_words WHERE word LIKE searched.word || '%')
     AND NOT EXISTS (
       SELECT 1 FROM gateway_items
        WHERE words @@ (to_tsquery('simple', searched.word || ':*') || to_tsquery('english', searched.word || ':*')))`;

/** Edits that count as a typing error. More would match other words: `rent` and `brent`, `coffee` and `cofer`. */
const maxEdits = (word: string): number => {
  if (word.length < 5) return 0;
  return word.length < 8 ? 1 : 2;
};

const toItem = ({ description, path, frequency, units, ...row }: Row): Hit => ({
  ...row,
  ...(description === null ? {} : { description }),
  ...(path === null ? {} : { path }),
  ...(frequency === null ? {} : { frequency }),
  ...(units === null ? {} : { units }),
});

export const likePrefix = (text: string): string => `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

/** Rarer words weigh more; the difference between rare ones is small. */
const rarity = ({ items, found }: { items: number; found: number }): number =>
  Math.max(0.3, Math.log((items + 2) / (found + 1)));

const keyOf = ({ provider, id }: { provider: string; id: string }): string => JSON.stringify([provider, id]);

/**
 * Searches the index.
 * @param known Connectors, which have series patterns and parameters for regions.
 */
export const createItemSearch = (sql: Sql, known: readonly Provider[]) => {
  const traits = new Map(known.map((provider) => [provider.slug, traitsOf(provider)]));
  const ownWords = new Set(
    [...patternWords(known), ...synonymWords, ...regionWords].filter((word) => isCorrectable(word)),
  );

  const hydrate = async (ranked: readonly Ranked[]): Promise<Hit[]> => {
    const wanted = ranked.map(({ candidate }) => candidate);
    const rows = await sql.query<Row>(readItems, [
      wanted.map(({ provider }) => provider),
      wanted.map(({ id }) => id),
    ]);
    const items = new Map(rows.map((row) => [keyOf(row), toItem(row)]));
    return ranked.map(({ candidate, params }) => {
      const { provider, id, label, kind } = candidate;
      const item = items.get(keyOf(candidate)) ?? { provider, id, label, kind };
      return params === undefined ? item : { ...item, params };
    });
  };

  /** Removes bundled codes that the provider's listing refutes, so that every hit can be read. */
  const withoutRefuted = async (patterns: readonly PatternCandidate[]): Promise<PatternCandidate[]> => {
    if (patterns.length === 0) return [];
    const refuted = await sql.query<{ place: number }>(findRefuted, [
      patterns.map(({ provider }) => provider),
      patterns.map(({ id }) => id.toLowerCase()),
      patterns.map(({ family }) => family.toLowerCase()),
      patterns.map(({ family }) => `${family.toLowerCase()}\u{10FFFF}`),
    ]);
    const places = new Set(refuted.map(({ place }) => place));
    return patterns.filter((_, place) => !places.has(place));
  };

  const candidatesOf = async (
    plain: string,
    query: Query,
    rarities: readonly number[],
    providers: readonly string[] | null,
  ): Promise<Candidate[]> => {
    const { region, subjects } = query;
    const about = subjects.length === 0 && region !== undefined ? [region.concept] : subjects;
    const concepts = conceptsOf(query);
    const rows = await sql.query<Candidate>(findCandidates, [
      providers,
      plain,
      likePrefix(plain),
      allOf(about, title),
      allOf(about, ''),
      region === undefined ? null : allOf([region.concept, ...subjects], ''),
      partOf(query, rarities, title),
      conceptQueries(concepts, title),
      conceptQueries(concepts, ''),
    ]);
    const searched = known.filter(({ slug }) => providers === null || providers.includes(slug));
    const patterns = await withoutRefuted(patternCandidates(searched, query));
    const taken = new Set(patterns.map(keyOf));
    return [...patterns, ...rows.filter((row) => !taken.has(keyOf(row)))];
  };

  const find = async (
    plain: string,
    words: readonly string[],
    { providers, limit }: SearchOptions,
  ): Promise<Hit[]> => {
    const query = readQuery(words);
    const counts =
      query.subjects.length === 0
        ? []
        : await sql.query<{ items: number; found: number }>(countConcepts, [
            conceptQueries(query.subjects, title),
          ]);
    const rarities = counts.map(rarity);
    const lower = plain.toLowerCase();
    const candidates = await candidatesOf(lower, query, rarities, providers ?? null);
    const ranked = rank(candidates, {
      plain: lower,
      query,
      rarities,
      traitsOf: (slug) => traits.get(slug),
    });
    return hydrate(ranked.slice(0, limit));
  };

  /** The words with typing errors replaced by the most likely words; undefined: no errors. */
  const correct = async (plain: string, words: readonly string[]): Promise<string[] | undefined> => {
    const searched = correctableWords(plain, words).filter((word) => !isTerm(word) && !ownWords.has(word));
    if (searched.length === 0) return undefined;
    const rows = await sql.query<{ searched: string; near: string }>(alikeWords, [searched]);
    const corrected = words.map((word) => {
      const alike = rows.filter((row) => row.searched === word).map(({ near }) => near);
      if (alike.length === 0) return word;
      return nearest(word, [...alike, ...ownWords], maxEdits(word)) ?? word;
    });
    return corrected.some((word, index) => word !== words[index]) ? corrected : undefined;
  };

  return async (query: string, options: SearchOptions): Promise<Hits> => {
    const plain = query.replaceAll('\0', '').trim().slice(0, 200);
    const words = wordsOf(plain).slice(0, maxWords);
    if (words.length === 0) return { hits: [] };
    const hits = await find(plain, words, options);
    if (hits.length > 0) return { hits };
    const corrected = await correct(plain, words);
    if (corrected === undefined) return { hits };
    const found = await find(corrected.join(' '), corrected, options);
    return found.length === 0 ? { hits } : { hits: found, corrected: corrected.join(' ') };
  };
};
