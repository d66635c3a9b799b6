import { nearest } from '../../lib/nearest.js';
import type { Item } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { correctableWords, isCorrectable, requiredWords } from './query-words.js';
import { indexText, mostWords, prefixQuery, wordsOf } from './words.js';

export interface Hit extends Item {
  readonly provider: string;
}

export interface Hits {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** The query that was answered, when nothing matches the query as it was asked. */
  readonly corrected?: string;
}

export interface Filling {
  /** Stores a batch; an id that came before in this filling keeps its first form. */
  add(items: readonly Item[]): Promise<void>;
  /** Removes what this filling did not see. */
  finish(): Promise<void>;
}

/** What can be found in upstreams without a search of their own, in PostgreSQL. */
export interface ItemIndex {
  /** `providers` narrows to some upstreams. */
  search(
    query: string,
    options: { readonly providers?: readonly string[]; readonly limit: number },
  ): Promise<Hits>;
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
 * Candidates come from indexes, each bounded: the id itself, ids that begin so, all words of the query in id or
 * title, all words anywhere. Rank: exact id, exact title, beginning of an id, titles, descriptions; popular ones
 * and short titles before others.
 */
const searchWords = `
  WITH query AS (
    SELECT lower($1) AS plain,
           to_tsquery('simple', $2) || to_tsquery('english', $2) AS anywhere,
           to_tsquery('simple', $6) || to_tsquery('english', $6) AS in_title,
           to_tsquery('simple', $7) AS other
  ), candidates AS (
    (SELECT item.* FROM gateway_items AS item, query
      WHERE lower(id) = query.plain AND ($3::text[] IS NULL OR provider = ANY ($3)) LIMIT 50)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query
      WHERE lower(id) LIKE $5 AND ($3::text[] IS NULL OR provider = ANY ($3)) ORDER BY lower(id) USING ~<~ LIMIT 100)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query
      WHERE words @@ query.in_title AND ($3::text[] IS NULL OR provider = ANY ($3)) LIMIT 1000)
    UNION ALL
    (SELECT item.* FROM gateway_items AS item, query
      WHERE words @@ query.anywhere AND ($3::text[] IS NULL OR provider = ANY ($3)) LIMIT 1000)
  ), ranked AS (
    SELECT DISTINCT ON (provider, id) candidates.*,
           CASE WHEN lower(id) = query.plain THEN 4 WHEN lower(label) = query.plain THEN 3
                WHEN lower(id) LIKE $5 THEN 2 ELSE 0 END
           + 8 * ts_rank('{0.02, 0.1, 0.4, 1}', candidates.words, query.anywhere, 1)
           + coalesce(ts_rank(candidates.words, query.other, 1), 0)
           + CASE WHEN popular THEN 0.3 ELSE 0 END AS score
      FROM candidates, query
     ORDER BY provider, id
  )
  SELECT ${columns} FROM ranked ORDER BY score DESC, length(label), provider, id LIMIT $4`;

/** Words that look like a word that occurs nowhere. */
const alikeWords = `
  SELECT asked.word AS asked, near.word AS near
    FROM unnest($1::text[]) AS asked(word)
   CROSS JOIN LATERAL (
     SELECT word FROM gateway_words WHERE word % asked.word ORDER BY similarity(word, asked.word) DESC, word LIMIT 8
   ) AS near
   WHERE NOT EXISTS (SELECT 1 FROM gateway_words WHERE word LIKE asked.word || '%')
     AND NOT EXISTS (
       SELECT 1 FROM gateway_items
        WHERE words @@ (to_tsquery('simple', asked.word || ':*') || to_tsquery('english', asked.word || ':*')))`;

const addWords = `INSERT INTO gateway_words SELECT DISTINCT unnest($1::text[]) ON CONFLICT DO NOTHING`;

const upsertItems = `
  INSERT INTO gateway_items AS item (provider, id, label, description, kind, path, frequency, units, popular, generation,
                                     id_words, label_words, description_words)
  SELECT $1, id, label, description, kind,
         CASE WHEN path IS NULL THEN NULL ELSE ARRAY(SELECT jsonb_array_elements_text(path)) END,
         frequency, units, $3, $4, id_words, label_words, description_words
    FROM jsonb_to_recordset($2) AS new(id text, label text, description text, kind text, path jsonb, frequency text, units text,
                                   id_words text, label_words text, description_words text)
  ON CONFLICT (provider, id) DO UPDATE SET label = excluded.label,
    description = coalesce(excluded.description, item.description), kind = excluded.kind, path = coalesce(excluded.path, item.path),
    frequency = coalesce(excluded.frequency, item.frequency), units = coalesce(excluded.units, item.units),
    id_words = excluded.id_words, label_words = excluded.label_words,
    description_words = coalesce(excluded.description_words, item.description_words),
    popular = item.popular OR excluded.popular, generation = greatest(item.generation, excluded.generation)
  WHERE $3 OR (item.label, item.description, item.kind, item.path, item.frequency, item.units, item.generation,
               item.id_words, item.label_words, item.description_words)
        IS DISTINCT FROM (excluded.label, excluded.description, excluded.kind, excluded.path, excluded.frequency, excluded.units,
               excluded.generation, excluded.id_words, excluded.label_words, excluded.description_words)`;

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

/** Longer descriptions are searched by their beginning. */
const searchedLength = 2_000;

const toRecord = ({ id, label, description, kind = 'series', path, frequency, units }: Item) => ({
  id: clean(id, 500),
  id_words: indexText(clean(id, 500)),
  label: clean(label, 1_000),
  label_words: indexText(clean(label, 1_000)),
  description_words: description === undefined ? null : indexText(clean(description, searchedLength)),
  description: description === undefined ? null : clean(description, 4_000),
  kind,
  path: path?.map((segment) => clean(segment, 500)) ?? null,
  frequency: frequency ?? null,
  units: units ?? null,
});

const distinct = (items: readonly Item[]): Item[] =>
  [...new Map(items.toReversed().map((item) => [item.id, item])).values()].reverse();

const likePrefix = (text: string): string => `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

const indexedWords = (items: readonly Item[]): string[] =>
  items.flatMap(({ id, label }) => wordsOf(`${id} ${label}`)).filter(isCorrectable);

export const createItemIndex = (sql: Sql): ItemIndex => {
  const write = async (
    provider: string,
    items: readonly Item[],
    popular: boolean,
    generation: number,
  ): Promise<void> => {
    if (items.length === 0) return;
    const records = distinct(items).map(toRecord);
    await sql.query(upsertItems, [provider, JSON.stringify(records), popular, generation]);
    await sql.query(addWords, [indexedWords(items)]);
  };

  /** The words with typing errors replaced by what was most likely meant; undefined if there is none. */
  const correct = async (plain: string, words: readonly string[]): Promise<string[] | undefined> => {
    const asked = correctableWords(plain, words);
    if (asked.length === 0) return undefined;
    const rows = await sql.query<{ asked: string; near: string }>(alikeWords, [asked]);
    const corrected = words.map((word) => {
      const known = rows.filter(({ asked }) => asked === word).map(({ near }) => near);
      return nearest(word, known) ?? word;
    });
    return corrected.some((word, place) => word !== words[place]) ? corrected : undefined;
  };

  return {
    async search(query, { providers = null, limit }) {
      const plain = query.replaceAll('\0', '').trim().slice(0, 200);
      const find = async (words: readonly string[]): Promise<Hit[]> => {
        const required = requiredWords(words);
        const other = words.filter((word) => !required.includes(word)).map((word) => `${word}:*`);
        const values = [
          plain,
          prefixQuery(required),
          providers,
          limit,
          likePrefix(plain),
          prefixQuery(required, 'AB'),
          other.length === 0 ? null : other.join(' | '),
        ];
        return (await sql.query<Row>(searchWords, values)).map(toHit);
      };
      const words = wordsOf(plain).slice(0, mostWords);
      if (words.length === 0) return { hits: [] };
      const hits = await find(words);
      if (hits.length > 0) return { hits };
      const corrected = await correct(plain, words);
      if (corrected === undefined) return { hits };
      const found = await find(corrected);
      return found.length === 0 ? { hits } : { hits: found, corrected: corrected.join(' ') };
    },
    seed: (provider, items) => write(provider, items, true, 0),
    fill: (provider, generation) => ({
      add: (items) => write(provider, items, false, generation),
      async finish() {
        await sql.query(sweep, [provider, generation]);
      },
    }),
  };
};
