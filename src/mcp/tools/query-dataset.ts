import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import type { ExportTicket } from '../../catalog/export-ticket.js';
import { invalid } from '../../lib/errors.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import type { Caller } from '../../model/permission.js';
import type { ReadableVersion } from '../../model/version.js';
import type { Downloads } from '../../query/download.js';
import type { DownloadRequest } from '../../query/download-request.js';
import type { OutputColumn } from '../../query/formats/format.js';
import { givenOptions, parseOptions } from '../../query/options/options.js';
import type { Plan } from '../../query/plan.js';
import type { Versions } from '../../query/versions.js';
import { maxCharacters } from '../exact.js';
import { readRows } from '../rows.js';
import { type FindDataset, type Tool, type ToolRequest, tool } from '../tool.js';
import { datasetIdField, versionField, versionOptions } from '../version-argument.js';

export interface QueryDatasetDeps {
  readonly findDataset: FindDataset;
  /** Counts an export of this many rows. */
  readonly startExport: (caller: Caller, rows: number) => Promise<ExportTicket>;
  readonly downloads: Downloads;
  readonly versions: Pick<Versions, 'find'>;
}

/** Maximum and default number of rows in an answer. */
const maxRows = 500;
const fewRows = 100;

/** Maximum characters of an address, since proxies refuse longer ones. */
const maxAddressLength = 8_000;

/** Maximum characters of the names of columns. */
const maxNameCharacters = maxCharacters / 2;

/** Characters of an answer without names, rows and the address of the remaining rows. */
const ofNumbers = 500;

const condition = z.string().max(65_536).optional();

const input = z.strictObject({
  datasetId: datasetIdField,
  select: condition.meta({
    description:
      'Columns by name, separated by commas; [..] around a name that contains commas. Entity columns (dates, countries and the like) are included as well. Default: all columns.',
  }),
  entities: z.enum(['all', 'selected']).optional().meta({
    description:
      'With select. all: entity columns are included. selected: only those that select names. Default all.',
  }),
  filter: condition.meta({
    description:
      "Condition, such as [Country] eq 'France' and [Date] ge 2020-01-01. Operators: eq ne gt ge lt le in and or not, add sub mul div mod; functions: contains, startswith, endswith, tolower, year, month, day. describe_dataset returns examples.",
  }),
  apply: condition.meta({
    description:
      'Calculation in the data store, such as groupby(([Country]),aggregate([GDP] with average as Mean)); steps are joined by /: filter(..), compute(..), groupby(..), aggregate(..), orderby(..), top(n). Methods: sum, min, max, average, countdistinct; $count as N counts rows. Prefer it to fetching rows and adding them up. The other arguments work on its result.',
  }),
  orderby: condition.meta({ description: 'Order, such as [Date] desc,[Country]. Nulls come last.' }),
  top: z
    .int()
    .min(0)
    .max(maxRows)
    .optional()
    .meta({ description: `Most rows, at most ${maxRows}. Default ${fewRows}. 0: only the total.` }),
  skip: z.int().min(0).optional().meta({ description: 'Rows to skip at the start.' }),
  version: versionField,
});

const output = z.object({
  datasetId: z.int(),
  versionId: z.string().meta({ description: 'The version that was read.' }),
  columns: z.array(z.object({ name: z.string(), dataType: z.string() })),
  rows: z
    .array(z.array(z.union([z.string(), z.number(), z.null()])))
    .meta({ description: 'Values in the order of columns; numbers of more than 15 digits as text.' }),
  total: z.int().meta({ description: 'Rows that there are beyond top and skip.' }),
  truncated: z.boolean().meta({ description: 'True: further rows follow these.' }),
  nextSkip: z
    .int()
    .optional()
    .meta({ description: 'skip for the rows that follow; with versionId as version.' }),
  rest: z
    .string()
    .optional()
    .meta({ description: 'Address of the rows that follow, as CSV; it takes the API key as Bearer.' }),
});

type Arguments = z.output<typeof input>;

const optionsOf = ({ select, entities, filter, apply, orderby, version }: Arguments) =>
  Object.fromEntries(
    Object.entries({
      $select: select,
      entities,
      $filter: filter,
      $apply: apply,
      $orderby: orderby,
      ...versionOptions(version),
      // Models send empty texts for arguments that they omit.
    }).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );

const isNamed = (args: Arguments): boolean => Object.keys(versionOptions(args.version)).length > 0;

/** Address of the rows from a position on in a version; without a position, of all current rows. */
const addressOf = (
  { apiUrl }: ToolRequest,
  args: Arguments,
  from: { readonly version: ReadableVersion; readonly next: number } | undefined,
): string => {
  const options = givenOptions({
    ...optionsOf(args),
    ...(from === undefined || isNamed(args) ? {} : { versionId: String(from.version.versionId) }),
    ...(from === undefined ? {} : { $skip: String(from.next) }),
    $format: 'csv',
  });
  const query = Object.entries(options).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return `${apiUrl}/datasets/${args.datasetId}/data?${query.join('&')}`;
};

/** Numbers that do not fit into a double become text, since clients parse JSON numbers as doubles. */
const inFull = (column: OutputColumn): OutputColumn => {
  const type = columnTypeOf(column.physical);
  const isLong = type.numbers !== undefined && type.numbers !== 'doubles';
  return isLong ? { ...column, sql: type.text(column.sql), physical: 's' } : column;
};

const namesOf = ({ columns }: ReadableVersion): string => JSON.stringify(columns.map(({ name }) => name));

export const createQueryDataset = (deps: QueryDatasetDeps): Tool => {
  const { findDataset, startExport, downloads, versions } = deps;

  /** False if columns were renamed since: a version that is read by id has the names with which it was published. */
  const hasPresentNames = async (datasetId: number, version: ReadableVersion): Promise<boolean> => {
    const { versionId } = version;
    return (
      namesOf(await versions.find({ datasetId, currentVersionId: null, versionId })) === namesOf(version)
    );
  };

  /** Address of the rows from the given one on, in the same version; of all rows if columns were renamed since. */
  const restFrom = async (
    request: ToolRequest,
    args: Arguments,
    { version, next }: { readonly version: ReadableVersion; readonly next: number },
  ): Promise<string | undefined> => {
    const isPinned = isNamed(args) || (await hasPresentNames(args.datasetId, version));
    const address = addressOf(request, args, isPinned ? { version, next } : undefined);
    return address.length > maxAddressLength ? undefined : address;
  };

  const downloadOf = (
    request: ToolRequest,
    dataset: DatasetAccess,
    { args, top }: { readonly args: Arguments; readonly top: number },
    shown: (columns: readonly OutputColumn[]) => void,
  ): DownloadRequest => ({
    dataset,
    options: parseOptions({ ...optionsOf(args), $top: top, $skip: args.skip, $format: 'json' }),
    format: 'json',
    owner: request.owner,
    beforeAcquire: request.releasePermit,
    adapt: (plan: Plan): Plan => {
      shown(plan.output);
      return { ...plan, output: plan.output.map(inFull) };
    },
    signal: request.signal,
    requestId: request.requestId,
  });

  const read = async (request: ToolRequest, dataset: DatasetAccess, args: Arguments) => {
    const { top = fewRows, skip = 0 } = args;
    let output: readonly OutputColumn[] = [];
    const download = downloadOf(request, dataset, { args, top }, (columns) => {
      output = columns;
    });
    const plan = await downloads.plan(download);
    const columns = output.map(({ name, physical }) => ({ name, dataType: columnTypeOf(physical).dataType }));
    const names = JSON.stringify(columns).length;
    const longest = addressOf(request, args, { version: plan.version, next: Number.MAX_SAFE_INTEGER }).length;
    const left = maxCharacters - names - Math.min(longest, maxAddressLength) - ofNumbers;
    if (names > maxNameCharacters)
      throw invalid(
        'answer_too_large',
        `The names of ${columns.length} columns are too long for an answer; name some in select, with entities: selected.`,
      );
    const { body, rowCount } = await downloads.open(plan, download);
    const { rows, isCut } = await readRows(
      body,
      columns.map(({ name }) => name),
      left,
    );
    if (isCut && rows.length === 0)
      throw invalid(
        'answer_too_large',
        `One row has more than ${left} characters; name fewer columns in select, with entities: selected, or shorten texts with apply.`,
      );
    const total = rowCount ?? rows.length;
    const next = skip + rows.length;
    const truncated = next < total;
    const rest = truncated ? await restFrom(request, args, { version: plan.version, next }) : undefined;
    return {
      datasetId: args.datasetId,
      versionId: String(plan.version.versionId),
      columns,
      rows: rows as (string | number | null)[][],
      total,
      truncated,
      ...(truncated ? { nextSkip: next } : {}),
      ...(rest === undefined ? {} : { rest }),
    };
  };

  return tool({
    name: 'query_dataset',
    title: 'Query a dataset',
    description: `Reads rows of a dataset: filtered, calculated, ordered. At most ${maxRows} rows and ${maxCharacters.toLocaleString('en-US')} characters; truncated, total and nextSkip say whether more follow. Call describe_dataset first for the columns. Numbers of more than 15 digits are text, to keep their digits.`,
    input,
    output,
    run: async (request, args) => {
      const dataset = await findDataset(request.caller, args.datasetId);
      const ticket = await startExport(request.caller, args.top ?? fewRows);
      try {
        const answer = await read(request, dataset, args);
        request.shows({ datasetId: dataset.id, ticket });
        return answer;
      } catch (error) {
        await ticket.cancel();
        throw error;
      }
    },
  });
};
