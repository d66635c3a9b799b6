/** Column summaries. Computed on first demand and stored, because a version never changes. */
import { createCache } from '../../lib/cache.js';
import type { Semaphore } from '../../lib/semaphore/semaphore.js';
import type { StoredColumn } from '../../model/column.js';
import { contentName, type ReadableVersion } from '../../model/version.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { selectedColumns } from '../column-list.js';
import { compileFilter } from '../filter/filter.js';
import { filterColumnsOf } from '../plan.js';
import { ownerOfMany, type ReadContext } from '../read-context.js';
import { createSharedWork } from '../shared-work.js';
import type { ColumnSummary } from './column-summary.js';
import { createComputation } from './computation.js';
import { createStatementRunner, sourceOf } from './statement.js';

interface SummaryWanted {
  readonly version: ReadableVersion;
  readonly filter: string | undefined;
  readonly select: string | undefined;
  /** Owner of permits. */
  readonly owner: string;
  readonly context: ReadContext;
}

export interface Summaries {
  /** Returns the JSON of a `ColumnSummary` per column. */
  summarise(wanted: SummaryWanted): Promise<{ rows: number; columns: readonly string[] }>;
  /**
   * Computes and stores the summary of a version ahead of requests, unless it exists.
   * @param owner of the permits
   */
  prepare(version: ReadableVersion, owner: string, signal: AbortSignal): Promise<void>;
}

interface SummariesOptions {
  readonly reader: Reader;
  readonly semaphore: Semaphore;
  /** Acquired after `semaphore` for versions with many rows. */
  readonly calculations: Semaphore;
  readonly sql: Sql;
}

/** Size of each cache in columns, some kilobytes each. */
const cachedColumns = 5_000;

/** In versions this wide, a few requested columns are summarised alone: all of them would take minutes. */
const wideColumns = 200;
const fewColumns = 50;

type Nameless = Omit<ColumnSummary, 'name'>;

/** Summaries by column id, without names, which may change. */
type Stored = Readonly<Record<string, Nameless>>;
/** JSON of each summary by column id. */
type Body = Readonly<Record<string, string>>;

const withoutNames = (columns: readonly ColumnSummary[]): Stored =>
  Object.fromEntries(columns.map(({ name: _, ...rest }) => [String(rest.id), rest]));

const asJson = (stored: Stored): Body =>
  Object.fromEntries(Object.entries(stored).map(([id, summary]) => [id, JSON.stringify(summary)]));

const withName = (json: string, name: string): string =>
  `${json.slice(0, -1)},"name":${JSON.stringify(name)}}`;

export const createSummaries = ({ reader, semaphore, calculations, sql }: SummariesOptions): Summaries => {
  const runStatement = createStatementRunner(reader);
  const computeAll = createComputation(runStatement);
  const shared = createSharedWork<Body>();
  const weigh = (body: Body): number => Object.keys(body).length + 1;
  const wholes = createCache<Body>({ limit: cachedColumns, weigh });
  /** Requested columns of wide versions. */
  const parts = createCache<Body>({ limit: cachedColumns, weigh });

  const withinPermit = <T>(
    { version, owner }: Pick<SummaryWanted, 'version' | 'owner'>,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> =>
    semaphore.run(owner, signal, () =>
      ownerOfMany(version.rowCount, owner) === undefined ? work() : calculations.run(owner, signal, work),
    );

  const stored = async (version: ReadableVersion): Promise<Body | undefined> => {
    const { versionId, repairs = 0 } = version;
    const cached = wholes.get(contentName(version));
    if (cached !== undefined) return cached;
    const [row] = await sql.query<{ body: Stored }>(
      'SELECT body FROM version_summaries WHERE version_id = $1 AND repairs = $2',
      [versionId, repairs],
    );
    if (row === undefined) return undefined;
    const body = asJson(row.body);
    wholes.set(contentName(version), body);
    return body;
  };

  const store = async (
    { versionId, repairs = 0 }: ReadableVersion,
    columns: readonly ColumnSummary[],
  ): Promise<void> => {
    await sql.query(
      `INSERT INTO version_summaries AS s (version_id, body, repairs) SELECT id, $2, $3 FROM versions WHERE id = $1
       ON CONFLICT (version_id) DO UPDATE SET body = EXCLUDED.body, repairs = EXCLUDED.repairs WHERE s.repairs < EXCLUDED.repairs`,
      [versionId, JSON.stringify(withoutNames(columns)), repairs],
    );
  };

  /** Computes all columns of a version, once for concurrent callers. */
  const computeWhole = ({
    version,
    owner,
    context,
  }: Pick<SummaryWanted, 'version' | 'owner' | 'context'>): Promise<Body> =>
    shared.run(contentName(version), context.signal, async (signal) => {
      const lasting = { ...context, signal };
      const columns = await withinPermit({ version, owner }, signal, () =>
        computeAll(version.columns, sourceOf(reader, version), version.rowCount, lasting),
      );
      await store(version, columns);
      const body = asJson(withoutNames(columns));
      wholes.set(contentName(version), body);
      return body;
    });

  /** Computes a few columns of a wide version without a stored summary. */
  const computePart = async (
    { version, owner, context }: Pick<SummaryWanted, 'version' | 'owner' | 'context'>,
    chosen: readonly StoredColumn[],
  ): Promise<Body> => {
    const key = contentName(version);
    const known = parts.get(key) ?? {};
    const missing = chosen.filter(({ id }) => known[String(id)] === undefined);
    if (missing.length === 0) return known;
    const found = await withinPermit({ version, owner }, context.signal, () =>
      computeAll(missing, sourceOf(reader, version), version.rowCount, context),
    );
    // Meanwhile the entry may have been dropped for others, or got further columns.
    const body = { ...known, ...parts.get(key), ...asJson(withoutNames(found)) };
    parts.set(key, body);
    return body;
  };

  return {
    async summarise(wanted) {
      const { version, filter, select, context } = wanted;
      const chosen = select === undefined ? version.columns : selectedColumns(select, version.columns);
      if (filter !== undefined) {
        const source = sourceOf(reader, version, compileFilter(filter, filterColumnsOf(version.columns)));
        return withinPermit(wanted, context.signal, async () => {
          const [[rows = 0] = []] = await runStatement<number[]>(
            `SELECT count() ${source.sql}`,
            source,
            context,
          );
          const found = await computeAll(chosen, source, Number(rows), context);
          return { rows: Number(rows), columns: found.map((summary) => JSON.stringify(summary)) };
        });
      }
      const isPart = version.columns.length >= wideColumns && chosen.length <= fewColumns;
      const body =
        (await stored(version)) ?? (isPart ? await computePart(wanted, chosen) : await computeWhole(wanted));
      const columns = chosen.flatMap((column) => {
        const summary = body[String(column.id)];
        return summary === undefined ? [] : [withName(summary, column.name)];
      });
      return { rows: version.rowCount, columns };
    },

    async prepare(version, owner, signal) {
      const context = { queryId: `summary/${version.versionId}`, signal };
      if ((await stored(version)) === undefined) await computeWhole({ version, owner, context });
    },
  };
};
