/**
 * Values of a column with counts, for completion while a user types. A version never changes, so what was read once is
 * kept, and answers every longer prefix as long as it holds all values that begin with the shorter one.
 *
 *   few values    all of them are read once, and every prefix is answered from memory
 *   many values   the most frequent ones of each prefix; ClickHouse skips what cannot begin with it
 */
import { createCache } from '../../lib/cache.js';
import { invalid, notFound } from '../../lib/errors.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import { type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import type { ReadableVersion } from '../../model/version.js';
import { serverOf, versionSource } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { ReadContext } from '../read-context.js';
import { createSharedWork } from '../shared-work.js';
import { anyRow, selectRows } from '../statement.js';
import { createStatementRunner, type LocatedSource } from './statement.js';

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
   * The most frequent first, equally frequent ones by their bytes.
   * @throws AppError 404 for an unknown column; 400 where the values are too long for one answer.
   */
  find(wanted: ValuesWanted): Promise<readonly ValueCount[]>;
}

/** Different values up to which a column's are kept as a whole, and bytes of them. */
const wholeValues = 10_000;
const wholeBytes = 1024 * 1024;
/** Values that are kept of each prefix of a column with more, at least. */
const prefixValues = 1_000;
/** Bytes of the values of one answer. */
const answerBytes = 16 * 1024 * 1024;
/** Bytes that are kept for all columns together. */
const keptBytes = 32 * 1024 * 1024;
/** In addition to the bytes of the value. */
const bytesPerValue = 64;
/** Length of the longest prefix whose answer is kept. */
const keptPrefix = 40;

/** The most frequent of the values that begin with a prefix. */
interface Known {
  readonly values: readonly ValueCount[];
  /** True: the list has all values of the prefix. */
  readonly isComplete: boolean;
}

const weigh = ({ values }: Known): number =>
  values.reduce((sum, { value }) => sum + 2 * value.length + bytesPerValue, bytesPerValue);

/** One row: how many values, their bytes, and the values where they are not too many or too long. */
type Listed = readonly [count: number, bytes: number, list: readonly (readonly [string, number])[]];

const listSql = (groups: string, mostBytes: number): string =>
  `SELECT count() AS found, sum(length(v)) AS size,
     if(size <= ${mostBytes}, arraySort(x -> (-toInt64(x.2), x.1), groupArray((v, n))), []) FROM (${groups})`;

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
  const shared = createSharedWork<Known>();
  const known = createCache<Known>({ limit: keptBytes, weigh });

  const sourceOf = (version: ReadableVersion): LocatedSource => ({
    ...selectRows({
      rows: versionSource(reader.database, version),
      isWhole: true,
      columns: version.columns,
      filter: undefined,
      options: anyRow,
      chosen: version.columns,
    }),
    place: serverOf(version),
    rowCount: version.rowCount,
  });

  /** All values, unless they are many: grouping stops as soon as that shows. */
  const readWhole = async (
    version: ReadableVersion,
    column: StoredColumn,
    context: ReadContext,
  ): Promise<Known> => {
    const source = sourceOf(version);
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
  ): Promise<Known> => {
    const source = sourceOf(version);
    const name = storageName(column);
    const text = columnTypeOf(column.physical).text(name);
    // A condition on the column itself, where its text is itself: its index knows which rows cannot match.
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
    // Values beyond the requested ones, which fill the cache, must not make the answer too long.
    if (Number(row[1]) > answerBytes && top < limit) {
      limit = top;
      row = await list(limit);
    }
    if (Number(row[1]) > answerBytes) throw tooLong();
    return { values: toValues(row), isComplete: Number(row[0]) < limit };
  };

  const keyOf = ({ version }: ValuesWanted, column: StoredColumn, prefix: string): string =>
    `${version.versionId}/${column.id}/${prefix}`;

  /** The answer from cached values of the prefix or of a shorter one; undefined if it must be queried. */
  const remembered = (wanted: ValuesWanted, column: StoredColumn): readonly ValueCount[] | undefined => {
    const { startsWith, top } = wanted;
    const own = known.get(keyOf(wanted, column, startsWith));
    if (own !== undefined && (own.isComplete || own.values.length >= top)) return own.values;
    for (let length = Math.min(startsWith.length, keptPrefix); length >= 0; length -= 1) {
      const shorter = known.get(keyOf(wanted, column, startsWith.slice(0, length)));
      if (shorter?.isComplete === true)
        return shorter.values.filter(({ value }) => value.startsWith(startsWith));
    }
    return undefined;
  };

  /** Runs once for all callers that wait for the same. */
  const learn = (
    key: string,
    { owner, top, context }: ValuesWanted,
    question: (context: ReadContext) => Promise<Known>,
  ): Promise<Known> =>
    shared.run(`${top}/${key}`, context.signal, (signal) =>
      semaphore.run(owner, signal, () => question({ ...context, signal })),
    );

  return {
    async find(wanted) {
      const { version, startsWith, top } = wanted;
      const column = requireColumn(version, wanted.column);
      const whole = keyOf(wanted, column, '');
      if (known.get(whole) === undefined) {
        const asAWhole = { ...wanted, top: wholeValues };
        known.set(whole, await learn(whole, asAWhole, (context) => readWhole(version, column, context)));
      }
      const found = remembered(wanted, column);
      if (found !== undefined) return found.slice(0, top);
      const key = keyOf(wanted, column, startsWith);
      const answer = await learn(key, wanted, (context) => readPrefix(wanted, column, context));
      if (startsWith.length <= keptPrefix) known.set(key, answer);
      return answer.values.slice(0, top);
    },
  };
};
