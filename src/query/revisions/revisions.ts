/**
 * Every value that an observation ever had, with the version that brought it.
 *
 * A segment comes with one version and goes with another: its rows are events of these two. Rows that come and go with
 * the same version, because a file was uploaded again, cancel each other. What is left of a version is what it changed.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
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
 * Which values of an observation: all that it had, what it was when it was first published, or what it is, with the version
 * that brought it.
 */
export const vintages = ['all', 'first', 'latest'] as const;
type Vintage = (typeof vintages)[number];

/** Facts about the other events of an observation. */
const broughtSql = 'countIf(net > 0) OVER (PARTITION BY k, v) AS brought';
const firstSql = 'min(v) OVER (PARTITION BY k) AS first';
const lastSql =
  'sum(net) OVER (PARTITION BY k, h) AS there, maxIf(v, net > 0) OVER (PARTITION BY k, h) AS last';

/** Conditions on rows that came (`net > 0`) or went with the version `v`, and the facts that they need. */
const shownRows: Readonly<Record<Vintage, { readonly facts: string; readonly where: string }>> = {
  all: { facts: broughtSql, where: '(net > 0 OR brought = 0)' },
  first: { facts: `${broughtSql}, ${firstSql}`, where: '(net > 0 OR brought = 0) AND v = first' },
  latest: { facts: lastSql, where: 'net > 0 AND there > 0 AND v = last' },
};

interface RevisionsWanted {
  readonly datasetId: number;
  readonly currentVersionId: number | null;
  readonly vintage: Vintage;
  /** Only what the versions said that were current until then; undefined: until now. */
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
   * The columns of the dataset, and `versionId`, `publishedAt` and `change` (added, changed, removed). In the order of
   * the entity columns, then of versions.
   * @throws AppError
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
  /** `FROM …` and everything behind it. */
  readonly from: string;
  readonly values: BoundValues;
}

interface Statement {
  readonly sql: string;
  readonly values: BoundValues;
}

/** Rows of a group, each as often as there are ranges of its segment: `f` the version it came with, `u` it went with. */
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

/** Statement for a dataset whose files had only headers. */
const noRows = (columns: readonly StoredColumn[]): Statement => {
  const values = columns.map(
    (column) => `CAST(NULL, 'Nullable(${clickHouseType(column.physical)})') AS v_${storageName(column)}, `,
  );
  const zeros = ['p', 'f', 'u'].map((name) => `toUInt64(0) AS ${name}`);
  return { sql: `SELECT ${values.join('')}${zeros.join(', ')} WHERE 0`, values: {} };
};

/** The columns to read, and those that identify an observation. */
interface Question {
  readonly chosen: readonly StoredColumn[];
  readonly entities: readonly StoredColumn[];
  /** `FROM … WHERE …`: each row as often as a version brought or took it: `v`, and `w`, which is 1 or -1. */
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

/** Answers that are remembered by their statement: rows of a segment never change. */
const rememberedKeys = 10_000;

/** Whether no version has several rows of one key, among those that the filter leaves. */
const isKeyUnique = async (
  reader: Reader,
  known: Cache<boolean>,
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
  const remembered = known.get(statement);
  if (remembered !== undefined) return remembered;
  const [found] = await reader.queryObjects<{ most: number }>({
    sql,
    values,
    place: serverOf(...groups),
    ...context,
    queryId: `${context.queryId}-key`,
  });
  const isUnique = (found?.most ?? 0) < 2;
  known.set(statement, isUnique);
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
  // Rows of one observation follow each other; without a key the entity columns and the versions order them.
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
  const known = createCache<boolean>({ limit: rememberedKeys, weigh: () => 1 });
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
        await isKeyUnique(reader, known, question, history, context),
      );
      const { output, from, values } = changes(question, matched.keys, history, wanted);
      const { select, frame } = formats[format];
      const bytes = await reader.open({
        ...select.rows(output, from, { decimals: 'number', quote: 'all' }),
        values,
        place: serverOf(...history.groups),
        ...context,
      });
      return { body: frame.rows(bytes, output), ...matched };
    },
  };
};
