import { storableText } from '../../lib/well-formed.js';
import type { Item, Provider } from '../../providers/provider.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { createItemSearch, type Hits, type SearchOptions } from './item-search.js';
import { isCorrectable } from './query-words.js';
import { indexText, wordsOf } from './words.js';

export interface Filling {
  /** Stores a batch. An id that this filling has already stored keeps its first entry. */
  add(items: readonly Item[]): Promise<void>;
  /** Deletes entries that this filling did not store. */
  finish(): Promise<void>;
}

/** Search index over series and folders of upstreams, in PostgreSQL. */
export interface ItemIndex {
  search(query: string, options: SearchOptions): Promise<Hits>;
  /** Titles by id; items without a title are missing. */
  titles(provider: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Adds the bundled list; called at every start. */
  seed(provider: string, items: readonly Item[]): Promise<void>;
  fill(provider: string, generation: number): Filling;
}

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

const readTitles = `
  SELECT id, label FROM gateway_items WHERE provider = $1 AND id = ANY ($2) AND kind = 'series' AND label <> id`;

const sweep = `DELETE FROM gateway_items WHERE provider = $1 AND generation < $2 AND NOT popular`;

/** Index rows have a size limit; ids and labels are usually far shorter than these lengths. */
const [longestId, longestLabel, longestDescription] = [500, 1_000, 4_000];

/** Only the beginning of longer descriptions is searched. */
const searchedLength = 2_000;

const toRecord = ({ id, label, description, kind = 'series', path, frequency, units }: Item) => ({
  id: storableText(id, longestId),
  id_words: indexText(storableText(id, longestId)),
  label: storableText(label, longestLabel),
  label_words: indexText(storableText(label, longestLabel)),
  description_words: description === undefined ? null : indexText(storableText(description, searchedLength)),
  description: description === undefined ? null : storableText(description, longestDescription),
  kind,
  path: path?.map((segment) => storableText(segment, longestId)) ?? null,
  frequency: frequency === undefined ? null : storableText(frequency, longestLabel),
  units: units === undefined ? null : storableText(units, longestLabel),
});

/** Ids can be the same once they are storable. */
const distinct = <T extends { readonly id: string }>(records: readonly T[]): T[] =>
  [...new Map(records.toReversed().map((record) => [record.id, record])).values()].reverse();

const indexedWords = (items: readonly Item[]): string[] =>
  items.flatMap(({ id, label }) => wordsOf(`${id} ${label}`)).filter(isCorrectable);

/** @param known Connectors: their parameters and series patterns are searched together with the index. */
export const createItemIndex = (sql: Sql, known: readonly Provider[] = []): ItemIndex => {
  const write = async (
    provider: string,
    items: readonly Item[],
    popular: boolean,
    generation: number,
  ): Promise<void> => {
    if (items.length === 0) return;
    const records = distinct(items.map(toRecord));
    await sql.query(upsertItems, [provider, JSON.stringify(records), popular, generation]);
    await sql.query(addWords, [indexedWords(items)]);
  };

  return {
    search: createItemSearch(sql, known),
    async titles(provider, ids) {
      const rows = await sql.query<{ id: string; label: string }>(readTitles, [
        provider,
        ids.map((id) => storableText(id, longestId)),
      ]);
      return new Map(rows.map(({ id, label }) => [id, label]));
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
