import { pipeline, type Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import type { ExportTicket } from '../../catalog/export-ticket.js';
import { notFound } from '../../lib/errors.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import type { Caller } from '../../model/permission.js';
import type { Comparisons } from '../../query/comparison/comparisons.js';
import { parseOptions } from '../../query/options/options.js';
import { noData, type Versions } from '../../query/versions.js';
import type { VersionRecords } from '../../versions/version-records.js';
import { fitting, maxCharacters } from '../exact.js';
import { type FindDataset, type Tool, type ToolRequest, tool } from '../tool.js';
import { datasetIdField, versionOptions } from '../version-argument.js';

export interface CompareVersionsDeps {
  readonly findDataset: FindDataset;
  /** Counts an export of this many rows. */
  readonly startExport: (caller: Caller, rows: number) => Promise<ExportTicket>;
  readonly comparisons: Comparisons;
  readonly versions: Pick<Versions, 'at'>;
  readonly versionRecords: Pick<VersionRecords, 'list'>;
  readonly semaphore: Semaphore;
}

const maxRows = 500;
const fewRows = 50;

/** Maximum characters of the names of key columns. */
const maxKeys = 5_000;

/** Maximum characters of rows and of the names of columns: the remainder after keys, counts and an address. */
const maxRowCharacters = maxCharacters - maxKeys - 1_000;

const side = z.string().max(100).optional();

const input = z.strictObject({
  datasetId: datasetIdField,
  from: side.meta({
    description:
      'First version: its id, or a day (its end) or time at which it was current. Default: the one before.',
  }),
  to: side.meta({ description: 'Second version, in the same way. Default: the current one.' }),
  top: z
    .int()
    .min(0)
    .max(maxRows)
    .optional()
    .meta({ description: `Most rows, at most ${maxRows}. Default ${fewRows}. 0: the counts alone.` }),
});

const output = z.object({
  datasetId: z.int(),
  from: z.string(),
  to: z.string(),
  keys: z
    .array(z.string())
    .meta({ description: 'Columns by which rows are matched; none: whole rows are compared.' }),
  added: z.int(),
  removed: z.int(),
  changed: z.int(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string().nullable())).meta({
    description:
      'Rows that differ, values as text. The first says removed, added, or before and after for both sides of a changed row.',
  }),
  truncated: z.boolean().meta({ description: 'True: further rows differ.' }),
  rest: z
    .string()
    .optional()
    .meta({ description: 'Address of all rows that differ, as CSV; it takes the API key as Bearer.' }),
});

type Cells = (string | null)[];

interface Differences {
  readonly columns: string[];
  readonly rows: Cells[];
  readonly isCut: boolean;
}

const isTooLong = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === 'CSV_MAX_RECORD_SIZE';

/** Reads the rows that fit, then stops. Texts are quoted, so an empty cell without quotes is null. */
const readDifferences = async (body: Readable): Promise<Differences> => {
  const parser = parse({
    bom: true,
    max_record_size: maxRowCharacters,
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  });
  // Each stream ends the other; the loop throws a failure.
  const records: AsyncIterable<Cells> = pipeline(body, parser, () => undefined);
  const rows: Cells[] = [];
  let left = maxRowCharacters;
  let isCut = false;
  try {
    for await (const record of records) {
      left -= JSON.stringify(record).length + 1;
      isCut = left < 0;
      if (isCut) break;
      rows.push(record);
    }
  } catch (error) {
    if (!isTooLong(error)) throw error;
    isCut = true;
  }
  const [columns = [], ...others] = rows;
  return { columns: columns.map((name) => name ?? ''), rows: others, isCut };
};

export const createCompareVersions = (deps: CompareVersionsDeps): Tool => {
  /** Ids of both versions. */
  const pairOf = async (
    { id, currentVersionId }: DatasetAccess,
    wanted: { readonly from: string | undefined; readonly to: string | undefined },
  ): Promise<{ from: number; to: number }> => {
    const named = async (version: string | undefined): Promise<number | undefined> => {
      const { versionId, asOf } = parseOptions(versionOptions(version));
      return asOf === undefined ? versionId : deps.versions.at(id, asOf);
    };
    const to = (await named(wanted.to)) ?? currentVersionId;
    if (to === null) throw noData();
    const from = await named(wanted.from);
    if (from !== undefined) return { from, to };
    const [before] = await deps.versionRecords.list(id, { top: 1, before: to });
    if (before === undefined)
      throw notFound(
        'unknown_version',
        `The dataset has no version before ${to}; there is nothing to compare.`,
      );
    return { from: Number(before.versionId), to };
  };

  const compare = async (
    request: ToolRequest,
    datasetId: number,
    { between, top }: { between: { from: number; to: number }; top: number },
  ) => {
    const { owner, requestId, signal } = request;
    const wanted = { datasetId, between, owner, requestId, signal };
    const counts = await deps.comparisons.count(wanted);
    const { keys, added, removed, changed } = counts;
    const { columns, rows, isCut } =
      top === 0
        ? { columns: [], rows: [], isCut: false }
        : await readDifferences((await deps.comparisons.open({ ...wanted, top })).body);
    const truncated = isCut || rows.length < added + removed + 2 * changed;
    const { from, to } = between;
    const path = `/datasets/${datasetId}/versions/${from}/diff/${to}/rows`;
    return {
      datasetId,
      from: String(from),
      to: String(to),
      keys: [...fitting(keys, maxKeys)],
      added,
      removed,
      changed,
      columns,
      rows,
      truncated,
      ...(truncated ? { rest: `${request.apiUrl}${path}` } : {}),
    };
  };

  return tool({
    name: 'compare_versions',
    title: 'Compare versions of a dataset',
    description: `What changed between two versions of a dataset: numbers of added, removed and changed rows, and the rows themselves, at most ${maxRows}. Without from and to: the latest change.`,
    input,
    output,
    run: async (request, { datasetId, from, to, top = fewRows }) => {
      const { caller, owner, signal } = request;
      const dataset = await deps.findDataset(caller, datasetId);
      const between = await pairOf(dataset, { from, to });
      const ticket = await deps.startExport(caller, top);
      try {
        request.releasePermit();
        const answer = await deps.semaphore.run(owner, signal, () =>
          compare(request, datasetId, { between, top }),
        );
        request.shows({ datasetId, ticket });
        return answer;
      } catch (error) {
        await ticket.cancel();
        throw error;
      }
    },
  });
};
