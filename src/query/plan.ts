import { createHash } from 'node:crypto';
import { fingerprint } from '../lib/fingerprint.js';
import { weakMemo } from '../lib/weak-memo.js';
import { type StoredColumn, storageName } from '../model/column.js';
import type { ReadableVersion } from '../model/version.js';
import type { RowSource } from '../rows/index.js';
import type { AppliedRows } from './apply/apply.js';
import { type OrderTerm, orderTerms } from './column-list.js';
import type { CompiledFilter, FilterColumn } from './filter/filter.js';
import type { OutputColumn, Sheet } from './formats/format.js';
import { type Format, formats } from './formats/formats.js';
import { type DownloadOptions, refuseUseless, tagsOf, wholeFileOf } from './options/options.js';
import type { PageToken } from './paging/page-token.js';
import { chosenColumns, outputColumns, requireHeader } from './projection.js';
import { isMany } from './read-context.js';
import { anyRow, requireTimeColumn, type SelectedRows, selectRows } from './statement.js';

/** Plan of an answer, made before the first query. */
export interface Plan {
  readonly version: ReadableVersion;
  readonly options: DownloadOptions;
  readonly format: Format;
  /** Selected columns, entity columns first. */
  readonly chosen: readonly StoredColumn[];
  /** Columns of the answer, unless it is transposed. */
  readonly output: readonly OutputColumn[];
  /** Rows that match the filter, `$last` and `dropNA`. */
  readonly answerRows: SelectedRows;
  /** Rows that match the filter, counted by `Row-Count`. */
  readonly filteredRows: SelectedRows;
  readonly order: readonly OrderTerm[];
  /** All rows of the version, or of the result of `$apply`, before any filter. */
  readonly allRows: RowSource;
  /** True if `allRows` are rows of the version, false if `$apply` created new ones. */
  readonly keepsRows: boolean;
  /** Digest of the version and of all options that affect rows and order. Equal for all pages of one answer. */
  readonly question: string;
  /** Equal if and only if the bytes of the answer are equal. */
  readonly fingerprint: string;
  /** Variant of the whole file, if a link can replace the answer. */
  readonly wholeFile: 'table' | 'transposed' | undefined;
  /** Description of the rows, if the format includes it. */
  readonly about: Sheet | undefined;
  /** Start of the requested page; absent for the first one. */
  readonly token?: PageToken | undefined;
  /** True if the location of the rows came from the cache. */
  readonly isRemembered?: boolean;
}

/** Part of every tag. Increase it when the same request returns different bytes than before. */
const formatRevision = 4;

/** Digest of names and roles of the columns, which decide headers and order. */
const columnsDigest = weakMemo((columns: readonly StoredColumn[]): string => {
  const hash = createHash('sha256');
  for (const { id, name, isEntity } of columns) hash.update(`${id} ${isEntity} ${JSON.stringify(name)}\n`);
  return hash.digest('base64url');
});

export const filterColumnsOf = weakMemo((columns: readonly StoredColumn[]): readonly FilterColumn[] =>
  columns.map((column) => ({ ...column, sql: storageName(column) })),
);

interface PlanInput {
  readonly version: ReadableVersion;
  /** All rows of the version. */
  readonly rows: RowSource;
  readonly options: DownloadOptions;
  readonly format: Format;
  /** Compiled `options.filter`, for the columns of the version or of the result of `$apply`. */
  readonly filter: CompiledFilter | undefined;
  /** The result of `options.apply`. */
  readonly applied?: AppliedRows | undefined;
  /** See `Plan.about`. */
  readonly about?: Sheet | undefined;
}

/** Makes another name or tag of what was made before a repair. */
const repairsOf = ({ repairs }: Pick<ReadableVersion, 'repairs'>): string[] =>
  repairs === undefined ? [] : [`repaired ${repairs}`];

/**
 * Binds options to a version.
 * @throws AppError `invalid` for columns and combinations that the dataset does not allow
 */
export const planDownload = (input: PlanInput): Plan => {
  const { options, format, filter, applied } = input;
  // After `$apply` the result replaces the version.
  const version = applied === undefined ? input.version : { ...input.version, columns: applied.columns };
  const { columns } = version;
  const record = formats[format];
  const about = record.describes ? input.about : undefined;
  refuseUseless(options, format);
  const chosen = chosenColumns(options, columns);
  const order = options.orderBy === undefined ? [] : orderTerms(options.orderBy, columns);
  if (options.transpose) requireTimeColumn('transpose', columns);
  const output = outputColumns(options, chosen);
  if (!options.transpose)
    requireHeader(
      format,
      output.map(({ name }) => name),
      record,
    );
  const rows = {
    rows: applied?.rows ?? input.rows,
    isWhole: applied === undefined,
    columns,
    filter,
    chosen,
  };
  const answerRows = selectRows({ ...rows, options });
  const filteredRows = selectRows({ ...rows, options: anyRow });
  const bound = { chosen, filter, order, applied };
  const versionFacts = [
    formatRevision,
    version.versionId,
    ...repairsOf(version),
    columnsDigest(input.version.columns),
  ];
  return {
    version,
    options,
    format,
    chosen,
    output,
    answerRows,
    filteredRows,
    order,
    allRows: rows.rows,
    keepsRows: applied?.keepsRows ?? true,
    question: fingerprint([...versionFacts, tagsOf(options, bound, 'rows')]),
    fingerprint: fingerprint([
      ...versionFacts,
      format,
      record.clickHouse,
      tagsOf(options, bound),
      ...(about === undefined ? [] : [about]),
    ]),
    about,
    wholeFile: record.linked ? wholeFileOf(options) : undefined,
  };
};

/** Grouping, distinct and sorting keep all cores busy for seconds; a page takes milliseconds. */
export const isHeavy = ({ version, options, order }: Plan): boolean =>
  isMany(version.rowCount) &&
  (options.apply !== undefined ||
    options.distinct === true ||
    options.transpose === true ||
    order.length > 0);

/** Digest of everything but the rows that affects the bytes of a whole file. Without column ids, which a clone changes. */
export const fileDigest = weakMemo(({ version, format, wholeFile, about }: Plan): string => {
  const columns = version.columns.map(({ name, isEntity, physical, dataType, years }) => [
    name,
    isEntity,
    physical,
    dataType,
    years === true,
  ]);
  return fingerprint([
    formatRevision,
    ...repairsOf(version),
    columns,
    format,
    formats[format].clickHouse,
    wholeFile,
    ...(about === undefined ? [] : [about]),
  ]);
});
