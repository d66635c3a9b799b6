import type { Caller } from '../model/permission.js';
import { versionColumns } from '../storage/postgres/column-lists.js';
import type { Sql } from '../storage/postgres/sql.js';
import {
  callerValues,
  datasetTargetColumns,
  repositoryTargetColumns,
  seenRepositories,
} from './access-target.js';
import { searchedText, searchPatterns } from './batches.js';
import {
  type DatasetRow,
  type DatasetSummary,
  datasetColumns,
  datasetFrom,
  datasetText,
  isSeenDataset,
  seenDatasets,
  seenIdsWhere,
  shownDataset,
} from './dataset-list.js';
import {
  type Repository,
  type RepositoryRow,
  repositoryColumns,
  repositoryText,
  shownRepository,
} from './repository-list.js';

/** A dataset that matches the search. */
interface FoundDataset extends DatasetSummary {
  readonly columnCount: number;
}

/** A column of the current version of a dataset. */
interface FoundColumn {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly datasetId: number;
  readonly datasetName: string;
}

interface Found {
  readonly datasets: readonly FoundDataset[];
  readonly columns: readonly FoundColumn[];
  readonly repositories: readonly Repository[];
}

/**
 * Searches everything that the caller may see, at each keystroke. An empty text finds the most recently changed datasets and repositories.
 * @param limit Maximum number of results of each kind.
 */
export type SearchCatalog = (caller: Caller | undefined, text: string, limit: number) => Promise<Found>;

const datasetName = searchedText('d.name');

/** Names that start with the text come first, then names that contain a word, then the others; each newest first. */
const datasetsSql = `
  WITH ${seenDatasets}, found AS MATERIALIZED (
    SELECT d.id FROM datasets d
    WHERE d.id = ANY (ARRAY(${seenIdsWhere('true')})) AND ${datasetText} ILIKE ALL ($4::text[])
    ORDER BY (${datasetName} ILIKE ALL ($4::text[])) DESC, d.updated_at DESC, d.id DESC LIMIT $5
  )
  SELECT ${datasetColumns}, ${datasetTargetColumns('$1', '$2')},
    coalesce(jsonb_array_length(${versionColumns}), 0) AS "columnCount"
  FROM ${datasetFrom} JOIN found ON found.id = d.id
  ORDER BY (${datasetName} ILIKE ALL ($4::text[])) DESC, d.updated_at DESC, d.id DESC`;

/** Words of names, found by prefix with an index. */
const columnsSql = `
  WITH ${seenDatasets}
  SELECT c.id AS "columnId", c.name AS "columnName", c.description AS "columnDescription",
    ${datasetColumns}, ${datasetTargetColumns('$1', '$2')}
  FROM ${datasetFrom} JOIN columns c ON c.dataset_id = d.id
  WHERE to_tsvector('simple', c.name) @@ to_tsquery('simple', $4) AND ${isSeenDataset}
    AND ${versionColumns} @> jsonb_build_array(jsonb_build_object('id', c.id))
  LIMIT $5`;

const repositoriesSql = `
  WITH ${seenRepositories}
  SELECT ${repositoryColumns}, ${repositoryTargetColumns('$1', '$2')}
  FROM repositories r JOIN seen ON seen.id = r.id LEFT JOIN teams t ON t.id = r.team_id
  WHERE ${repositoryText} ILIKE ALL ($4::text[])
  ORDER BY r.updated_at DESC, r.id DESC LIMIT $5`;

/** All of the words as prefixes; undefined if there is no letter or digit. */
const wordsQuery = (text: string): string | undefined => {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length === 0
    ? undefined
    : words
        .slice(0, 12)
        .map((word) => `${word}:*`)
        .join(' & ');
};

interface ColumnRow extends DatasetRow {
  columnId: number;
  columnName: string;
  columnDescription: string | null;
}

const shownColumn = (caller: Caller | undefined, row: ColumnRow): FoundColumn[] =>
  shownDataset(caller, row).map(({ id, name }) => ({
    id: row.columnId,
    name: row.columnName,
    description: row.columnDescription,
    datasetId: id,
    datasetName: name,
  }));

export const createCatalogSearch = ({ sql }: { sql: Sql }): SearchCatalog => {
  const columnsOf = async (who: readonly unknown[], text: string, limit: number): Promise<ColumnRow[]> => {
    const words = wordsQuery(text);
    return words === undefined ? [] : sql.query<ColumnRow>(columnsSql, [...who, words, limit]);
  };

  return async (caller, text, limit) => {
    const who = [...callerValues(caller), caller?.key.repositoryIds ?? null];
    const patterns = searchPatterns(text);
    const [datasets, columns, repositories] = await Promise.all([
      sql.query<DatasetRow & { columnCount: number }>(datasetsSql, [...who, patterns, limit]),
      columnsOf(who, text, limit),
      sql.query<RepositoryRow>(repositoriesSql, [...who, patterns, limit]),
    ]);
    return {
      datasets: datasets.flatMap((row) =>
        shownDataset(caller, row).map((shown) => ({ ...shown, columnCount: row.columnCount })),
      ),
      columns: columns.flatMap((row) => shownColumn(caller, row)),
      repositories: repositories.flatMap((row) => shownRepository(caller, row)),
    };
  };
};
