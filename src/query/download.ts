import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { holdForReader } from '../lib/held-streams.js';
import type { Place, Places } from '../lib/places.js';
import type { StoredColumn } from '../model/column.js';
import type { Placement } from '../model/placement.js';
import type { ReadableVersion } from '../model/version.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { type AppliedRows, applyPipeline, calculatedColumns } from './apply/apply.js';
import { createNumberFacts, type NumberFacts } from './apply/number-facts.js';
import {
  type CompiledFilter,
  compileFilter,
  compileFilterYielding,
  type FilterLimits,
} from './filter/filter.js';
import type { Format } from './formats.js';
import type { DownloadOptions } from './options/options.js';
import { filterColumnsOf, type Plan, planDownload } from './plan.js';
import { countRows, openRows } from './rows.js';
import type { RowSource } from './statement.js';
import { versionRows } from './version-rows.js';
import type { Versions } from './versions.js';

export interface DownloadRequest {
  readonly dataset: {
    readonly id: number;
    readonly currentVersionId: number | null;
    readonly columnsRevision: number;
  };
  readonly options: DownloadOptions;
  /** Of the answer; `options.format` is what was asked for, if anything was. */
  readonly format: Format;
  /** Who shares places with whom: the account, or the address of an anonymous caller. */
  readonly owner: string;
  /** Called when a place is needed: whatever was held until then may go to others. */
  readonly beforePlace?: () => void;
  readonly filterLimits?: Partial<FilterLimits>;
  /** Ends the queries when the client is gone. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

export interface OpenedRows {
  readonly body: Readable;
  /** Rows that there are beyond those of the answer; undefined when the options do not ask for it. */
  readonly rowCount: number | undefined;
}

/**
 * Answers requests for the rows of a dataset: first what the answer is, which says whether the client has it already,
 * then its rows or their number.
 */
export interface Downloads {
  /** The plan, out of memory: nothing is asked, so nothing needs to be counted. Undefined when memory does not tell. */
  recall(request: DownloadRequest): Plan | undefined;
  /** @throws AppError for a version that there is not, and for options that it does not allow. */
  plan(request: DownloadRequest): Promise<Plan>;
  /** Number of rows of the answer. */
  count(plan: Plan, request: DownloadRequest): Promise<number>;
  /** What is known of the rows without reading them. */
  rowCount(plan: Plan, request: DownloadRequest): Promise<number | undefined>;
  open(plan: Plan, request: DownloadRequest): Promise<OpenedRows>;
}

/** Filters from this length on, in characters, are compiled in turns with other requests. */
const longText = 8_000;

export interface DownloadsOptions {
  readonly versions: Versions;
  readonly reader: Reader;
  readonly places: Places;
  /** Compiles a filter at once. @default compileFilter */
  readonly compile?: typeof compileFilter;
}

/** For a fingerprint alone: where rows lie has no part in it. */
const nowhere: Placement = { storeId: Number.MAX_SAFE_INTEGER, pool: null };

/** True when a filter that was compiled for the one fits the other. */
const isSameColumns = (a: readonly StoredColumn[], b: readonly StoredColumn[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(({ name, id, storageId, physical }, at) => {
      const other = b[at]!;
      return (
        name === other.name && id === other.id && storageId === other.storageId && physical === other.physical
      );
    }));

export const createDownloads = (parts: DownloadsOptions): Downloads => {
  const { versions, reader, places, compile = compileFilter } = parts;
  const numberFacts = createNumberFacts(reader);

  /** What was compiled for a request, which may be looked at twice. */
  const compiled = new WeakMap<
    DownloadRequest,
    { columns: readonly StoredColumn[]; filter: CompiledFilter }
  >();

  const filterOf = (
    request: DownloadRequest,
    columns: readonly StoredColumn[],
  ): CompiledFilter | undefined => {
    if (request.options.filter === undefined) return undefined;
    const known = compiled.get(request);
    if (known !== undefined && isSameColumns(known.columns, columns)) return known.filter;
    const filter = compile(request.options.filter, filterColumnsOf(columns), request.filterLimits);
    compiled.set(request, { columns, filter });
    return filter;
  };

  /** Long filters are compiled in turns with others. */
  const filterInTurns = async (
    request: DownloadRequest,
    columns: readonly StoredColumn[],
  ): Promise<CompiledFilter | undefined> => {
    const text = request.options.filter;
    if (text === undefined || text.length < longText) return filterOf(request, columns);
    return compileFilterYielding(text, filterColumnsOf(columns), request.filterLimits);
  };

  const count = async (plan: Plan, source: RowSource, request: DownloadRequest): Promise<number> => {
    const { rowCount } = plan.version;
    if (source.complete && !plan.options.distinct) return rowCount;
    const context = { queryId: queryIdOf(request, 'count'), signal: request.signal };
    return countRows(reader, plan, source, context);
  };

  /** Rows of which the answer shows some; undefined when it shows all. */
  const countBeside = (plan: Plan, request: DownloadRequest): Promise<number> | undefined => {
    if (plan.options.top !== undefined) {
      return count(plan, plan.options.distinct ? plan.source : plan.matching, request);
    }
    if (plan.options.last === undefined) return undefined;
    return plan.options.apply === undefined
      ? Promise.resolve(plan.version.rowCount)
      : count(plan, plan.matching, request);
  };

  const withPlace = async <T>(request: DownloadRequest, work: (place: Place) => Promise<T>): Promise<T> => {
    request.beforePlace?.();
    const place = await places.take(request.owner, request.signal);
    try {
      return await work(place);
    } catch (error) {
      place.release();
      throw error;
    }
  };

  const applyTo = (
    { options, filterLimits: limits }: DownloadRequest,
    version: ReadableVersion,
    facts: NumberFacts,
  ): AppliedRows | undefined => {
    const { apply: text } = options;
    if (text === undefined) return undefined;
    return applyPipeline({ text, version, rows: versionRows(reader.database, version), facts, limits });
  };

  /** What `$apply` needs to know before its result has types; undefined when it has to be asked for. */
  const rememberedFacts = (
    version: ReadableVersion,
    { options, filterLimits }: DownloadRequest,
  ): NumberFacts | undefined => {
    if (options.apply === undefined) return new Map();
    const columns = calculatedColumns({ text: options.apply, version, limits: filterLimits });
    const known = numberFacts.remembered(version, columns);
    return known.size === columns.length ? known : undefined;
  };

  const factsFor = async (version: ReadableVersion, request: DownloadRequest): Promise<NumberFacts> => {
    const { options, filterLimits, signal } = request;
    const known = rememberedFacts(version, request);
    if (options.apply === undefined || known !== undefined) return known ?? new Map();
    const columns = calculatedColumns({ text: options.apply, version, limits: filterLimits });
    return inPlace(request, () =>
      numberFacts.find(version, columns, { queryId: queryIdOf(request, 'facts'), signal }),
    );
  };

  /** Rows and their number are asked for at the same time; neither goes on when the other fails. */
  const openCounted = async (plan: Plan, request: DownloadRequest): Promise<OpenedRows> => {
    const counted = countBeside(plan, request);
    const opened = openRows(reader, plan, { queryId: queryIdOf(request, 'rows'), signal: request.signal });
    const [body, rowCount] = await Promise.allSettled([opened, counted]);
    if (body.status === 'rejected') throw body.reason;
    if (rowCount.status === 'fulfilled') return { body: body.value, rowCount: rowCount.value };
    body.value.destroy();
    throw rowCount.reason;
  };

  /** For work that ends with its answer. */
  const inPlace = <T>(request: DownloadRequest, work: () => Promise<T>): Promise<T> =>
    withPlace(request, async (place) => {
      const result = await work();
      place.release();
      return result;
    });

  /** The id of the version that the options name; undefined for the current one. */
  const versionIdOf = async ({ dataset, options }: DownloadRequest): Promise<number | undefined> =>
    options.asOf === undefined ? options.versionId : versions.at(dataset.id, options.asOf);

  const planFor = (
    { options, format }: DownloadRequest,
    version: ReadableVersion,
    { applied, filter }: { applied: AppliedRows | undefined; filter: CompiledFilter | undefined },
  ): Plan => planDownload({ database: reader.database, version, options, format, filter, applied });

  return {
    recall(request) {
      const { dataset, options } = request;
      const { id, currentVersionId, columnsRevision } = dataset;
      if (currentVersionId === null) return undefined;
      if (options.versionId !== undefined || options.asOf !== undefined) return undefined;
      if ((options.filter?.length ?? 0) >= longText) return undefined;
      const facts = versions.remembered(id, currentVersionId, columnsRevision);
      if (facts === undefined) return undefined;
      const version = { ...facts, placement: nowhere, segmentIds: [] };
      const numbers = rememberedFacts(version, request);
      if (numbers === undefined) return undefined;
      const applied = applyTo(request, version, numbers);
      return planFor(request, version, {
        applied,
        filter: filterOf(request, applied?.columns ?? version.columns),
      });
    },

    async plan(request) {
      const { id: datasetId, currentVersionId } = request.dataset;
      const versionId = await versionIdOf(request);
      const version = await versions.find({ datasetId, currentVersionId, versionId });
      const applied = applyTo(request, version, await factsFor(version, request));
      const filter = await filterInTurns(request, applied?.columns ?? version.columns);
      return planFor(request, version, { applied, filter });
    },

    count: (plan, request) => inPlace(request, () => count(plan, plan.source, request)),

    rowCount: (plan, request) => inPlace(request, async () => countBeside(plan, request)),

    open: (plan, request) =>
      withPlace(request, async (place) => {
        const opened = await openCounted(plan, request);
        holdForReader(place, opened.body);
        return opened;
      }),
  };
};

/** Request ids may come from callers, and a query id must be unique. */
const queryIdOf = (request: DownloadRequest, part: string): string =>
  `${request.requestId}-${part}-${randomUUID().slice(0, 8)}`;
