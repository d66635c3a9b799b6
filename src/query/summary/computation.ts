/**
 * Computes column summaries in batches of columns.
 *
 * Up to a million rows everything is exact, and an aggregate keeps all values of its columns in memory. Merging the states
 * of two threads costs as much as building them, so each query has one thread, and several queries run concurrently. With
 * more rows the states are small, and one query at a time uses all threads.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import type { ReadContext } from '../read-context.js';
import {
  type ColumnStats,
  type ColumnSummary,
  exactRows,
  firstTextsSql,
  hasBins,
  histogramSql,
  type MeasureRange,
  shownText,
  splitTexts,
  statsSql,
  summaryOf,
  topTextsSql,
} from './column-summary.js';
import type { ValueCount } from './column-values.js';
import type { LocatedSource, RunStatement } from './statement.js';

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
/** Maximum columns per query: planning more takes longer than it saves. */
const maxColumns = 50;
/** Maximum values that one query keeps in memory, some 50 bytes each. */
const maxValues = 4_000_000;
/** Concurrent queries of one thread. */
const concurrency = 4;

const isExact = (rows: number): boolean => rows <= exactRows;

const batchesOf = (columns: readonly StoredColumn[], rows: number): readonly (readonly StoredColumn[])[] => {
  const fitting = isExact(rows) ? Math.floor(maxValues / Math.max(1, rows)) : maxColumns;
  const size = Math.max(1, Math.min(maxColumns, fitting));
  return Array.from({ length: Math.ceil(columns.length / size) }, (_, at) =>
    columns.slice(at * size, (at + 1) * size),
  );
};

/** Runs work with bounded concurrency and returns the results in order. If one fails, the others are aborted. */
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
          isExact(rows) ? { max_threads: 1 } : {},
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

  /** Histograms and most frequent texts by column id, in as few statements as possible. */
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
        ...unique.map((column) => firstTextsSql(column, topTexts)),
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
      isExact(rows) ? concurrency : 1,
      context.signal,
      (batch, signal) => compute(batch, { source, rows, context: { ...context, signal } }),
    );
    return summaries.flat();
  };
};
