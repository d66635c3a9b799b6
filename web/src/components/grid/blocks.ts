import { isAbort } from '../../lib/api.js';
import type { Column } from '../../lib/types.js';
import { createKept } from './kept.js';
import { type Packed, pack } from './packed.js';
import { type RowsOf, readRows } from './read-rows.js';

/** Fetches cells in blocks of rows and columns when they come into view. */
export interface Blocks {
  /** Text of a cell, null, or undefined until it is loaded. */
  cell(row: number, column: Column): string | null | undefined;
  /** Sets the rows in view and cancels requests for others. */
  want(first: number, last: number, columns: readonly Column[]): void;
  /** Cancels all requests. */
  close(): void;
}

const columnsInBlock = 24;
const rowsInBlock = 100;
/** Size of the cache, in characters. */
const maxCached = 4_000_000;
/** An account gets a quarter of the permits for queries, and may have other windows open. */
const maxConcurrent = 3;

interface BlocksOptions {
  readonly rows: RowsOf;
  /** All columns of the dataset. */
  readonly columns: readonly Column[];
  /** Called when cells arrive. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** One request: rows from `first` on, with the columns of some groups. */
interface Job {
  readonly first: number;
  readonly groups: readonly number[];
}

const keyOf = (first: number, group: number): string => `${first}/${group}`;
const keysOf = ({ first, groups }: Job): string[] => groups.map((group) => keyOf(first, group));

export const createBlocks = ({ rows, columns, onChange, onError }: BlocksOptions): Blocks => {
  const indexById = new Map(columns.map(({ id }, index) => [id, index]));
  const groupOf = ({ id }: Column): number => Math.floor((indexById.get(id) ?? 0) / columnsInBlock);
  const columnsOf = (group: number): readonly Column[] =>
    columns.slice(group * columnsInBlock, (group + 1) * columnsInBlock);

  // By first row and group.
  const kept = createKept(maxCached);
  const running = new Map<Job, AbortController>();
  let queue: Job[] = [];

  const load = async ({ first, groups }: Job, signal: AbortSignal): Promise<void> => {
    const selected = groups.flatMap(columnsOf);
    const found = await readRows(rows, { first, count: rowsInBlock, selected }, signal);
    let index = 0;
    for (const group of groups) {
      const cells = new Map<number, Packed>();
      for (const { id } of columnsOf(group)) {
        const at = index;
        cells.set(id, pack(found.map((row) => row[at] ?? null)));
        index += 1;
      }
      kept.keep(keyOf(first, group), cells);
    }
  };

  const next = (): void => {
    while (running.size < maxConcurrent) {
      const job = queue.shift();
      if (job === undefined) return;
      const stop = new AbortController();
      running.set(job, stop);
      load(job, stop.signal)
        .then(onChange, (error: unknown) => {
          if (!isAbort(error)) onError(error);
        })
        .finally(() => {
          running.delete(job);
          next();
        });
    }
  };

  return {
    cell(row, column) {
      const first = Math.floor(row / rowsInBlock) * rowsInBlock;
      return kept
        .cells(keyOf(first, groupOf(column)))
        ?.get(column.id)
        ?.at(row - first);
    },
    want(first, last, visible) {
      const inView = [...new Set(visible.map(groupOf))];
      const wanted: Job[] = [];
      for (let at = Math.floor(first / rowsInBlock) * rowsInBlock; at <= last; at += rowsInBlock)
        wanted.push({ first: at, groups: inView });
      kept.inView = new Set(wanted.flatMap(keysOf));
      const inFlight = new Set<string>();
      for (const [job, stop] of running) {
        const keys = keysOf(job);
        if (keys.some((key) => kept.inView.has(key))) for (const key of keys) inFlight.add(key);
        else {
          running.delete(job);
          stop.abort();
        }
      }
      queue = wanted
        .map(({ first: at, groups }) => ({
          first: at,
          groups: groups.filter((group) => {
            const key = keyOf(at, group);
            return kept.cells(key) === undefined && !inFlight.has(key);
          }),
        }))
        .filter(({ groups }) => groups.length > 0);
      next();
    },
    close() {
      queue = [];
      for (const stop of running.values()) stop.abort();
      running.clear();
    },
  };
};
