import { api } from '../../lib/api.js';
import type { Query } from '../../lib/query.js';
import { askRows } from '../../lib/rows.js';
import { parseTsv } from '../../lib/tsv.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';

/** Identifies an ordered set of rows. */
export interface RowsOf {
  readonly datasetId: number;
  readonly filter: string;
  readonly order: string;
  /** `versionId` or `asOf`, if it is not the current version. */
  readonly version: Query;
  /** Current version when the page was loaded; undefined if `version` chooses one. */
  readonly currentVersionId: string | undefined;
  /** Called if the current version has been replaced, to load the page again. */
  readonly onNewVersion: () => void;
}

interface Piece {
  readonly first: number;
  readonly count: number;
  readonly selected: readonly Column[];
}

/** The column id at the end of a header. */
const idOf = (head: string | null): number => Number(/\[(\d+)\]$/.exec(head ?? '')?.[1]);

/**
 * Checks that rows that have been read are of the version that the page shows. The rows are not read by the id of that
 * version, because it has the column names of its time, and filters have the current ones.
 *
 * @throws Error if there is a newer version
 */
const checkVersion = async (
  { datasetId, currentVersionId, onNewVersion }: RowsOf,
  signal: AbortSignal | undefined,
): Promise<void> => {
  if (currentVersionId === undefined) return;
  const path = `/datasets/${datasetId}/versions`;
  const [newest] = await api.get<{ versionId: string }[]>(path, { query: { $top: 1 }, signal });
  if (newest?.versionId === currentVersionId) return;
  onNewVersion();
  throw new Error(texts.grid.newVersion);
};

/**
 * Reads rows with only the selected columns, in their order.
 *
 * @throws Error if they may be of a newer version than the page shows
 */
export const readRows = async (
  rowsOf: RowsOf,
  { first, count, selected }: Piece,
  signal?: AbortSignal,
): Promise<(string | null)[][]> => {
  const { datasetId, filter, order, version } = rowsOf;
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
  await checkVersion(rowsOf, signal);
  const indexById = new Map(head.map((text, at) => [idOf(text), at]));
  const indexes = selected.map(({ id }) => indexById.get(id) ?? -1);
  return rows.map((row) => indexes.map((at) => row[at] ?? null));
};
