import { isAbort } from '../../lib/api.js';
import type { Column } from '../../lib/types.js';
import { createKept } from './kept.js';
import { fetchRows, type RowsOf } from './read-rows.js';

/** Cells that are fetched when they come into view, in blocks of rows and columns. */
export interface Blocks {
  /** Text of a cell, null, or undefined while it is not there. */
  cell(row: number, column: Column): string | null | undefined;
  /** What is in view; all that was asked for before and is not is cancelled. */
  want(first: number, last: number, columns: readonly Column[]): void;
  /** Cancels everything. */
  close(): void;
}

const columnsInBlock = 24;
/** Most characters of cells that are kept beyond what is in view. */
const mostKept = 24_000_000;
/** An account has a quarter of the places for queries; others of its windows want some too. */
const mostAtOnce = 3;
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

  // By first row and group; entity columns are group -1.
  const kept = createKept(mostKept);
  const running = new Map<string, AbortController>();
  let queue: { key: string; block: Block }[] = [];

  const keyOf = (first: number, group: number): string => `${first}/${group}`;
  const groupOfColumn = ({ id, isEntity }: Column): number => (isEntity ? -1 : (groupOf.get(id) ?? 0));

  const load = async (
    key: string,
    { first, columns: selected }: Block,
    signal: AbortSignal,
  ): Promise<void> => {
    const { rows: found, columns: order } = await fetchRows(
      rows,
      { first, count: rowsInBlock, selected, entities },
      signal,
    );
    const columnOf = (index: number): (string | null)[] => found.map((row) => row[index] ?? null);
    const own = new Map<number, (string | null)[]>();
    const shared = new Map<number, (string | null)[]>();
    for (const [index, { id, isEntity }] of order.entries())
      (isEntity ? shared : own).set(id, columnOf(index));
    if (own.size > 0) kept.keep(key, own);
    if (shared.size > 0) kept.keep(keyOf(first, -1), shared);
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
      return kept.cells(keyOf(first, groupOfColumn(column)))?.get(column.id)?.[row - first];
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
      kept.inView = new Set([...wanted].flatMap(([key, { first: at }]) => [key, keyOf(at, -1)]));
      for (const [key, stop] of running)
        if (!wanted.has(key)) {
          running.delete(key);
          stop.abort();
        }
      queue = [...wanted]
        .filter(([key]) => kept.cells(key) === undefined && !running.has(key))
        .map(([key, block]) => ({ key, block }));
      next();
    },
    close() {
      queue = [];
      for (const stop of running.values()) stop.abort();
      running.clear();
    },
  };
};
