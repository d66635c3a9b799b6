import type { Item } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { prefixQuery } from './words.js';

export interface Hit extends Item {
  readonly provider: string;
}

export interface Filling {
  /** Stores a batch; an id that came before in this filling keeps its first form. */
  add(items: readonly Item[]): Promise<void>;
  /** Removes what this filling did not see. */
  finish(): Promise<void>;
}

/** What can be found in upstreams without a search of their own, in PostgreSQL. */
export interface ItemIndex {
  /** Best first; `providers` narrows to some upstreams. */
  search(
    query: string,
    options: { readonly providers?: readonly string[]; readonly limit: number },
  ): Promise<Hit[]>;
  /** Puts the bundled list in, at every start. */
  seed(provider: string, items: readonly Item[]): Promise<void>;
  fill(provider: string, generation: number): Filling;
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

const columns = 'provider, id, label, description, kind, path, frequency, units';

/**
 * Candidates come from indexes, each bounded: the id itself, ids that begin so, all words of the query
 * (beginnings of words, so that typing ahead works). Rank: exact id, then beginning of an id, then titles, then
 * descriptions; popular ones and short titles before others.
 */
const searchWords = `
  WITH query AS (
    SELECT lower($1) AS plain, to_tsquery('simple', $2) || to_tsquery('english', $2) AS words
  ), candidates AS (
    (SELECT item.* FROM gateway_items AS item, query
      WHERE lower(id) = query.plain AND ($3::text[] IS NULL OR provider = ANY ($3)) LIMIT 50)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query
      WHERE lower(id) LIKE $5 AND ($3::text[] IS NULL OR provider = ANY ($3)) ORDER BY lower(id) USING ~<~ LIMIT 200)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query
      WHERE words @@ query.words AND ($3::text[] IS NULL OR provider = ANY ($3)) LIMIT 5000)
  ), ranked AS (
    SELECT DISTINCT ON (provider, id) candidates.*,
           CASE WHEN lower(id) = query.plain THEN 4 WHEN lower(label) = query.plain THEN 3
                WHEN lower(id) LIKE $5 THEN 2 ELSE 0 END
           + 8 * ts_rank('{0.02, 0.1, 0.4, 1}', candidates.words, query.words, 1)
           + CASE WHEN popular THEN 0.3 ELSE 0 END AS score
      FROM candidates, query
     ORDER BY provider, id
  )
  SELECT ${columns} FROM ranked ORDER BY score DESC, length(label), provider, id LIMIT $4`;

/** Titles that look alike: for typing errors, so asked only when the words found little. */
const searchAlike = `
  SELECT ${columns} FROM gateway_items
   WHERE lower($1) <% lower(label) AND ($2::text[] IS NULL OR provider = ANY ($2))
   ORDER BY word_similarity(lower($1), lower(label)) DESC, length(label), provider, id LIMIT $3`;

const write = `
  INSERT INTO gateway_items AS item (provider, id, label, description, kind, path, frequency, units, popular, generation)
  SELECT $1, id, label, description, kind,
         CASE WHEN path IS NULL THEN NULL ELSE ARRAY(SELECT jsonb_array_elements_text(path)) END,
         frequency, units, $3, $4
    FROM jsonb_to_recordset($2) AS new(id text, label text, description text, kind text, path jsonb, frequency text, units text)
  ON CONFLICT (provider, id) DO UPDATE SET label = excluded.label,
    description = coalesce(excluded.description, item.description), kind = excluded.kind, path = coalesce(excluded.path, item.path),
    frequency = coalesce(excluded.frequency, item.frequency), units = coalesce(excluded.units, item.units),
    popular = item.popular OR excluded.popular, generation = greatest(item.generation, excluded.generation)
  WHERE $3 OR (item.label, item.description, item.kind, item.path, item.frequency, item.units, item.generation)
        IS DISTINCT FROM (excluded.label, excluded.description, excluded.kind, excluded.path, excluded.frequency, excluded.units, excluded.generation)`;

const sweep = `DELETE FROM gateway_items WHERE provider = $1 AND generation < $2 AND NOT popular`;

const toHit = ({ description, path, frequency, units, ...row }: Row): Hit => ({
  ...row,
  ...(description === null ? {} : { description }),
  ...(path === null ? {} : { path }),
  ...(frequency === null ? {} : { frequency }),
  ...(units === null ? {} : { units }),
});

/** PostgreSQL keeps no NUL, and an index row has a bound: labels of statistics are far below these lengths. */
const clean = (text: string, length: number): string => text.replaceAll('\0', '').slice(0, length);

const toRecord = ({ id, label, description, kind = 'series', path, frequency, units }: Item) => ({
  id: clean(id, 500),
  label: clean(label, 1_000),
  description: description === undefined ? null : clean(description, 4_000),
  kind,
  path: path?.map((segment) => clean(segment, 500)) ?? null,
  frequency: frequency ?? null,
  units: units ?? null,
});

const distinct = (items: readonly Item[]): Item[] =>
  [...new Map(items.toReversed().map((item) => [item.id, item])).values()].reverse();

const likePrefix = (text: string): string => `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

const mergeHits = (first: readonly Hit[], second: readonly Hit[], limit: number): Hit[] => {
  const seen = new Set(first.map(({ provider, id }) => JSON.stringify([provider, id])));
  return [...first, ...second.filter(({ provider, id }) => !seen.has(JSON.stringify([provider, id])))].slice(
    0,
    limit,
  );
};

/** Fewer hits than this by words: similar titles are looked for as well. */
const fewHits = 5;

export const createItemIndex = (sql: Sql): ItemIndex => {
  const store = async (
    provider: string,
    items: readonly Item[],
    popular: boolean,
    generation: number,
  ): Promise<void> => {
    if (items.length === 0) return;
    await sql.query(write, [provider, JSON.stringify(distinct(items).map(toRecord)), popular, generation]);
  };

  return {
    async search(query, { providers = null, limit }) {
      const plain = query.replaceAll('\0', '').trim().slice(0, 200);
      const words = prefixQuery(plain, '&');
      if (words === '') return [];
      const hits = (
        await sql.query<Row>(searchWords, [plain, words, providers, limit, likePrefix(plain)])
      ).map(toHit);
      if (hits.length >= Math.min(fewHits, limit) || plain.length < 3) return hits;
      const alike = (await sql.query<Row>(searchAlike, [plain, providers, limit])).map(toHit);
      return mergeHits(hits, alike, limit);
    },
    seed: (provider, items) => store(provider, items, true, 0),
    fill: (provider, generation) => ({
      add: (items) => store(provider, items, false, generation),
      async finish() {
        await sql.query(sweep, [provider, generation]);
      },
    }),
  };
};
