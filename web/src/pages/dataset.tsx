import { useMemo, useRef, useState } from 'preact/hooks';
import { DatasetFacts, DatasetTabs, mayChange } from '../components/dataset-head.js';
import { FilterBar } from '../components/filter/filter-bar.js';
import { Grid } from '../components/grid/grid.js';
import { OneRow } from '../components/grid/one-row.js';
import type { RowsOf } from '../components/grid/read-rows.js';
import { Menu } from '../components/menu.js';
import { Page } from '../components/page.js';
import { ErrorState, Show, State, Waiting } from '../components/states.js';
import { TakeAlong } from '../components/take-along.js';
import { api } from '../lib/api.js';
import { nameInFilter, toggled } from '../lib/filter.js';
import { passFocus } from '../lib/focus.js';
import { count } from '../lib/format.js';
import { useLoad } from '../lib/load.js';
import type { Query } from '../lib/query.js';
import { noteQuery, setQuery, useAddress } from '../lib/router.js';
import type { Column, DatasetDetail, Summary } from '../lib/types.js';
import type { PageParams } from '../pages.js';
import { texts } from '../texts.js';
import { type ColumnChange, ColumnChangeDialog } from './dataset/column-changes.js';
import { orderIn, useRowCount, useSummaries, useView, type View } from './dataset/view.js';
import './dataset.css';

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
  onNewVersion,
  onChange,
}: {
  dataset: DatasetDetail;
  onNewVersion: () => void;
  onChange: ((change: ColumnChange) => void) | undefined;
}) => {
  const view = useView(dataset);
  const { query } = useAddress();
  const rowCount = useRowCount(dataset, view);
  const record = Number.parseInt(query.get('record') ?? '-1', 10);
  const { summaries, summaryState, ask } = useSummaries(dataset.id, view.version);
  const firstRow = useRef(Math.max(0, Number(query.get('row') ?? 0) || 0));
  const asked = query.get('row');
  const lastNoted = useRef(asked);
  if (asked !== lastNoted.current) {
    lastNoted.current = asked;
    firstRow.current = Math.max(0, Number(asked ?? 0) || 0);
  }
  const rows = useMemo((): RowsOf => {
    const { filter, order, version } = view;
    const isCurrent = version.versionId === undefined && version.asOf === undefined;
    const currentVersionId = isCurrent ? (dataset.currentVersionId ?? undefined) : undefined;
    return { datasetId: dataset.id, filter, order, version, currentVersionId, onNewVersion };
  }, [dataset, view, onNewVersion]);
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
      narrow: (clicked: string) => narrow(toggled(view.filter, clicked)),
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
        // The filter bar shows errors of the filter.
        view.filter === '' && <ErrorState error={rowCount.error} retry={rowCount.reload} />
      ) : rowCount.data === undefined ? (
        <Waiting />
      ) : rowCount.data === 0 ? (
        <State title={texts.grid.noRows}>
          {view.filter !== '' && (
            <button
              class="button"
              type="button"
              onClick={(event) => {
                passFocus(event, '.page', '.filter-text input');
                narrow('');
              }}
            >
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
          summaryState={summaryState}
          actions={actions}
          firstRow={Math.min(firstRow.current, rowCount.data - 1)}
          onColumns={ask}
          onRow={(row) => {
            lastNoted.current = row === 0 ? null : String(row);
            noteQuery({ row: row === 0 ? undefined : String(row) });
          }}
          onOpen={(row) => setQuery({ record: String(row) })}
          label={texts.grid.label(dataset.name)}
        />
      )}
      {rowCount.data !== undefined && record >= 0 && record < rowCount.data && (
        <OneRow
          rows={rows}
          row={record}
          rowCount={rowCount.data}
          shown={view.shown}
          onRow={(row) => setQuery({ record: String(row) }, { replace: true })}
          onClose={() => setQuery({ record: undefined }, { replace: true })}
        />
      )}
    </>
  );
};

/** Loads the dataset, with the columns of the requested version. */
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

export const Dataset = ({ params }: PageParams) => {
  const { query } = useAddress();
  const [asOf, versionId] = [query.get('asOf'), query.get('versionId')];
  const found = useLoad(
    (signal) => load(params.id ?? '', asOf, versionId, signal),
    [params.id, asOf, versionId],
  );
  const [change, setChange] = useState<ColumnChange>();
  const [notice, setNotice] = useState('');
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
            <p class={notice === '' ? 'hidden-text' : 'notice good'} role="status">
              {notice}
            </p>
            {change !== undefined && (
              <ColumnChangeDialog
                dataset={dataset}
                change={change}
                onDone={(text) => {
                  setChange(undefined);
                  setNotice(text);
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
              // A new version has different rows and column summaries, so the state must be reset.
              <Table
                key={dataset.currentVersionId}
                dataset={dataset}
                onNewVersion={found.reload}
                onChange={mayChange(dataset) && asOf === null && versionId === null ? setChange : undefined}
              />
            )}
          </DatasetTabs>
        </Page>
      )}
    </Show>
  );
};
