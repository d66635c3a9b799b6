/**
 * Values of a column with counts, for completion while a user types. Results are cached, because a version never changes.
 * A complete list for a prefix also answers all longer prefixes.
 *
 *   few values    all are read once, and every prefix is answered from the cache
 *   many values   the most frequent ones are queried per prefix; the index skips rows that cannot match
 */
import { createCache } from '../../lib/cache.js';
import { invalid, notFound } from '../../lib/errors.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import { type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import { contentName, type ReadableVersion } from '../../model/version.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { ReadContext } from '../read-context.js';
import { createSharedWork } from '../shared-work.js';
import { createStatementRunner, sourceOf } from './statement.js';

interface ValuesWanted {
  readonly version: ReadableVersion;
  /** Name or id of a column. */
  readonly column: string;
  readonly startsWith: string;
  readonly top: number;
  /** Owner of permits. */
  readonly owner: string;
  readonly context: ReadContext;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export interface ColumnValues {
  /**
   * Most frequent first, then by bytes.
   * @throws AppError 404 for an unknown column; 400 if the values are too long for one answer
   */
  find(wanted: ValuesWanted): Promise<readonly ValueCount[]>;
}

/** Columns with more values, or more bytes of them, are queried per prefix. */
const wholeValues = 10_000;
const wholeBytes = 1024 * 1024;
/** Smallest LIMIT of a query for a prefix. */
const prefixValues = 1_000;
/** Most bytes of values in one answer. */
const answerBytes = 16 * 1024 * 1024;
/** Size of the cache. */
const cachedBytes = 32 * 1024 * 1024;
/** Overhead of a cached value. */
const bytesPerValue = 64;
/** Longest prefix whose answer is cached. */
const longestPrefix = 40;

/** The most frequent values with a prefix. */
interface CachedValues {
  readonly values: readonly ValueCount[];
  /** True if the list has all values with the prefix. */
  readonly isComplete: boolean;
}

const weigh = ({ values }: CachedValues): number =>
  values.reduce((sum, { value }) => sum + 2 * value.length + bytesPerValue, bytesPerValue);

/** The list is empty if its values have too many bytes. */
type Listed = readonly [count: number, bytes: number, list: readonly (readonly [string, number])[]];

const listSql = (groups: string, maxBytes: number): string =>
  `SELECT count() AS found, sum(length(v)) AS size,
     if(size <= ${maxBytes}, arraySort(x -> (-toInt64(x.2), x.1), groupArray((v, n))), []) FROM (${groups})`;

const requireColumn = ({ columns }: ReadableVersion, wanted: string): StoredColumn => {
  const column =
    columns.find(({ name }) => name === wanted) ?? columns.find(({ id }) => String(id) === wanted);
  if (column === undefined)
    throw notFound('unknown_column', `The dataset has no column ${wanted.slice(0, 60)}.`);
  return column;
};

const tooLong = () =>
  invalid('values_too_long', 'The values are too long for one answer; request fewer with $top.', {
    limit: answerBytes,
  });

const toValues = ([, , list]: Listed): ValueCount[] =>
  list.map(([value, count]) => ({ value, count: Number(count) }));

export const createColumnValues = ({
  reader,
  semaphore,
}: {
  reader: Reader;
  semaphore: Semaphore;
}): ColumnValues => {
  const runStatement = createStatementRunner(reader);
  const shared = createSharedWork<CachedValues>();
  const cache = createCache<CachedValues>({ limit: cachedBytes, weigh });

  /** Reads all values. Grouping stops as soon as there are too many. */
  const readWhole = async (
    version: ReadableVersion,
    column: StoredColumn,
    context: ReadContext,
  ): Promise<CachedValues> => {
    const source = sourceOf(reader, version);
    const name = storageName(column);
    const text = columnTypeOf(column.physical).text('k');
    const groups = `SELECT ${text} AS v, n FROM (SELECT assumeNotNull(${name}) AS k, count() AS n ${source.sql}
      AND ${name} IS NOT NULL GROUP BY k)`;
    const [row = [0, 0, []] as const] = await runStatement<Listed>(
      listSql(groups, wholeBytes),
      source,
      context,
      {
        max_rows_to_group_by: wholeValues,
        group_by_overflow_mode: 'break',
      },
    );
    const isComplete = Number(row[0]) <= wholeValues && Number(row[1]) <= wholeBytes;
    return { values: isComplete ? toValues(row) : [], isComplete };
  };

  const readPrefix = async (
    { version, startsWith, top }: ValuesWanted,
    column: StoredColumn,
    context: ReadContext,
  ): Promise<CachedValues> => {
    const source = sourceOf(reader, version);
    const name = storageName(column);
    const text = columnTypeOf(column.physical).text(name);
    // For a text column `text` is the column itself, so its index can skip rows.
    const groups = `SELECT assumeNotNull(${text}) AS v, count() AS n ${source.sql}
      AND ${name} IS NOT NULL AND startsWith(${text}, {prefix:String}) GROUP BY v ORDER BY n DESC, v LIMIT`;
    const wanted = { ...source, values: { ...source.values, prefix: startsWith } };
    const list = async (limit: number): Promise<Listed> => {
      const [row = [0, 0, []] as const] = await runStatement<Listed>(
        listSql(`${groups} ${limit}`, answerBytes),
        wanted,
        context,
      );
      return row;
    };
    let limit = Math.max(top, prefixValues);
    let row = await list(limit);
    // The query asks for more values than requested, to fill the cache. These must not make the answer too long.
    if (Number(row[1]) > answerBytes && top < limit) {
      limit = top;
      row = await list(limit);
    }
    if (Number(row[1]) > answerBytes) throw tooLong();
    return { values: toValues(row), isComplete: Number(row[0]) < limit };
  };

  const keyOf = ({ version }: ValuesWanted, column: StoredColumn, prefix: string): string =>
    `${contentName(version)}/${column.id}/${prefix}`;

  /** Answers from cached values of the prefix or a shorter one; undefined if a query is needed. */
  const remembered = (wanted: ValuesWanted, column: StoredColumn): readonly ValueCount[] | undefined => {
    const { startsWith, top } = wanted;
    const own = cache.get(keyOf(wanted, column, startsWith));
    if (own !== undefined && (own.isComplete || own.values.length >= top)) return own.values;
    for (let length = Math.min(startsWith.length, longestPrefix); length >= 0; length -= 1) {
      const shorter = cache.get(keyOf(wanted, column, startsWith.slice(0, length)));
      if (shorter?.isComplete === true)
        return shorter.values.filter(({ value }) => value.startsWith(startsWith));
    }
    return undefined;
  };

  /** Runs a query with a permit, once for all concurrent callers. */
  const runShared = (
    key: string,
    { owner, top, context }: ValuesWanted,
    read: (context: ReadContext) => Promise<CachedValues>,
  ): Promise<CachedValues> =>
    shared.run(`${top}/${key}`, context.signal, (signal) =>
      semaphore.run(owner, signal, () => read({ ...context, signal })),
    );

  return {
    async find(wanted) {
      const { version, startsWith, top } = wanted;
      const column = requireColumn(version, wanted.column);
      const whole = keyOf(wanted, column, '');
      if (cache.get(whole) === undefined) {
        const allWanted = { ...wanted, top: wholeValues };
        cache.set(whole, await runShared(whole, allWanted, (context) => readWhole(version, column, context)));
      }
      const found = remembered(wanted, column);
      if (found !== undefined) return found.slice(0, top);
      const key = keyOf(wanted, column, startsWith);
      const answer = await runShared(key, wanted, (context) => readPrefix(wanted, column, context));
      if (startsWith.length <= longestPrefix) cache.set(key, answer);
      return answer.values.slice(0, top);
    },
  };
};
