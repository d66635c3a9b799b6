import { randomUUID } from 'node:crypto';
import { PassThrough, pipeline, type Readable } from 'node:stream';

import { holdForReader } from '../lib/held-streams.js';
import type { Place, Places } from '../lib/places.js';
import type { StoredColumn } from '../model/column.js';
import type { Placement } from '../model/placement.js';
import type { ReadableVersion } from '../model/version.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { type AppliedRows, applyPipeline, calculatedColumns } from './apply/apply.js';
import { createNumberFacts, type NumberFacts } from './apply/number-facts.js';
import { type Coding, chooseCoding, createEncoder } from './content-coding.js';
import { dispositionOf, fileNameOf } from './disposition.js';
import { codedTag, matchesTag } from './entity-tag.js';
import {
  type CompiledFilter,
  compileFilter,
  compileFilterYielding,
  type FilterLimits,
} from './filter/filter.js';
import { formatOfAccept, formatSpecs, formats } from './formats.js';
import type { DownloadOptions } from './options/options.js';
import { filterColumnsOf, type Plan, planDownload } from './plan.js';
import { countRows, openRows } from './rows.js';
import type { RowSource } from './statement.js';
import { versionRows } from './version-rows.js';
import type { Versions } from './versions.js';

export interface DownloadRequest {
  readonly dataset: {
    readonly id: number;
    readonly name: string;
    readonly currentVersionId: number | null;
    readonly columnsRevision: number;
  };
  readonly options: DownloadOptions;
  /** Who shares places with whom: the account, or the address of an anonymous caller. */
  readonly owner: string;
  /** Called when a place is needed: whatever was held until then may go to others. */
  readonly beforePlace?: () => void;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** True for HEAD: headers as for GET, no rows are read. */
  readonly headOnly: boolean;
  /** Whole files are answered by `file`; otherwise by their rows like everything else. */
  readonly links: boolean;
  readonly filterLimits?: Partial<FilterLimits>;
  /** Ends the queries when the client is gone. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

type Headers = Readonly<Record<string, string>>;

export type DownloadAnswer =
  | { readonly kind: 'unchanged'; readonly headers: Headers }
  /** A whole file, to be fetched by a link. */
  | { readonly kind: 'file'; readonly plan: Plan; readonly headers: Headers; readonly fileName: string }
  | { readonly kind: 'count'; readonly count: number; readonly headers: Headers }
  /** `body` is undefined for HEAD. */
  | { readonly kind: 'rows'; readonly body: Readable | undefined; readonly headers: Headers };

/** Answers requests for the rows of a dataset. */
export interface Downloads {
  /**
   * The 304 for a caller who has this very answer, out of memory: nothing is asked, so nothing needs to be
   * counted. Undefined when the answer is another one or memory does not tell.
   */
  unchanged(request: DownloadRequest): Extract<DownloadAnswer, { kind: 'unchanged' }> | undefined;
  download(request: DownloadRequest): Promise<DownloadAnswer>;
}

/** Filters from this length on, in characters, are compiled in turns with other requests. */
const longText = 8_000;

interface Description {
  readonly plan: Plan;
  /** True when a link to the whole file is the answer. */
  readonly isFile: boolean;
  readonly coding: Coding;
  readonly tag: string;
  /** Headers of every answer to this question, 304 included. */
  readonly headers: Headers;
}

/** What is known of an answer before anything is read. */
const describe = (
  request: DownloadRequest,
  version: ReadableVersion,
  filter: CompiledFilter | undefined,
  applied: AppliedRows | undefined,
  database: string,
): Description => {
  const { options } = request;
  const format = options.format ?? formatOfAccept(request.accept, formats) ?? 'csv';
  const plan = planDownload({ database, version, options, format, filter, applied });
  const isFile = request.links && plan.wholeFile !== undefined;
  const isCoded = formatSpecs[format].compressible && !isFile && !options.count;
  const coding = isCoded ? chooseCoding(request.acceptEncoding) : 'identity';
  const tag = codedTag(plan.entityTag, coding);
  const headers = {
    ETag: tag,
    'Last-Modified': new Date(version.createdAt).toUTCString(),
    Vary: 'Accept, Accept-Encoding, Authorization',
  };
  return { plan, isFile, coding, tag, headers };
};

export interface DownloadsOptions {
  readonly versions: Versions;
  readonly reader: Reader;
  readonly places: Places;
}

/** For a tag alone: where rows lie has no part in it. */
const nowhere: Placement = { storeId: Number.MAX_SAFE_INTEGER, pool: null };

export const createDownloads = ({ versions, reader, places }: DownloadsOptions): Downloads => {
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
    if (known?.columns === columns) return known.filter;
    const filter = compileFilter(request.options.filter, filterColumnsOf(columns), request.filterLimits);
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

  /** Number for the header `Row-Count`; undefined when the answer has none. */
  const rowCountHeader = (plan: Plan, request: DownloadRequest): Promise<number> | undefined => {
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

  /** What `$apply` needs to know before its result has types. */
  const factsFor = (version: ReadableVersion, request: DownloadRequest): Promise<NumberFacts> => {
    const { options, filterLimits, signal } = request;
    if (options.apply === undefined) return Promise.resolve(new Map());
    const columns = calculatedColumns({ text: options.apply, version, limits: filterLimits });
    if (numberFacts.remembered(version, columns).size === columns.length)
      return Promise.resolve(numberFacts.remembered(version, columns));
    return withPlace(request, async (place) => {
      const found = await numberFacts.find(version, columns, {
        queryId: queryIdOf(request, 'facts'),
        signal,
      });
      place.release();
      return found;
    });
  };

  /** Rows and their number are asked for at the same time; neither goes on when the other fails. */
  const openCounted = async (
    plan: Plan,
    request: DownloadRequest,
  ): Promise<{ body: Readable | undefined; rowCount: number | undefined }> => {
    const counted = rowCountHeader(plan, request);
    if (request.headOnly) return { body: undefined, rowCount: await counted };
    const opened = openRows(reader, plan, { queryId: queryIdOf(request, 'rows'), signal: request.signal });
    const [body, rowCount] = await Promise.allSettled([opened, counted]);
    if (body.status === 'rejected') throw body.reason;
    if (rowCount.status === 'fulfilled') return { body: body.value, rowCount: rowCount.value };
    body.value.destroy();
    throw rowCount.reason;
  };

  const rows = (plan: Plan, request: DownloadRequest, headers: Headers, coding: Coding) =>
    withPlace(request, async (place): Promise<DownloadAnswer> => {
      const { body: plain, rowCount } = await openCounted(plan, request);
      const counted: Record<string, string> =
        rowCount === undefined
          ? {}
          : { 'Row-Count': String(rowCount), 'Access-Control-Expose-Headers': 'Row-Count' };
      const body = plain && encoded(plain, coding);
      if (body === undefined) place.release();
      else holdForReader(place, body);
      return { kind: 'rows', body, headers: { ...headers, ...counted } };
    });

  /** The request with the id of the version that was current at the time it names. */
  const withVersion = async (request: DownloadRequest): Promise<DownloadRequest> => {
    const { dataset, options } = request;
    if (options.asOf === undefined) return request;
    const versionId = await versions.at(dataset.id, options.asOf);
    return { ...request, options: { ...options, versionId, asOf: undefined } };
  };

  return {
    unchanged(request) {
      const { dataset, options, ifNoneMatch } = request;
      const { id, currentVersionId, columnsRevision } = dataset;
      if (ifNoneMatch === undefined || currentVersionId === null) return undefined;
      if (options.versionId !== undefined || options.asOf !== undefined) return undefined;
      if ((options.filter?.length ?? 0) >= longText) return undefined;
      const facts = versions.remembered(id, currentVersionId, columnsRevision);
      if (facts === undefined) return undefined;
      const version = { ...facts, placement: nowhere, segmentIds: [] };
      const applied = applyTo(request, version, new Map());
      const filter = filterOf(request, applied?.columns ?? version.columns);
      const { tag, headers } = describe(request, version, filter, applied, reader.database);
      return matchesTag(ifNoneMatch, tag) ? { kind: 'unchanged', headers } : undefined;
    },

    async download(asked) {
      const request = await withVersion(asked);
      const { dataset, options } = request;
      const version = await versions.find({
        datasetId: dataset.id,
        currentVersionId: dataset.currentVersionId,
        versionId: options.versionId,
      });
      const applied = applyTo(request, version, await factsFor(version, request));
      const filter = await filterInTurns(request, applied?.columns ?? version.columns);
      const described = describe(request, version, filter, applied, reader.database);
      const { plan, isFile, coding, tag, headers: shared } = described;
      const spec = formatSpecs[plan.format];
      if (matchesTag(request.ifNoneMatch, tag)) return { kind: 'unchanged', headers: shared };
      if (options.count) {
        const number = await withPlace(request, async (place) => {
          const result = await count(plan, plan.source, request);
          place.release();
          return result;
        });
        return { kind: 'count', count: number, headers: shared };
      }
      const fileName = fileNameOf(dataset.name, spec.extension);
      if (isFile) return { kind: 'file', plan, headers: shared, fileName };
      const headers = {
        ...shared,
        'Content-Type': spec.contentType,
        'Content-Disposition': dispositionOf(fileName),
        ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
      };
      return rows(plan, request, headers, coding);
    },
  };
};

/** Request ids may come from callers, and a query id must be unique. */
const queryIdOf = (request: DownloadRequest, part: string): string =>
  `${request.requestId}-${part}-${randomUUID().slice(0, 8)}`;

/** Compresses; an error of the rows ends the compressed stream with the same error. */
const encoded = (body: Readable, coding: Coding): Readable => {
  if (coding === 'identity') return body;
  const encoder = createEncoder(coding);
  const out = new PassThrough({ highWaterMark: 64 * 1024 });
  pipeline(body, encoder, out, (error) => {
    if (error != null) out.destroy(error);
  });
  return out;
};
