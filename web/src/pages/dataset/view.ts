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

/** `[A] desc,B` as the columns and directions that it names. */
export const orderIn = (text: string, columns: readonly Column[]): ReadonlyMap<number, 'asc' | 'desc'> => {
  const found = new Map<number, 'asc' | 'desc'>();
  for (const column of columns)
    for (const direction of ['asc', 'desc'] as const)
      if (text === `${nameInFilter(column.name)} ${direction}`) found.set(column.id, direction);
  return found;
};

/** The view in the address. */
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

/** Columns whose summaries are requested at a time. */
const mostSummaries = 40;

/** Most cached summaries; older ones are requested again. */
const mostKept = 400;

/** Milliseconds before a failed summary is requested again. */
const againAfterMs = 5_000;

/** Positions of the visible columns without a summary. */
type SummaryState = 'asking' | 'failed';

/** Summaries of the columns in view. */
export const useSummaries = (datasetId: number, version: Query) => {
  const [summaries, setSummaries] = useState<ReadonlyMap<number, ColumnSummary | undefined>>(new Map());
  const [state, setState] = useState<SummaryState>('asking');
  const of = JSON.stringify([datasetId, version]);
  const asking = useMemo(() => {
    /** By column, the oldest first; undefined: it has none. */
    const known = new Map<number, ColumnSummary | undefined>();
    let inView: readonly Column[] = [];
    let running: { readonly ids: ReadonlySet<number>; readonly stop: AbortController } | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // One at a time: rows wait for the same places of the account.
    const next = (): void => {
      const ids = new Set(
        inView
          .map(({ id }) => id)
          .filter((id) => !known.has(id))
          .slice(0, mostSummaries),
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
          for (const id of ids) known.set(id, undefined);
          for (const one of found.columns) known.set(one.id, one);
          const seen = new Set(inView.map(({ id }) => id));
          for (const id of known.keys()) if (known.size > mostKept && !seen.has(id)) known.delete(id);
          setSummaries(new Map(known));
          next();
        },
        (error: unknown) => {
          if (running === job) running = undefined;
          if (isAbort(error)) return;
          if (!(error instanceof ApiError)) throw error;
          // The rows do not depend on it.
          setState('failed');
          timer = setTimeout(next, againAfterMs);
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
        // Requests for rows that were scrolled past are cancelled.
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
