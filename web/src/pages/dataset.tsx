import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { DatasetFacts, DatasetTabs, mayChange } from '../components/dataset-head.js';
import { FilterBar } from '../components/filter/filter-bar.js';
import { Grid } from '../components/grid/grid.js';
import { Menu } from '../components/menu.js';
import { Page } from '../components/page.js';
import { ErrorState, Show, State, Waiting } from '../components/states.js';
import { TakeAlong } from '../components/take-along.js';
import { ApiError, api, isAbort, request } from '../lib/api.js';
import { both, nameInFilter } from '../lib/filter.js';
import { count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import type { Query } from '../lib/query.js';
import { noteQuery, setQuery, useAddress } from '../lib/router.js';
import type { Column, ColumnSummary, DatasetDetail, Summary } from '../lib/types.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { type ColumnChange, ColumnChangeDialog } from './dataset/column-changes.js';
import './dataset.css';

const idsIn = (text: string | null): number[] =>
  (text ?? '')
    .split(',')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);

/** `[A] desc,B` as the columns and directions that it names. */
const orderIn = (text: string, columns: readonly Column[]): ReadonlyMap<number, 'asc' | 'desc'> => {
  const found = new Map<number, 'asc' | 'desc'>();
  for (const column of columns)
    for (const direction of ['asc', 'desc'] as const)
      if (text === `${nameInFilter(column.name)} ${direction}`) found.set(column.id, direction);
  return found;
};

/** What the address says of the view. */
const useView = (dataset: DatasetDetail) => {
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

type View = ReturnType<typeof useView>;

/** How many rows the view has; the dataset says it where nothing is left out. */
const useRowCount = (dataset: DatasetDetail, { filter, version }: View) =>
  useLoad(
    async (signal) => {
      const isWhole = filter === '' && version.versionId === undefined && version.asOf === undefined;
      if (isWhole) return dataset.rowCount;
      const query = { $count: true, $filter: filter === '' ? undefined : filter, ...version };
      const headers = { Accept: 'text/plain, application/json;q=0.5' };
      const path = `/datasets/${dataset.id}`;
      const answer = await (filter.length > 4_000
        ? request('POST', `${path}/query`, { body: query, headers, signal })
        : request('GET', `${path}/data`, { query, headers, signal }));
      return Number(await answer.text());
    },
    [dataset, filter, JSON.stringify(version)],
  );

/** Summaries of the columns that came into view, asked for a few at a time. */
const useSummaries = (datasetId: number, version: Query) => {
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

const ids = (columns: readonly Column[]): string => columns.map(({ id }) => id).join(',');

const Hidden = ({ dataset, view }: { dataset: DatasetDetail; view: View }) => {
  if (view.hidden.size === 0) return null;
  const hidden = dataset.columns.filter(({ id }) => view.hidden.has(id));
  return (
    <Menu label={texts.grid.hidden(count(hidden.length))}>
      {(close) => (
        <>
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              setQuery({ hide: undefined });
            }}
          >
            {texts.grid.showAll}
          </button>
          {hidden.slice(0, 200).map((column) => (
            <button
              key={column.id}
              type="button"
              class="menu-item"
              onClick={() => setQuery({ hide: ids(hidden.filter(({ id }) => id !== column.id)) })}
            >
              {column.name}
            </button>
          ))}
        </>
      )}
    </Menu>
  );
};

const Table = ({
  dataset,
  onChange,
}: {
  dataset: DatasetDetail;
  onChange: ((change: ColumnChange) => void) | undefined;
}) => {
  const view = useView(dataset);
  const { query } = useAddress();
  const rowCount = useRowCount(dataset, view);
  const { summaries, ask } = useSummaries(dataset.id, view.version);
  const firstRow = useRef(Math.max(0, Number(query.get('row') ?? 0) || 0));
  const asked = query.get('row');
  const lastNoted = useRef(asked);
  if (asked !== lastNoted.current) {
    lastNoted.current = asked;
    firstRow.current = Math.max(0, Number(asked ?? 0) || 0);
  }
  const rows = useMemo(
    () => ({ datasetId: dataset.id, filter: view.filter, order: view.order, version: view.version }),
    [dataset.id, view],
  );
  const narrow = (filter: string): void => {
    firstRow.current = 0;
    setQuery({ $filter: filter, row: undefined });
  };
  const actions = useMemo(
    () => ({
      sort: (column: Column, direction: 'asc' | 'desc' | undefined) =>
        setQuery({ $orderby: direction && `${nameInFilter(column.name)} ${direction}` }),
      hide: (column: Column) => setQuery({ hide: [...view.hidden, column.id].join(',') }),
      pin: (column: Column) =>
        setQuery({
          pin: ids(
            view.pinned.includes(column)
              ? view.pinned.filter((one) => one !== column)
              : [...view.pinned, column],
          ),
        }),
      narrow: (more: string) => narrow(both(view.filter, more)),
      change: onChange && ((kind: ColumnChange['kind'], column: Column) => onChange({ kind, column })),
    }),
    [view, onChange === undefined],
  );
  const order = useMemo(() => orderIn(view.order, dataset.columns), [view, dataset]);
  const taken: Query = {
    $filter: view.filter === '' ? undefined : view.filter,
    $orderby: view.order === '' ? undefined : view.order,
    $select: view.hidden.size === 0 ? undefined : ids(view.shown),
    ...view.version,
  };
  return (
    <>
      <FilterBar
        datasetId={dataset.id}
        columns={dataset.columns}
        version={view.version}
        filter={view.filter}
        rowCount={dataset.rowCount}
        onApply={narrow}
      >
        <div class="row dataset-tools">
          <TakeAlong
            datasetId={dataset.id}
            query={taken}
            isPublic={dataset.privacy === 'Public'}
            columns={view.shown}
          />
          <Hidden dataset={dataset} view={view} />
        </div>
      </FilterBar>
      {rowCount.state === 'error' ? (
        // A filter that is wrong is told where it is written.
        view.filter === '' && <ErrorState error={rowCount.error} retry={rowCount.reload} />
      ) : rowCount.data === undefined ? (
        <Waiting />
      ) : rowCount.data === 0 ? (
        <State title={texts.grid.noRows}>
          {view.filter !== '' && (
            <button class="button" type="button" onClick={() => narrow('')}>
              {texts.filter.clear}
            </button>
          )}
        </State>
      ) : (
        <Grid
          rows={rows}
          rowCount={rowCount.data}
          columns={dataset.columns}
          shown={view.shown}
          pinned={view.pinned.length}
          order={order}
          summaries={summaries}
          actions={actions}
          firstRow={Math.min(firstRow.current, rowCount.data - 1)}
          onColumns={ask}
          onRow={(row) => {
            lastNoted.current = row === 0 ? null : String(row);
            noteQuery({ row: row === 0 ? undefined : String(row) });
          }}
          label={texts.grid.label(dataset.name)}
        />
      )}
    </>
  );
};

/** Columns of an older version are those that it had. */
const load = async (
  id: string,
  asOf: string | null,
  versionId: string | null,
  signal: AbortSignal,
): Promise<DatasetDetail> => {
  const dataset = await api.get<DatasetDetail>(`/datasets/${id}`, {
    query: { asOf: asOf ?? undefined },
    signal,
  });
  if (versionId === null) return dataset;
  const { columns, rows } = await api.get<Summary>(`/datasets/${id}/summary`, {
    query: { versionId },
    signal,
  });
  const entities = new Set(dataset.columns.filter(({ isEntity }) => isEntity).map((column) => column.id));
  return {
    ...dataset,
    rowCount: rows,
    columns: columns.map((column) => ({
      id: column.id,
      name: column.name,
      dataType: column.dataType,
      isEntity: dataset.columns.some((one) => one.id === column.id)
        ? entities.has(column.id)
        : column.dataType !== 'Decimal',
    })),
  };
};

/** A dataset as a grid over all of its rows and columns. */
export const Dataset = ({ params }: PageParams) => {
  const { query } = useAddress();
  const [asOf, versionId] = [query.get('asOf'), query.get('versionId')];
  const found = useLoad(
    (signal) => load(params.id ?? '', asOf, versionId, signal),
    [params.id, asOf, versionId],
  );
  const [change, setChange] = useState<ColumnChange>();
  const [told, setTold] = useState('');
  return (
    <Show of={found}>
      {(dataset) => (
        <Page
          title={dataset.name}
          width="wide dataset-page"
          lead={
            <>
              {dataset.description !== null && <p class="dataset-text">{dataset.description}</p>}
              <DatasetFacts dataset={dataset} columns={dataset.columns.length} />
            </>
          }
        >
          <DatasetTabs dataset={dataset}>
            <p class={told === '' ? 'hidden-text' : 'notice good'} role="status">
              {told}
            </p>
            {change !== undefined && (
              <ColumnChangeDialog
                dataset={dataset}
                change={change}
                onDone={(text) => {
                  setChange(undefined);
                  setTold(text);
                  found.reload();
                }}
                onClose={() => setChange(undefined)}
              />
            )}
            {dataset.currentVersionId === null ? (
              <State title={texts.dataset.empty}>
                <p class="soft">{texts.dataset.emptyMore}</p>
              </State>
            ) : (
              // Another version has other rows, and other facts about its columns.
              <Table
                key={dataset.currentVersionId}
                dataset={dataset}
                onChange={mayChange(dataset) && asOf === null && versionId === null ? setChange : undefined}
              />
            )}
          </DatasetTabs>
        </Page>
      )}
    </Show>
  );
};
