import { isAbort, request } from '../../lib/api.js';
import type { Query } from '../../lib/query.js';
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

/** Cells that are fetched when they come into view, in blocks of rows and columns. */
export interface Blocks {
  /** Text of a cell, null, or undefined while it is not there. */
  cell(row: number, column: Column): string | null | undefined;
  /** What is in view; all that was asked for before and is not is cancelled. */
  want(first: number, last: number, columns: readonly Column[]): void;
  /** Rows of some columns in one answer, for copying. */
  read(
    first: number,
    count: number,
    columns: readonly Column[],
    signal?: AbortSignal,
  ): Promise<(string | null)[][]>;
  /** Cancels everything. */
  close(): void;
}

const columnsInBlock = 24;
const mostBlocks = 400;
/** An account has a quarter of the places for queries; others of its windows want some too. */
const mostAtOnce = 3;
/** Beyond it a filter is too long for an address. */
const longFilter = 4_000;

/** Entity columns come with every answer, whatever is selected. */
const answered = (entities: readonly Column[], columns: readonly Column[]): Column[] => [
  ...entities,
  ...columns.filter(({ isEntity }) => !isEntity),
];

export interface BlocksOptions {
  readonly rows: RowsOf;
  /** All columns of the dataset. */
  readonly columns: readonly Column[];
  /** Something arrived. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

interface Block {
  readonly first: number;
  readonly columns: readonly Column[];
}

export const createBlocks = ({ rows, columns, onChange, onError }: BlocksOptions): Blocks => {
  const entities = columns.filter(({ isEntity }) => isEntity);
  const values = columns.filter(({ isEntity }) => !isEntity);
  const groupOf = new Map<number, number>(
    values.map(({ id }, index) => [id, Math.floor(index / columnsInBlock)]),
  );
  const groups: Column[][] = [];
  for (let at = 0; at < values.length; at += columnsInBlock)
    groups.push(values.slice(at, at + columnsInBlock));
  const rowsInBlock = Math.max(16, Math.min(100, Math.floor(40_000 / Math.max(1, entities.length))));

  // By first row and group; entity columns are group -1. Insertion order is order of use.
  const kept = new Map<string, Map<number, readonly (string | null)[]>>();
  const running = new Map<string, AbortController>();
  let queue: { key: string; block: Block }[] = [];

  const keyOf = (first: number, group: number): string => `${first}/${group}`;
  const groupOfColumn = ({ id, isEntity }: Column): number => (isEntity ? -1 : (groupOf.get(id) ?? 0));

  const keep = (key: string, byColumn: Map<number, readonly (string | null)[]>): void => {
    kept.delete(key);
    kept.set(key, byColumn);
    const [oldest] = kept.keys();
    if (kept.size > mostBlocks && oldest !== undefined) kept.delete(oldest);
  };

  const fetchRows = async (
    first: number,
    count: number,
    selected: readonly Column[],
    signal?: AbortSignal,
  ): Promise<(string | null)[][]> => {
    const query = {
      $format: 'tsv',
      $quote: 'minimal',
      $select: selected.map(({ id }) => id).join(','),
      $skip: first,
      $top: count,
      $filter: rows.filter === '' ? undefined : rows.filter,
      $orderby: rows.order === '' ? undefined : rows.order,
      ...rows.version,
    };
    const path = `/datasets/${rows.datasetId}`;
    const headers = { Accept: 'text/tab-separated-values, application/json;q=0.5' };
    const response = await (rows.filter.length > longFilter
      ? request('POST', `${path}/query`, { body: query, headers, signal })
      : request('GET', `${path}/data`, { query, headers, signal }));
    return parseTsv(await response.text()).slice(1);
  };

  const load = async (
    key: string,
    { first, columns: selected }: Block,
    signal: AbortSignal,
  ): Promise<void> => {
    const found = await fetchRows(first, rowsInBlock, selected, signal);
    const order = answered(entities, selected);
    const columnOf = (index: number): (string | null)[] => found.map((row) => row[index] ?? null);
    const own = new Map<number, readonly (string | null)[]>();
    const shared = new Map<number, readonly (string | null)[]>();
    for (const [index, { id, isEntity }] of order.entries())
      (isEntity ? shared : own).set(id, columnOf(index));
    if (own.size > 0) keep(key, own);
    if (shared.size > 0) keep(keyOf(first, -1), shared);
  };

  const next = (): void => {
    while (running.size < mostAtOnce) {
      const job = queue.shift();
      if (job === undefined) return;
      const stop = new AbortController();
      running.set(job.key, stop);
      load(job.key, job.block, stop.signal)
        .then(onChange, (error: unknown) => {
          if (!isAbort(error)) onError(error);
        })
        .finally(() => {
          if (running.get(job.key) === stop) running.delete(job.key);
          next();
        });
    }
  };

  return {
    cell(row, column) {
      const first = Math.floor(row / rowsInBlock) * rowsInBlock;
      return kept.get(keyOf(first, groupOfColumn(column)))?.get(column.id)?.[row - first];
    },
    want(first, last, visible) {
      const wanted = new Map<string, Block>();
      const groupsInView = [...new Set(visible.map(groupOfColumn))];
      // Entity columns arrive with any other group.
      const asked = groupsInView.some((group) => group >= 0)
        ? groupsInView.filter((group) => group >= 0)
        : groupsInView;
      for (let at = Math.floor(first / rowsInBlock) * rowsInBlock; at <= last; at += rowsInBlock)
        for (const group of asked)
          wanted.set(keyOf(at, group), {
            first: at,
            columns: group < 0 ? entities.slice(0, 1) : (groups[group] ?? []),
          });
      for (const [key, stop] of running)
        if (!wanted.has(key)) {
          running.delete(key);
          stop.abort();
        }
      queue = [...wanted]
        .filter(([key]) => !kept.has(key) && !running.has(key))
        .map(([key, block]) => ({ key, block }));
      next();
    },
    async read(first, count, selected, signal) {
      const found = await fetchRows(first, count, selected, signal);
      const order = answered(entities, selected);
      const places = selected.map(({ id }) => order.findIndex((column) => column.id === id));
      return found.map((row) => places.map((place) => row[place] ?? null));
    },
    close() {
      queue = [];
      for (const stop of running.values()) stop.abort();
      running.clear();
    },
  };
};
