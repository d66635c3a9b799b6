import { useEffect, useMemo, useState } from 'preact/hooks';
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

/** Parses an order of one column, such as `[A] desc`; empty for other orders. */
export const orderIn = (text: string, columns: readonly Column[]): ReadonlyMap<number, 'asc' | 'desc'> => {
  const found = new Map<number, 'asc' | 'desc'>();
  for (const column of columns)
    for (const direction of ['asc', 'desc'] as const)
      if (text === `${nameInFilter(column.name)} ${direction}`) found.set(column.id, direction);
  return found;
};

/** The view in the URL. */
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

/** Number of rows in the view. Needs a request only with a filter or an older version. */
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

/** Most columns per request for summaries. */
const maxSummaries = 40;

/** Size of the cache of summaries. */
const maxCached = 400;

const retryAfterMs = 5_000;

/** State of the visible columns without a summary. */
type SummaryState = 'asking' | 'failed';

/** Summaries of the columns in view. */
export const useSummaries = (datasetId: number, version: Query) => {
  const [summaries, setSummaries] = useState<ReadonlyMap<number, ColumnSummary | undefined>>(new Map());
  const [state, setState] = useState<SummaryState>('asking');
  const of = JSON.stringify([datasetId, version]);
  const asking = useMemo(() => {
    /** By column id, oldest first; undefined if the column has no summary. */
    const cached = new Map<number, ColumnSummary | undefined>();
    let inView: readonly Column[] = [];
    let running: { readonly ids: ReadonlySet<number>; readonly stop: AbortController } | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // One at a time: requests for rows need permits of the same account.
    const next = (): void => {
      const ids = new Set(
        inView
          .map(({ id }) => id)
          .filter((id) => !cached.has(id))
          .slice(0, maxSummaries),
      );
      if (running !== undefined || ids.size === 0) return;
      const job = { ids, stop: new AbortController() };
      running = job;
      clearTimeout(timer);
      setState('asking');
      const query = { $select: [...ids].join(','), ...version };
      api.get<Summary>(`/datasets/${datasetId}/summary`, { query, signal: job.stop.signal }).then(
        (found) => {
          if (running === job) running = undefined;
          for (const id of ids) cached.set(id, undefined);
          for (const one of found.columns) cached.set(one.id, one);
          const visible = new Set(inView.map(({ id }) => id));
          for (const id of cached.keys()) if (cached.size > maxCached && !visible.has(id)) cached.delete(id);
          setSummaries(new Map(cached));
          next();
        },
        (error: unknown) => {
          if (running === job) running = undefined;
          if (isAbort(error)) return;
          if (!(error instanceof ApiError)) throw error;
          // Not an error of the page: the rows are shown without summaries.
          setState('failed');
          timer = setTimeout(next, retryAfterMs);
        },
      );
    };
    const stop = (): void => {
      running?.stop.abort();
      running = undefined;
      clearTimeout(timer);
    };
    return {
      ask(columns: readonly Column[]): void {
        inView = columns;
        // Cancels a request if none of its columns is in view any more.
        if (!columns.some(({ id }) => running?.ids.has(id))) stop();
        next();
      },
      stop,
    };
  }, [of]);
  useEffect(() => {
    setSummaries(new Map());
    return asking.stop;
  }, [asking]);
  return { summaries, summaryState: state, ask: asking.ask };
};
