import type { Query } from '../../lib/query.js';
import { askRows } from '../../lib/rows.js';
import { parseTsv } from '../../lib/tsv.js';
import type { Column } from '../../lib/types.js';

/** Identifies an ordered set of rows. */
export interface RowsOf {
  readonly datasetId: number;
  readonly filter: string;
  readonly order: string;
  /** `versionId` or `asOf`, if it is not the current version. */
  readonly version: Query;
}

interface Piece {
  readonly first: number;
  readonly count: number;
  readonly selected: readonly Column[];
}

/** The column id at the end of a header. */
const idOf = (head: string | null): number => Number(/\[(\d+)\]$/.exec(head ?? '')?.[1]);

/** Reads rows with only the selected columns, in their order. */
export const readRows = async (
  { datasetId, filter, order, version }: RowsOf,
  { first, count, selected }: Piece,
  signal?: AbortSignal,
): Promise<(string | null)[][]> => {
  const query = {
    $format: 'tsv',
    $quote: 'minimal',
    $select: selected.map(({ id }) => id).join(','),
    // The default would add all entity columns: thousands in a table of texts.
    entities: 'selected',
    includeIds: true,
    $skip: first,
    $top: count,
    $filter: filter === '' ? undefined : filter,
    $orderby: order === '' ? undefined : order,
    ...version,
  };
  const answer = await askRows(datasetId, query, { accept: 'text/tab-separated-values', signal });
  const [head = [], ...rows] = parseTsv(await answer.text());
  const indexById = new Map(head.map((text, at) => [idOf(text), at]));
  const indexes = selected.map(({ id }) => indexById.get(id) ?? -1);
  return rows.map((row) => indexes.map((at) => row[at] ?? null));
};
