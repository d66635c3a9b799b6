import { createHash } from 'node:crypto';
import { fingerprint } from '../lib/fingerprint.js';
import { type StoredColumn, storageName } from '../model/column.js';
import type { ReadableVersion } from '../model/version.js';
import type { RowSource } from '../rows/index.js';
import type { AppliedRows } from './apply/apply.js';
import { type OrderTerm, orderTerms } from './column-list.js';
import type { CompiledFilter, FilterColumn } from './filter/filter.js';
import type { OutputColumn, Sheet } from './formats/format.js';
import { type Format, formats } from './formats/formats.js';
import { type DownloadOptions, refuseUseless, rowTagsOf, tagsOf, wholeFileOf } from './options/options.js';
import type { PageToken } from './paging/page-token.js';
import { chosenColumns, outputColumns, requireColumns } from './projection.js';
import { isMany } from './read-context.js';
import { anyRow, requireTimeColumn, type SelectedRows, selectRows } from './statement.js';

/** Plan of an answer, settled before the first query. */
export interface Plan {
  readonly version: ReadableVersion;
  readonly options: DownloadOptions;
  readonly format: Format;
  /** Columns that take part, entity columns first. */
  readonly chosen: readonly StoredColumn[];
  /** Columns of the answer, except of a transposed one. */
  readonly output: readonly OutputColumn[];
  /** Rows of the answer: those that the filter, `$last` and `dropNA` keep. */
  readonly answerRows: SelectedRows;
  /** Rows that the filter keeps: what `Row-Count` counts. */
  readonly filteredRows: SelectedRows;
  readonly order: readonly OrderTerm[];
  /** All rows of the version, or of the result of `$apply`, before any filter. */
  readonly allRows: RowSource;
  /** True where they are rows of the version; false where `$apply` made others of them. */
  readonly keepsRows: boolean;
  /** Digest of the version and of all options that say which rows in which order; pages of one answer share it. */
  readonly question: string;
  /** The same for the same bytes of an answer, and for no others. */
  readonly fingerprint: string;
  /** The variant of a whole file, when the answer is one that a link may lead to. */
  readonly wholeFile: 'table' | 'transposed' | undefined;
  /** Description of the rows, where the format has a place for it. */
  readonly about: Sheet | undefined;
  /** Start of the requested page; absent for the first one. */
  readonly token?: PageToken | undefined;
  /** True if the place of the rows is from the cache. */
  readonly isRemembered?: boolean;
}

/** Part of every tag: raise it when the same request gives other bytes than before. */
const formatRevision = 4;

/** Names and roles of the columns, which headers and order follow from; once per version that is in use. */
const columnsDigest = (columns: readonly StoredColumn[]): string => {
  const known = digests.get(columns);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const { id, name, isEntity } of columns) hash.update(`${id} ${isEntity} ${JSON.stringify(name)}\n`);
  const digest = hash.digest('base64url');
  digests.set(columns, digest);
  return digest;
};

const digests = new WeakMap<readonly StoredColumn[], string>();

/** Columns as a filter sees them, once per version that is in use. */
const filterColumns = new WeakMap<readonly StoredColumn[], readonly FilterColumn[]>();

export const filterColumnsOf = (columns: readonly StoredColumn[]): readonly FilterColumn[] => {
  const known =
    filterColumns.get(columns) ?? columns.map((column) => ({ ...column, sql: storageName(column) }));
  filterColumns.set(columns, known);
  return known;
};

interface PlanInput {
  readonly version: ReadableVersion;
  /** All of its rows. */
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

/**
 * Binds options to a version.
 * @throws AppError `invalid` for columns and combinations that the dataset does not allow.
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
  if (!options.transpose) requireColumns(format, output.length, record.maxColumns);
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
  const versionFacts = [formatRevision, version.versionId, columnsDigest(input.version.columns)];
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
    question: fingerprint([...versionFacts, rowTagsOf(options, bound)]),
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

/** Groups, different rows and sorting keep all cores busy for seconds, where a page takes milliseconds. */
export const isHeavy = ({ version, options, order }: Plan): boolean =>
  isMany(version.rowCount) &&
  (options.apply !== undefined ||
    options.distinct === true ||
    options.transpose === true ||
    order.length > 0);

const fileDigests = new WeakMap<Plan, string>();

/** Digest of what the bytes of a whole file depend on, besides its rows. Ids of columns are not part of it: a clone has others. */
export const fileDigest = (plan: Plan): string => {
  const known = fileDigests.get(plan);
  if (known !== undefined) return known;
  const { version, format, wholeFile, about } = plan;
  const columns = version.columns.map(({ name, isEntity, physical, dataType, years }) => [
    name,
    isEntity,
    physical,
    dataType,
    years === true,
  ]);
  const digest = fingerprint([
    formatRevision,
    columns,
    format,
    formats[format].clickHouse,
    wholeFile,
    ...(about === undefined ? [] : [about]),
  ]);
  fileDigests.set(plan, digest);
  return digest;
};
