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

interface Piece {
  readonly first: number;
  readonly count: number;
  readonly selected: readonly Column[];
}

/** Ends what a header says of a column, behind its name. */
const idOf = (head: string | null): number => Number(/\[(\d+)\]$/.exec(head ?? '')?.[1]);

/** Rows of the selected columns alone, in their order. */
export const readRows = async (
  { datasetId, filter, order, version }: RowsOf,
  { first, count, selected }: Piece,
  signal?: AbortSignal,
): Promise<(string | null)[][]> => {
  const query = {
    $format: 'tsv',
    $quote: 'minimal',
    $select: selected.map(({ id }) => id).join(','),
    // Without it all of them are sent: thousands in a table of texts.
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
  const placeOf = new Map(head.map((text, at) => [idOf(text), at]));
  const places = selected.map(({ id }) => placeOf.get(id) ?? -1);
  return rows.map((row) => places.map((at) => row[at] ?? null));
};
