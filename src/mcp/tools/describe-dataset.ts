import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import type { Dataset } from '../../catalog/dataset-list.js';
import type { StoredColumn } from '../../model/column.js';
import type { Caller } from '../../model/permission.js';
import type { ReadableVersion } from '../../model/version.js';
import { selectedColumns } from '../../query/column-list.js';
import { parseOptions } from '../../query/options/options.js';
import type { ColumnSummary } from '../../query/summary/column-summary.js';
import type { Summaries } from '../../query/summary/summaries.js';
import type { Versions } from '../../query/versions.js';
import type { VersionRecords } from '../../versions/version-records.js';
import { exact, fitting, maxCharacters, shortened } from '../exact.js';
import { examplesFor, named } from '../filter-examples.js';
import { type FindDataset, type Tool, type ToolRequest, tool } from '../tool.js';
import { datasetIdField, versionField, versionOptions } from '../version-argument.js';

export interface DescribeDatasetDeps {
  readonly findDataset: FindDataset;
  /** The dataset with the dates and the frequency of a version; undefined: of the current one. */
  readonly read: (caller: Caller, datasetId: number, versionId: number | undefined) => Promise<Dataset>;
  readonly versions: Pick<Versions, 'find' | 'at'>;
  readonly versionRecords: Pick<VersionRecords, 'list'>;
  readonly summaries: Summaries;
}

/** Maximum columns that are summarised in one answer; others are requested with `select`. */
const maxColumns = 50;
const maxVersions = 5;
const maxTopValues = 5;

/** Maximum characters of the examples. */
const maxExamples = 8_000;

const text = z.string().nullable();
const value = z.union([z.string(), z.number(), z.null()]);

const column = z.object({
  name: z.string(),
  dataType: z.string(),
  isEntity: z.boolean().meta({ description: 'True: says what a row is about, such as a date or country.' }),
  description: text,
  nulls: z.int(),
  distinct: z.int(),
  distinctExact: z.boolean(),
  min: value,
  max: value,
  mean: value.optional(),
  median: value.optional(),
  top: z
    .array(z.object({ value: z.string(), count: z.int() }))
    .optional()
    .meta({ description: 'The most frequent texts.' }),
});

const output = z.object({
  datasetId: z.int(),
  name: z.string(),
  description: text,
  source: text,
  sourceUrl: text,
  repositoryId: z.int(),
  frequency: text,
  firstDate: text,
  lastDate: text,
  versionId: text.meta({ description: 'The version that is described; null: nothing was uploaded yet.' }),
  rows: z.int(),
  columnCount: z.int(),
  columns: z.array(column),
  truncated: z.boolean().meta({ description: 'True: there are further columns; name some in select.' }),
  examples: z.object({
    filter: z.array(z.string()),
    apply: z.array(z.string()),
    orderby: z.array(z.string()),
  }),
  versions: z
    .array(z.object({ versionId: z.string(), createdAt: z.string(), rows: z.int(), current: z.boolean() }))
    .meta({ description: 'The newest ones, newest first.' }),
});

type Column = z.input<typeof column>;

const shownColumn = ({ isEntity, description }: StoredColumn, summary: ColumnSummary): Column => {
  const { name, dataType, nulls, distinct, distinctExact, min, max, mean, quantiles, top } = summary;
  return exact({
    name,
    dataType,
    isEntity,
    description: shortened(description ?? null, 500),
    nulls,
    distinct,
    distinctExact,
    min,
    max,
    ...(mean === undefined ? {} : { mean }),
    ...(quantiles?.['0.5'] === undefined ? {} : { median: quantiles['0.5'] }),
    ...(top === undefined ? {} : { top: top.slice(0, maxTopValues) }),
  }) as Column;
};

/** Texts with this ending were truncated. */
const isWhole = (value: string): boolean => !value.endsWith('…');

/** Examples, without those that are too long because of long names. */
const examplesOf = (columns: readonly Column[]) => {
  const { filter, apply, orderby } = examplesFor(
    columns.map(({ name, dataType, min, top }) => ({
      name,
      dataType: dataType as StoredColumn['dataType'],
      min,
      frequent: top?.map((one) => one.value).find(isWhole),
    })),
  );
  const kept = (examples: readonly string[]): string[] => [...fitting(examples, maxExamples / 3 - 50)];
  return { filter: kept(filter), apply: kept(apply), orderby: kept(orderby) };
};

export const createDescribeDataset = (deps: DescribeDatasetDeps): Tool => {
  const find = async (
    access: DatasetAccess,
    version: string | undefined,
  ): Promise<ReadableVersion | undefined> => {
    const { id: datasetId, currentVersionId } = access;
    const { versionId, asOf } = parseOptions(versionOptions(version));
    if (asOf === undefined && versionId === undefined && currentVersionId === null) return undefined;
    return deps.versions.find({
      datasetId,
      currentVersionId,
      versionId: asOf === undefined ? versionId : await deps.versions.at(datasetId, asOf),
    });
  };

  const columnsOf = async (
    request: ToolRequest,
    version: ReadableVersion,
    chosen: readonly StoredColumn[],
  ): Promise<Column[]> => {
    const { owner, requestId, signal } = request;
    request.releasePermit();
    const { columns } = await deps.summaries.summarise({
      version,
      filter: undefined,
      // Not by ids, since a column may be named like the id of another.
      select: chosen.map(({ name }) => named(name)).join(','),
      owner,
      context: { queryId: `summary-${requestId}`, requestId, signal },
    });
    const summaries = new Map(
      columns.map((json) => {
        const summary = JSON.parse(json) as ColumnSummary;
        return [summary.id, summary];
      }),
    );
    return chosen.flatMap((stored) => {
      const summary = summaries.get(stored.id);
      return summary === undefined ? [] : [shownColumn(stored, summary)];
    });
  };

  return tool({
    name: 'describe_dataset',
    title: 'Describe a dataset',
    description:
      'Columns of a dataset with their types, bounds, nulls and most frequent values, over all rows; examples of filters for query_dataset; the newest versions.',
    input: z.strictObject({
      datasetId: datasetIdField,
      select: z
        .string()
        .max(65_536)
        .optional()
        .meta({ description: `Columns by name, separated by commas. Default: the first ${maxColumns}.` }),
      version: versionField,
    }),
    output,
    run: async (request, { datasetId, select = '', version: wanted }) => {
      const { caller } = request;
      const access = await deps.findDataset(caller, datasetId);
      const version = await find(access, wanted);
      const [dataset, versions] = await Promise.all([
        deps.read(caller, datasetId, version?.versionId),
        deps.versionRecords.list(datasetId, { top: maxVersions, before: undefined }),
      ]);
      const all = version?.columns ?? [];
      const chosen = select.trim() === '' ? all : selectedColumns(select, all);
      const summarised =
        version === undefined ? [] : await columnsOf(request, version, chosen.slice(0, maxColumns));
      const others = {
        datasetId,
        name: dataset.name,
        description: shortened(dataset.description, 2_000),
        source: dataset.sourceName,
        sourceUrl: dataset.sourceUrl,
        repositoryId: dataset.repositoryId,
        frequency: dataset.frequency,
        firstDate: dataset.minDate,
        lastDate: dataset.maxDate,
        versionId: version === undefined ? null : String(version.versionId),
        rows: version?.rowCount ?? 0,
        columnCount: all.length,
        versions: versions.map(({ versionId, createdAt, rows, current }) => ({
          versionId,
          createdAt,
          rows,
          current,
        })),
      };
      const columns = fitting(summarised, maxCharacters - JSON.stringify(others).length - maxExamples);
      return {
        ...others,
        columns: [...columns],
        truncated: columns.length < chosen.length,
        examples: examplesOf(columns),
      };
    },
  });
};
