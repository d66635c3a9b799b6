/**
 * Computes summaries of columns, in few queries of some columns each.
 *
 * Up to a million rows everything is exact, and an aggregate holds all values of its columns until its query ends. Merging
 * what two threads hold costs as much as gathering it, so each query has one thread, and several run at a time. Beyond that
 * what is held is small, and one query at a time has all threads.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import type { ReadContext } from '../read-context.js';
import {
  type ColumnStats,
  type ColumnSummary,
  exactRows,
  hasBins,
  histogramSql,
  leastTextsSql,
  type MeasureRange,
  shownText,
  splitTexts,
  statsSql,
  summaryOf,
  topTextsSql,
} from './column-summary.js';
import type { ValueCount } from './column-values.js';
import type { LocatedSource, RunStatement } from './statement.js';

/** Subject of a computation. */
interface Subject {
  readonly source: LocatedSource;
  readonly rows: number;
  readonly context: ReadContext;
}

/** Returns the summaries in the order of the columns. */
type Compute = (
  columns: readonly StoredColumn[],
  source: LocatedSource,
  rows: number,
  context: ReadContext,
) => Promise<ColumnSummary[]>;

interface Details {
  readonly counts: ReadonlyMap<number, readonly number[]>;
  readonly tops: ReadonlyMap<number, readonly ValueCount[]>;
}

const topTexts = 10;
/** Columns of one query at most: more take longer to plan than they spare. */
const mostColumns = 50;
/** Values of one query where all are held, some 50 bytes each. */
const mostValues = 4_000_000;
/** Queries of one thread at a time. */
const concurrency = 4;

const isHeld = (rows: number): boolean => rows <= exactRows;

const batchesOf = (columns: readonly StoredColumn[], rows: number): readonly (readonly StoredColumn[])[] => {
  const fitting = isHeld(rows) ? Math.floor(mostValues / Math.max(1, rows)) : mostColumns;
  const size = Math.max(1, Math.min(mostColumns, fitting));
  return Array.from({ length: Math.ceil(columns.length / size) }, (_, at) =>
    columns.slice(at * size, (at + 1) * size),
  );
};

/** Runs computations with bounded concurrency; returns the results in order. When one fails the others are aborted. */
const mapConcurrently = async <T, R>(
  items: readonly T[],
  count: number,
  signal: AbortSignal | undefined,
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> => {
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const results: R[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of waiting) results[at] = await work(item, either);
  };
  const running = Array.from({ length: Math.min(count, items.length) }, worker);
  try {
    await Promise.all(running);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(running);
    throw error;
  }
  return results;
};

export const createComputation = (runStatement: RunStatement): Compute => {
  const runList = <T>(list: readonly string[], { source, rows, context }: Subject): Promise<T[]> =>
    list.length === 0
      ? Promise.resolve([])
      : runStatement<T[]>(
          `SELECT ${list.join(',\n')} ${source.sql}`,
          source,
          context,
          isHeld(rows) ? { max_threads: 1 } : {},
        ).then(([found = []]) => found);

  const topOf = async (column: StoredColumn, { source, context }: Subject): Promise<ValueCount[]> => {
    const name = storageName(column);
    const rows = await runStatement<[string, number]>(
      `SELECT ${shownText('v')}, n FROM (SELECT ${name} AS v, count() AS n ${source.sql} AND ${name} IS NOT NULL
       GROUP BY v ORDER BY n DESC, v LIMIT ${topTexts}) ORDER BY n DESC, v`,
      source,
      context,
    );
    return rows.map(([value, count]) => ({ value, count: Number(count) }));
  };

  /** Histograms and the most frequent texts, by the ids of the columns: in as few statements as possible. */
  const detailsOf = async (
    wide: readonly { readonly column: StoredColumn; readonly stats: MeasureRange }[],
    texts: Parameters<typeof splitTexts>[0],
    subject: Subject,
  ): Promise<Details> => {
    const { together, unique, alone } = splitTexts(texts, subject.rows);
    const found = await runList<number[] | [string, number][]>(
      [
        ...wide.map(({ column, stats }) => histogramSql(column, stats)),
        ...together.map((column) => topTextsSql(column, topTexts)),
        ...unique.map((column) => leastTextsSql(column, topTexts)),
      ],
      subject,
    );
    const counts = new Map(wide.map(({ column }, at) => [column.id, found[at] as number[]]));
    const tops = new Map<number, readonly ValueCount[]>();
    for (const [at, column] of [...together, ...unique].entries()) {
      const values = (found[wide.length + at] ?? []) as [string, number][];
      tops.set(
        column.id,
        values.map(([value, count]) => ({ value, count: Number(count) })),
      );
    }
    for (const column of alone) tops.set(column.id, await topOf(column, subject));
    return { counts, tops };
  };

  const compute = async (columns: readonly StoredColumn[], subject: Subject): Promise<ColumnSummary[]> => {
    const { rows } = subject;
    const found = await runList<ColumnStats>(
      columns.map((column) => statsSql(column, rows)),
      subject,
    );
    const wide = columns.flatMap((column, index) => {
      const [nulls, , , , , , , low, high] = found[index]!;
      const stats = { low: Number(low), high: Number(high), nulls: Number(nulls) };
      return hasBins(low, high) ? [{ column, stats }] : [];
    });
    const texts = columns.flatMap((column, index) =>
      column.dataType === 'String' ? [{ column, stats: found[index]! }] : [],
    );
    const { counts, tops } = await detailsOf(wide, texts, subject);
    return columns.map((column, index) =>
      summaryOf(column, found[index]!, {
        rows,
        counts: counts.get(column.id) ?? [],
        top: tops.get(column.id),
      }),
    );
  };

  return async (columns, source, rows, context) => {
    const batches = batchesOf(columns, rows);
    const summaries = await mapConcurrently(
      batches,
      isHeld(rows) ? concurrency : 1,
      context.signal,
      (batch, signal) => compute(batch, { source, rows, context: { ...context, signal } }),
    );
    return summaries.flat();
  };
};
