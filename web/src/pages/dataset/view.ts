import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, api, isAbort } from '../../lib/api.js';
import { nameInFilter } from '../../lib/filter.js';
import { useLoad } from '../../lib/load.js';
import type { Query } from '../../lib/query.js';
import { useAddress } from '../../lib/router.js';
import { askRows } from '../../lib/rows.js';
import type { Column, ColumnSummary, DatasetDetail, Summary } from '../../lib/types.js';

const idsIn = (text: string | null): number[] =>
  (text ?? '')
    .split(',')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);

/** `[A] desc,B` as the columns and directions that it names. */
export const orderIn = (text: string, columns: readonly Column[]): ReadonlyMap<number, 'asc' | 'desc'> => {
  const found = new Map<number, 'asc' | 'desc'>();
  for (const column of columns)
    for (const direction of ['asc', 'desc'] as const)
      if (text === `${nameInFilter(column.name)} ${direction}`) found.set(column.id, direction);
  return found;
};

/** What the address says of the view. */
export const useView = (dataset: DatasetDetail) => {
  const { query } = useAddress();
  const [filter, order] = [query.get('$filter') ?? '', query.get('$orderby') ?? ''];
  const [hide, pin] = [query.get('hide'), query.get('pin')];
  const [versionId, asOf] = [query.get('versionId') ?? undefined, query.get('asOf') ?? undefined];
  return useMemo(() => {
    const hidden = new Set(idsIn(hide));
    const pinnedIds = idsIn(pin);
    const pinned = pinnedIds.flatMap((id) => dataset.columns.find((column) => column.id === id) ?? []);
    const rest = dataset.columns.filter(({ id }) => !hidden.has(id) && !pinnedIds.includes(id));
    const version: Query = { versionId, asOf };
    return { filter, order, version, hidden, pinned, shown: [...pinned, ...rest] };
  }, [dataset, filter, order, hide, pin, versionId, asOf]);
};

export type View = ReturnType<typeof useView>;

/** How many rows the view has; the dataset says it where nothing is left out. */
export const useRowCount = (dataset: DatasetDetail, { filter, version }: View) =>
  useLoad(
    async (signal) => {
      const isWhole = filter === '' && version.versionId === undefined && version.asOf === undefined;
      if (isWhole) return dataset.rowCount;
      const query = { $count: true, $filter: filter === '' ? undefined : filter, ...version };
      return Number(await (await askRows(dataset.id, query, { accept: 'text/plain', signal })).text());
    },
    [dataset, filter, JSON.stringify(version)],
  );

/** Summaries of the columns that came into view, asked for a few at a time. */
export const useSummaries = (datasetId: number, version: Query) => {
  const [summaries, setSummaries] = useState<ReadonlyMap<number, ColumnSummary>>(new Map());
  const asked = useRef(new Set<number>());
  const ask = useCallback(
    (columns: readonly Column[]): void => {
      const wanted = columns.filter(({ id }) => !asked.current.has(id)).slice(0, 40);
      if (wanted.length === 0) return;
      for (const { id } of wanted) asked.current.add(id);
      const $select = wanted.map(({ id }) => id).join(',');
      api.get<Summary>(`/datasets/${datasetId}/summary`, { query: { $select, ...version } }).then(
        (found) =>
          setSummaries((known) => new Map([...known, ...found.columns.map((one) => [one.id, one] as const)])),
        (error: unknown) => {
          if (isAbort(error)) return;
          // The heads stay plain; the rows do not depend on it. The next time in view it is asked for again.
          for (const { id } of wanted) asked.current.delete(id);
          if (!(error instanceof ApiError)) throw error;
        },
      );
    },
    [datasetId, JSON.stringify(version)],
  );
  return { summaries, ask };
};
