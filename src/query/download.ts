import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isAppError } from '../lib/errors.js';
import type { Semaphore } from '../lib/semaphore/semaphore.js';
import { openWithPermit } from '../lib/semaphore/streams.js';
import type { ReadableVersion } from '../model/version.js';
import {
  copySource,
  createSeeker,
  preview,
  type ReadNotes,
  type RowSource,
  versionSource,
} from '../rows/index.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { type AppliedRows, applyPipeline, calculatedColumns } from './apply/apply.js';
import { createNumberRanges, type NumberRanges } from './apply/number-ranges.js';
import type { DownloadRequest } from './download-request.js';
import type { CompiledFilter, compileFilter } from './filter/filter.js';
import type { Format } from './formats/formats.js';
import type { PageTokens } from './paging/page-token.js';
import { nextPage, pageOf, requireSameQuestion } from './paging/pages.js';
import { type Plan, planDownload } from './plan.js';
import { createPlanCache } from './plan-cache.js';
import { ownerOfMany, type ReadContext } from './read-context.js';
import { createRequestFilters } from './request-filters.js';
import { createRequestVersions } from './request-versions.js';
import { checkRows, countRows, openRows } from './rows.js';
import type { SelectedRows } from './statement.js';
import type { Versions } from './versions.js';

export interface RowCounts {
  /** Number of rows before `$top` or `$last`; undefined without these options. */
  readonly rowCount: number | undefined;
  /** `$skiptoken` of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export interface OpenedRows extends RowCounts {
  readonly body: Readable;
}

/**
 * Downloads rows of a dataset. The plan comes first, because its fingerprint decides whether the client's copy is still
 * valid; then the rows or their count.
 */
export interface Downloads {
  /** The plan, if it needs no query and thus no permit. */
  recall(request: DownloadRequest): Plan | undefined;
  /** @throws AppError for an unknown version, or for options that the version does not allow */
  plan(request: DownloadRequest): Promise<Plan>;
  /** Number of rows of the answer. */
  count(plan: Plan, request: DownloadRequest): Promise<number>;
  /** Makes the checks of `open` and returns its counts, without the rows: the answer to `HEAD`. */
  head(plan: Plan, request: DownloadRequest): Promise<RowCounts>;
  open(plan: Plan, request: DownloadRequest): Promise<OpenedRows>;
}

interface DownloadsOptions {
  readonly versions: Versions;
  readonly reader: Reader;
  readonly semaphore: Semaphore;
  readonly pageTokens: PageTokens;
  /** Notified of each read that a copy could serve. @default none */
  readonly readNotes?: ReadNotes;
  /** @default compileFilter */
  readonly compile?: typeof compileFilter;
}

interface PlannedRows {
  readonly version: ReadableVersion;
  readonly rows: RowSource;
}

export const createDownloads = (parts: DownloadsOptions): Downloads => {
  const { versions, reader, semaphore, pageTokens, readNotes } = parts;
  const requestVersions = createRequestVersions(versions, pageTokens);
  const filters = createRequestFilters(parts.compile);
  const plans = createPlanCache();
  const numberRanges = createNumberRanges(reader);
  const seeker = createSeeker(reader);

  const count = async (plan: Plan, source: SelectedRows, request: DownloadRequest): Promise<number> => {
    const { rowCount } = plan.version;
    if (source.complete && !plan.options.distinct) return rowCount;
    return countRows(reader, plan, source, contextOf(plan, request, 'count'));
  };

  /** Number of rows before `$top` or `$last`; undefined if the answer has all rows. */
  const countTotal = (plan: Plan, request: DownloadRequest): Promise<number> | undefined => {
    if (plan.options.top !== undefined) {
      return count(plan, plan.options.distinct ? plan.answerRows : plan.filteredRows, request);
    }
    if (plan.options.last === undefined) return undefined;
    return plan.options.apply === undefined
      ? Promise.resolve(plan.version.rowCount)
      : count(plan, plan.filteredRows, request);
  };

  /** Runs a query with a permit. */
  const withinPermit = <T>(request: DownloadRequest, work: () => Promise<T>): Promise<T> => {
    request.beforeAcquire?.();
    return semaphore.run(request.owner, request.signal, work);
  };

  const applyTo = (
    { options, filterLimits: limits, renameApplied = (columns) => columns }: DownloadRequest,
    { version, rows }: PlannedRows,
    ranges: NumberRanges,
  ): AppliedRows | undefined => {
    const { apply: text } = options;
    if (text === undefined) return undefined;
    const applied = applyPipeline({ text, version, rows, ranges, limits });
    return { ...applied, columns: renameApplied(applied.columns) };
  };

  /** Columns whose ranges decide the result types of `$apply`. */
  const rangedColumns = (version: ReadableVersion, { options, filterLimits }: DownloadRequest) =>
    options.apply === undefined
      ? []
      : calculatedColumns({ text: options.apply, version, limits: filterLimits });

  /** Undefined if they must be queried. */
  const rememberedRanges = (version: ReadableVersion, request: DownloadRequest): NumberRanges | undefined => {
    const columns = rangedColumns(version, request);
    const cached = numberRanges.remembered(version, columns);
    return cached.size === columns.length ? cached : undefined;
  };

  const rangesFor = async (version: ReadableVersion, request: DownloadRequest): Promise<NumberRanges> =>
    rememberedRanges(version, request) ??
    withinPermit(request, () =>
      numberRanges.find(version, rangedColumns(version, request), contextOf({ version }, request, 'ranges')),
    );

  const findPage = (plan: Plan, request: DownloadRequest): Promise<Plan> =>
    pageOf(seeker, plan, contextOf(plan, request, 'seek'));

  const countsFor = async (plan: Plan, page: Plan, request: DownloadRequest): Promise<RowCounts> => {
    const [rowCount, next] = await Promise.all([
      countTotal(plan, request),
      nextPage(reader, plan, page, contextOf(plan, request, 'next')),
    ]);
    return { rowCount, next: next && pageTokens.sign(next) };
  };

  /** Queries rows and counts concurrently; if one fails, the other is cancelled. */
  const openPage = async (plan: Plan, request: DownloadRequest): Promise<OpenedRows> => {
    const page = await findPage(plan, request);
    const opened = openRows(reader, page, contextOf(plan, request, 'rows'));
    const [body, counts] = await Promise.allSettled([opened, countsFor(plan, page, request)]);
    if (body.status === 'rejected') throw body.reason;
    if (counts.status === 'fulfilled') return { body: body.value, ...counts.value };
    body.value.destroy();
    throw counts.reason;
  };

  const planFor = (
    { options, format, about, adapt = (plan) => plan }: DownloadRequest,
    planned: PlannedRows,
    { applied, filter }: { applied: AppliedRows | undefined; filter: CompiledFilter | undefined },
  ): Plan => adapt(planDownload({ ...planned, options, format, filter, applied, about }));

  /** @param remembered the cached version, if any */
  const planOf = async (request: DownloadRequest, remembered: ReadableVersion | undefined): Promise<Plan> => {
    const cached = remembered && plans.get(request, remembered);
    if (cached !== undefined) return cached;
    const token = requestVersions.tokenOf(request);
    const version = remembered ?? (await requestVersions.find(request, token));
    const rows = copyOf(reader.database, version, request) ?? versionSource(reader.database, version);
    const planned = { version, rows };
    try {
      const applied = applyTo(request, planned, await rangesFor(version, request));
      const filter = await filters.compileYielding(request, applied?.columns ?? version.columns);
      const plan = planFor(request, planned, { applied, filter });
      if (token !== undefined) requireSameQuestion(plan, token);
      if (remembered === undefined) return { ...plan, token };
      const found = { ...plan, isRemembered: true };
      plans.set(request, remembered, found);
      return found;
    } catch (error) {
      if (remembered === undefined || !isGone(error)) throw error;
      versions.forget(version);
      return planOf(request, undefined);
    }
  };

  /** True for an error of a statement that read the copy of a version, and may be about the copy. */
  const isOfCopy = ({ version }: Plan, request: DownloadRequest, error: unknown): boolean =>
    (isGone(error) || isUnexpected(error)) && copyOf(reader.database, version, request) !== undefined;

  /** Plans again, from PostgreSQL, if the cached location of the rows is stale or the read copy cannot be read. */
  const withCurrentLocation = async <T>(
    plan: Plan,
    request: DownloadRequest,
    work: (plan: Plan) => Promise<T>,
  ): Promise<T> => {
    if (textFormats.has(request.format)) readNotes?.read(plan.version);
    try {
      return await work(plan);
    } catch (error) {
      const isCopyBad = isOfCopy(plan, request, error);
      if (!isCopyBad && !(plan.isRemembered === true && isGone(error))) throw error;
      versions.forget(plan.version, isCopyBad);
      const found = await planOf(request, undefined);
      // Columns were renamed, but the headers with the old fingerprint may have been sent already.
      if (found.fingerprint !== plan.fingerprint) throw error;
      const result = await work(found);
      if (isCopyBad) readNotes?.copyFailed(plan.version);
      return result;
    }
  };

  return {
    recall(request) {
      if (filters.isLong(request)) return undefined;
      const version = requestVersions.remembered(request);
      if (version === undefined) return undefined;
      const cached = plans.get(request, version);
      if (cached !== undefined) return cached;
      const planned = { version, rows: preview };
      const ranges = rememberedRanges(version, request);
      if (ranges === undefined) return undefined;
      const applied = applyTo(request, planned, ranges);
      return planFor(request, planned, {
        applied,
        filter: filters.compile(request, applied?.columns ?? version.columns),
      });
    },

    plan: (request) => planOf(request, requestVersions.remembered(request)),

    count: (plan, request) =>
      withCurrentLocation(plan, request, (found) =>
        withinPermit(request, () => count(found, found.answerRows, request)),
      ),

    head: (plan, request) =>
      withCurrentLocation(plan, request, (found) =>
        withinPermit(request, async () => {
          const page = await findPage(found, request);
          await checkRows(reader, page, contextOf(found, request, 'rows'));
          return countsFor(found, page, request);
        }),
      ),

    open: (plan, request) =>
      withCurrentLocation(plan, request, (found) => {
        request.beforeAcquire?.();
        return openWithPermit(semaphore, request, async () => {
          const opened = await openPage(found, request);
          // Bytes were sent, so this read cannot be repeated. Later ones read the segments.
          opened.body.once('error', (error) => {
            if (isOfCopy(found, request, error)) versions.forget(found.version, true);
          });
          return opened;
        });
      }),
  };
};

/** Formats whose bytes depend only on the values, not on whether a column is Nullable. */
const textFormats: ReadonlySet<Format> = new Set(['csv', 'tsv', 'json', 'xlsx']);

/** The rows of the copy of a version, if it has one that gives the same bytes. */
const copyOf = (
  database: string,
  version: ReadableVersion,
  { format, options: { apply, transpose } }: Pick<DownloadRequest, 'format' | 'options'>,
): RowSource | undefined =>
  textFormats.has(format) ? copySource(database, version, transpose || apply !== undefined) : undefined;

/** True for a ClickHouse error without a more specific code. */
const isUnexpected = (error: unknown): boolean => isAppError(error) && error.code === 'query_failed';

/** True if some rows were not found in their cached location. */
const isGone = (error: unknown): boolean => isAppError(error) && error.code === 'version_gone';

const contextOf = (
  { version }: Pick<Plan, 'version'>,
  { requestId, signal, owner }: DownloadRequest,
  part: string,
): ReadContext => ({
  // A query id must be unique, but callers may repeat request ids.
  queryId: `${requestId}-${part}-${randomUUID().slice(0, 8)}`,
  requestId,
  signal,
  owner: ownerOfMany(version.rowCount, owner),
});
