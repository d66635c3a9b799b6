import type { Query } from '../../lib/query.js';
import { askRows } from '../../lib/rows.js';
import { parseTsv } from '../../lib/tsv.js';
import type { Column } from '../../lib/types.js';

/** Which rows of a dataset, in which order. */
export interface RowsOf {
  readonly datasetId: number;
  readonly filter: string;
  readonly order: string;
  /** `versionId` or `asOf`, where the present data is not meant. */
  readonly version: Query;
}

export interface Piece {
  readonly first: number;
  readonly count: number;
  readonly selected: readonly Column[];
  /** Entity columns of the dataset: they come with every answer, whatever is selected. */
  readonly entities: readonly Column[];
}

/** Rows with the columns in the order in which they come. */
export const fetchRows = async (
  { datasetId, filter, order, version }: RowsOf,
  { first, count, selected, entities }: Piece,
  signal?: AbortSignal,
): Promise<{ columns: readonly Column[]; rows: (string | null)[][] }> => {
  const query = {
    $format: 'tsv',
    $quote: 'minimal',
    $select: selected.map(({ id }) => id).join(','),
    $skip: first,
    $top: count,
    $filter: filter === '' ? undefined : filter,
    $orderby: order === '' ? undefined : order,
    ...version,
  };
  const answer = await askRows(datasetId, query, { accept: 'text/tab-separated-values', signal });
  return {
    columns: [...entities, ...selected.filter(({ isEntity }) => !isEntity)],
    rows: parseTsv(await answer.text()).slice(1),
  };
};

/** Rows of the selected columns alone, in their order. */
export const readRows = async (
  rowsOf: RowsOf,
  piece: Piece,
  signal?: AbortSignal,
): Promise<(string | null)[][]> => {
  const { columns, rows } = await fetchRows(rowsOf, piece, signal);
  const placeOf = new Map(columns.map(({ id }, at) => [id, at]));
  return rows.map((row) => piece.selected.map(({ id }) => row[placeOf.get(id) ?? -1] ?? null));
};
