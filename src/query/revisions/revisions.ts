/**
 * All values that an observation ever had, with the version that published each.
 *
 * A segment is added by one version and removed by another, so each of its rows is an event in both. Rows that one version
 * both removes and adds, because a file was uploaded again, cancel each other out. The remaining events of a version are its
 * changes.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { endingWith } from '../../lib/byte-stream.js';
import { type Cache, createCache } from '../../lib/cache.js';
import type { Instant } from '../../lib/instant.js';
import { type StoredColumn, storageName } from '../../model/column.js';
import {
  clickHouseType,
  commonTypes,
  converted,
  hashOf,
  rowOrder,
  serverOf,
  spanSource,
} from '../../rows/index.js';
import type { BoundValues } from '../../storage/clickhouse/query-form.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type MatchedBy, matchedBy } from '../comparison/unique-keys.js';
import { compileFilter } from '../filter/filter.js';
import type { OutputColumn } from '../formats/format.js';
import { type Format, formats } from '../formats/formats.js';
import { filterColumnsOf } from '../plan.js';
import { chosenColumns, freeName } from '../projection.js';
import { isMany, ownerOfMany, type ReadContext } from '../read-context.js';
import type { Versions } from '../versions.js';
import { commonColumns } from './common-columns.js';
import { type History, type RangeGroup, readHistory } from './history.js';

export const revisionFormats = ['json', 'csv', 'tsv'] as const satisfies readonly Format[];

/**
 * Values of an observation to return: all, the first published, or the latest.
 */
export const vintages = ['all', 'first', 'latest'] as const;
type Vintage = (typeof vintages)[number];

/** Window functions over all events of an observation. */
const broughtSql = 'countIf(net > 0) OVER (PARTITION BY k, v) AS brought';
const firstSql = 'min(v) OVER (PARTITION BY k) AS first';
const lastSql =
  'sum(net) OVER (PARTITION BY k, h) AS there, maxIf(v, net > 0) OVER (PARTITION BY k, h) AS last';

/** Conditions on events (`net > 0` adds a row in version `v`), with the window functions that they need. */
const shownRows: Readonly<Record<Vintage, { readonly facts: string; readonly where: string }>> = {
  all: { facts: broughtSql, where: '(net > 0 OR brought = 0)' },
  first: { facts: `${broughtSql}, ${firstSql}`, where: '(net > 0 OR brought = 0) AND v = first' },
  latest: { facts: lastSql, where: 'net > 0 AND there > 0 AND v = last' },
};

interface RevisionsWanted {
  readonly datasetId: number;
  readonly currentVersionId: number | null;
  readonly vintage: Vintage;
  /** Ignores later versions; undefined for none. */
  readonly asOf: Instant | undefined;
  readonly filter: string | undefined;
  readonly select: string | undefined;
  readonly top: number | undefined;
  readonly format: (typeof revisionFormats)[number];
  /** Account, or address of an anonymous caller. */
  readonly owner: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

interface RevisionRows extends MatchedBy {
  readonly body: Readable;
}

export interface Revisions {
  /**
   * Returns the columns of the dataset, and `versionId`, `publishedAt` and `change` (added, changed, removed), ordered by
   * entity columns, then versions.
   */
  open(wanted: RevisionsWanted): Promise<RevisionRows>;
}

interface RevisionsOptions {
  readonly sql: Sql;
  readonly versions: Versions;
  readonly reader: Reader;
}

const asCommon = (column: StoredColumn, { columns }: RangeGroup): string => {
  const own = columns.find(({ id }) => id === column.id);
  if (own === undefined || (own.untyped === true && own.physical !== column.physical))
    return `CAST(NULL, 'Nullable(${clickHouseType(column.physical)})')`;
  return converted(storageName(own), own.physical, column.physical);
};

interface Answer {
  readonly output: readonly OutputColumn[];
  /** `FROM …` and everything after it. */
  readonly from: string;
  readonly values: BoundValues;
}

interface Statement {
  readonly sql: string;
  readonly values: BoundValues;
}

/** Rows of a group, once per range of their segment: added by version `f`, removed by version `u`. */
const groupRows = (
  database: string,
  group: RangeGroup,
  columns: readonly StoredColumn[],
  at: number,
): Statement => {
  const source = spanSource(database, group, at);
  const columnList = columns
    .map((column) => `${asCommon(column, group)} AS v_${storageName(column)}, `)
    .join('');
  return {
    sql: `SELECT ${columnList}${rowOrder} AS p, f, u
      FROM ${source.from}
      WHERE ${source.where}`,
    values: source.values,
  };
};

/** For a dataset whose files had only headers. */
const noRows = (columns: readonly StoredColumn[]): Statement => {
  const values = columns.map(
    (column) => `CAST(NULL, 'Nullable(${clickHouseType(column.physical)})') AS v_${storageName(column)}, `,
  );
  const zeros = ['p', 'f', 'u'].map((name) => `toUInt64(0) AS ${name}`);
  return { sql: `SELECT ${values.join('')}${zeros.join(', ')} WHERE 0`, values: {} };
};

interface Question {
  readonly chosen: readonly StoredColumn[];
  /** Columns that identify an observation. */
  readonly entities: readonly StoredColumn[];
  /** `FROM … WHERE …` with one row per event: the tuple `x` has the version, and 1 if it added the row or -1. */
  readonly events: string;
  readonly values: BoundValues;
}

const questionOf = (
  database: string,
  { groups }: History,
  common: readonly StoredColumn[],
  { filter, select }: RevisionsWanted,
): Question => {
  const chosen = chosenColumns({ select, distinct: false }, common);
  const condition = filter === undefined ? undefined : compileFilter(filter, filterColumnsOf(common));
  const parts =
    groups.length === 0
      ? [noRows(common)]
      : groups.map((group, at) => groupRows(database, group, common, at));
  const all = common.map((column) => `v_${storageName(column)} AS ${storageName(column)}`).join(', ');
  return {
    chosen,
    entities: chosen.filter(({ isEntity }) => isEntity),
    events: `FROM (SELECT ${all}, p, f, u FROM (${parts.map(({ sql }) => sql).join('\nUNION ALL ')}))
          ARRAY JOIN arrayFilter(y -> y.1 != 0, [(f, 1), (u, -1)]) AS x
          WHERE ${condition === undefined ? 'true' : `(${condition.sql})`}`,
    values: { ...Object.assign({}, ...parts.map(({ values }) => values)), ...condition?.params },
  };
};

const hashSql = (some: readonly StoredColumn[], columns: readonly StoredColumn[]): string =>
  hashOf(
    some.map(({ id }) => id),
    columns,
    commonTypes(columns),
  );

/** Size of the cache by statement: rows of a segment never change. */
const cachedStatements = 10_000;

/** True if no version has several rows with the same key that match the filter. */
const isKeyUnique = async (
  reader: Reader,
  cache: Cache<boolean>,
  { chosen, entities, events, values }: Question,
  { groups }: History,
  context: ReadContext & { readonly isHeavy: boolean },
): Promise<boolean> => {
  if (entities.length === 0 || groups.length === 0) return true;
  const sql = `SELECT toFloat64(max(n)) AS most FROM (
        SELECT sum(net) OVER (PARTITION BY k ORDER BY v) AS n FROM (
          SELECT ${hashSql(entities, chosen)} AS k, x.1 AS v, sum(x.2) AS net ${events} GROUP BY k, v))
      FORMAT JSONEachRow`;
  const statement = createHash('sha256')
    .update(JSON.stringify([sql, values]))
    .digest('base64');
  const cached = cache.get(statement);
  if (cached !== undefined) return cached;
  const [found] = await reader.queryObjects<{ most: number }>({
    sql,
    values,
    place: serverOf(...groups),
    ...context,
    queryId: `${context.queryId}-key`,
  });
  const isUnique = (found?.most ?? 0) < 2;
  cache.set(statement, isUnique);
  return isUnique;
};

const changes = (
  { chosen, entities, events, values }: Question,
  keys: readonly StoredColumn[],
  { versions }: History,
  { vintage, top }: RevisionsWanted,
): Answer => {
  const names = chosen.map(storageName);
  const row = hashSql(chosen, chosen);
  const key = keys.length === 0 ? row : hashSql(keys, chosen);
  // Keeps rows of one observation together; without a key, entity columns and versions decide the order.
  const together = keys.length === entities.length ? 'k, ' : '';
  const taken = new Set(chosen.map(({ name }) => name));
  const own = (name: string, sql: string): OutputColumn => ({
    name: freeName(name, taken),
    sql,
    physical: 's',
  });
  const list = names.map((name) => `${name}, `).join('');
  return {
    output: [
      ...chosen.map(({ name, physical }, at) => ({ name, sql: names[at]!, physical })),
      own('versionId', 'toString(v)'),
      own('publishedAt', "transform(v, {versions:Array(UInt64)}, {times:Array(String)}, '')"),
      own('change', "multiIf(net < 0, 'removed', lost > 0, 'changed', 'added')"),
    ],
    from: `FROM (
      SELECT ${list}v, net, place, k, countIf(net < 0) OVER (PARTITION BY k, v) AS lost, ${shownRows[vintage].facts}
      FROM (
        SELECT k, h, v, sum(w) AS net, min(p) AS place${names.map((name) => `, any(e_${name}) AS ${name}`).join('')}
        FROM (
          SELECT ${key} AS k, ${row} AS h, p, x.1 AS v, x.2 AS w${names.map((name) => `, ${name} AS e_${name}`).join('')}
          ${events})
        GROUP BY k, h, v HAVING net != 0))
    WHERE ${shownRows[vintage].where}
    ORDER BY ${entities.map((column) => `${storageName(column)} ASC NULLS LAST, `).join('')}${together}v, net DESC, place${
      top === undefined ? '' : ` LIMIT ${top}`
    }`,
    values: {
      ...values,
      versions: versions.map(({ id }) => id),
      times: versions.map(({ validFrom }) => validFrom.toISOString()),
    },
  };
};

export const createRevisions = ({ sql, versions, reader }: RevisionsOptions): Revisions => {
  const cache = createCache<boolean>({ limit: cachedStatements, weigh: () => 1 });
  return {
    async open(wanted) {
      const { datasetId, currentVersionId, asOf, format, requestId, signal } = wanted;
      const { columns } = await versions.find({ datasetId, currentVersionId });
      const history = await readHistory(sql, versions, datasetId, asOf);
      const rowCount = history.groups.reduce((sum, group) => sum + group.rowCount, 0);
      const context = {
        queryId: `${requestId}-revisions-${randomUUID().slice(0, 8)}`,
        requestId,
        signal,
        isHeavy: isMany(rowCount),
        owner: ownerOfMany(rowCount, wanted.owner),
      };
      const common = await commonColumns(reader, history.groups, columns, context);
      const question = questionOf(reader.database, history, common, wanted);
      const matched = matchedBy(
        question.entities,
        await isKeyUnique(reader, cache, question, history, context),
      );
      const { output, from, values } = changes(question, matched.keys, history, wanted);
      const { select, frame } = formats[format];
      const bytes = await reader.open({
        ...select.rows(output, from, { decimals: 'number', quote: 'all' }),
        values,
        place: serverOf(...history.groups),
        ...context,
      });
      return { body: endingWith(frame.rows(bytes, output), bytes), ...matched };
    },
  };
};
