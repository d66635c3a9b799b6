/** Writes a read copy (read-copies.ts): chooses types by the values, copies the rows and compares both sides. */
import { storageName } from '../model/column.js';
import type { ReadableVersion, ReadCopy } from '../model/version.js';
import type { ClickHouseServers, Connection, StatementOptions } from '../storage/clickhouse/client.js';
import { lowPriority } from '../storage/clickhouse/low-priority.js';
import { CopyDiffers, maxOrderedColumns } from './copy.js';
import { createDdl, runAll } from './ddl.js';
import { hashSums } from './hash.js';
import { clickHouseType, insideOf } from './place.js';
import { asReadCopy, type CopyTable } from './read-copy-source.js';
import { type RowSource, requirePlace, versionSource } from './source.js';
import { backgroundSettings, copySettings } from './statement-settings.js';

/**
 * Maximum distinct texts of a column with a dictionary; with more, a part would need several (low_cardinality_max_dictionary_size). With
 * millions of distinct texts, reads with dictionaries take two to five times as long as without.
 */
const maxDistinctTexts = 8_000;

/** With fewer rows, ClickHouse reads most of the rows anyway (index_granularity), and an index only costs planning. */
const minIndexedRows = 20_000;

/** Bytes of the longest text in a dictionary: to read one row, ClickHouse takes all texts of the dictionary into memory. */
const maxTextBytes = 1_000;

interface CopiedColumn {
  readonly name: string;
  readonly type: string;
  readonly isPlain: boolean;
  readonly isIndexed: boolean;
}

/** @param longest Bytes of the longest text. */
const copiedColumn = (
  name: string,
  type: string,
  [nulls, distinct, longest]: readonly [nulls: number, distinct: number, longest: number],
): CopiedColumn => {
  const isText = type === 'String';
  const isPlain = !isText && nulls === 0;
  const hasDictionary = isText && distinct <= maxDistinctTexts && longest <= maxTextBytes;
  const nullable = isPlain ? type : `Nullable(${type})`;
  return {
    name,
    type: hasDictionary ? `LowCardinality(${nullable})` : nullable,
    isPlain,
    // An index of texts with a dictionary costs more than reading them.
    isIndexed: !hasDictionary,
  };
};

/** Chooses types that hold the values, in one pass over the rows. */
const chooseTypes = async (
  clickhouse: Connection,
  { columns }: Pick<ReadableVersion, 'columns'>,
  { from, where, values }: RowSource,
  options: StatementOptions,
): Promise<CopiedColumn[]> => {
  const named = columns.map((column) => ({
    name: storageName(column),
    type: clickHouseType(column.physical),
  }));
  const facts = named.map(({ name, type }) => {
    const ofTexts = type === 'String' ? `uniqCombined(14)(${name}), max(ifNull(length(${name}), 0))` : '0, 0';
    return `[countIf(${name} IS NULL), ${ofTexts}]`;
  });
  const [row] = await clickhouse.rows<{ facts: [string, string, string][] }>(
    `SELECT [${facts.join(', ')}] AS facts FROM ${from} WHERE ${where}`,
    { ...options, params: values },
  );
  if (row === undefined) throw new Error('ClickHouse returned no facts about column values');
  return named.map(({ name, type }, at) => {
    const [nulls, distinct, longest] = row.facts[at]!;
    return copiedColumn(name, type, [Number(nulls), Number(distinct), Number(longest)]);
  });
};

/** Count and hash of rows, as text. */
const factsOf = async (
  clickhouse: Connection,
  { from, where, values }: RowSource,
  names: readonly string[],
  options: StatementOptions,
): Promise<string> => {
  const [row] = await clickhouse.rows<{ facts: string[] }>(
    `SELECT arrayConcat([toString(count())], ${hashSums(names)}) AS facts FROM ${from} WHERE ${where}`,
    { ...options, params: values },
  );
  return String(row?.facts);
};

/** @throws CopyDiffers if the copy does not have the rows of the version. Its table remains, unused. */
export type WriteReadCopy = (
  version: ReadableVersion,
  table: string,
  stop?: AbortSignal,
) => Promise<CopyTable & { readonly copy: ReadCopy }>;

export const createWriteReadCopy = (servers: ClickHouseServers): WriteReadCopy => {
  const { database, engine } = servers;
  const ddl = createDdl(database, engine);
  return async (version, table, stop) => {
    const clickhouse = servers.at(insideOf(requirePlace(version)));
    const low = await lowPriority(clickhouse);
    const settings = { ...backgroundSettings(version.columns.length), ...low };
    // Each statement reads all rows: a worker that stops waits for none of them.
    const options = { settings, ...(stop && { signal: stop }) };
    const source = versionSource(database, version);
    const columns = await chooseTypes(clickhouse, version, source, options);
    const indexed = version.rowCount < minIndexedRows ? [] : columns.filter(({ isIndexed }) => isIndexed);
    await runAll(clickhouse, ddl.createReadCopy(table, columns, indexed));
    stop?.throwIfAborted();
    const names = columns.map(({ name }) => name);
    const list = ['_row', ...names].join(', ');
    const order = names.length <= maxOrderedColumns ? 'ORDER BY _row' : '';
    await clickhouse.command(
      `INSERT INTO ${database}.${table} (${list}) SELECT ${list} FROM ${source.from} WHERE ${source.where} ${order}`,
      {
        ...options,
        params: source.values,
        // A null in a column chosen as not Nullable fails the statement instead of becoming 0.
        settings: { ...settings, ...copySettings, insert_null_as_default: 0 },
      },
    );
    const read = await factsOf(clickhouse, source, names, options);
    const written = { from: `${database}.${table}`, where: 'true', values: {} };
    const found = await factsOf(clickhouse, written, names, options);
    if (read !== found) throw new CopyDiffers(`the copy ${table} differs: ${found} of ${read}`);
    const plain = columns.filter(({ isPlain }) => isPlain).map(({ name }) => name);
    return { table, plain, copy: asReadCopy({ table, plain }) };
  };
};
