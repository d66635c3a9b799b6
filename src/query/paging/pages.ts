/**
 * Pages of an answer. A page reads its own rows from a position on, and the position of the row after them; it never
 * reads the rows of previous pages again.
 */
import { invalid } from '../../lib/errors.js';
import { before, behind, rowOrder, type Seeker, serverOf } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { Plan } from '../plan.js';
import type { ReadContext } from '../read-context.js';
import { buildTail } from '../statement.js';
import { badToken, type PageStart, type PageToken } from './page-token.js';

/** Limits the nesting of the page condition, which compares each column of the order with the first row of the page. */
const maxOrderTerms = 50;

/** Rows on previous pages. */
const givenBefore = (token: PageToken | undefined): number => token?.given ?? 0;

/** Row limit of the page; undefined if there is none. */
const pageRows = ({ options, token }: Plan): number | undefined => {
  const left = options.top === undefined ? Infinity : Math.max(0, options.top - givenBefore(token));
  const rows = Math.min(left, options.pageSize ?? Infinity);
  return Number.isFinite(rows) ? rows : undefined;
};

/** True if each row of the answer is exactly one row of the version. */
const isOfRows = ({ options, keepsRows }: Plan): boolean => keepsRows && !options.distinct;

/** Adds a condition on row positions. */
const within = (plan: Plan, { sql, values }: ReturnType<typeof before>, isConsecutive: boolean): Plan => ({
  ...plan,
  answerRows: {
    ...plan.answerRows,
    sql: `${plan.answerRows.sql}\nAND ${sql}`,
    values: { ...plan.answerRows.values, ...values },
    complete: false,
    isConsecutive,
  },
});

/** Rows from a position on, without the first `skip` of them. */
const startingAt = (plan: Plan, position: string, skip: number | undefined): Plan => {
  if (plan.order.length > maxOrderTerms)
    throw invalid('too_complex', `Pages have at most ${maxOrderTerms} columns in $orderby.`, {
      limit: maxOrderTerms,
    });
  const page = within(plan, behind(plan.allRows, position, plan.order), plan.answerRows.complete);
  return { ...page, options: { ...plan.options, skip } };
};

/** @throws AppError `invalid` if the token belongs to another question */
export const requireSameQuestion = (plan: Plan, token: PageToken): void => {
  if (token.question === plan.question) return;
  throw badToken('belongs to another query: the version, column names or options have changed since');
};

const atToken = (plan: Plan, { start }: PageToken): Plan =>
  start.kind === 'offset'
    ? { ...plan, options: { ...plan.options, skip: start.rows } }
    : startingAt(plan, start.position, undefined);

/** Replaces `$skip` and `$top` by row positions from the index, so that ClickHouse reads only the rows between them. */
const withPositions = async (seeker: Seeker, plan: Plan, context: ReadContext): Promise<Plan> => {
  const { answerRows, order, options, version } = plan;
  const { skip, top, pageSize, transpose } = options;
  if (!answerRows.complete || order.length > 0 || options.distinct) return plan;
  const row = skip === undefined ? undefined : await seeker.find(version, skip, context);
  const page = row === undefined ? plan : startingAt(plan, row.position, skip! - row.before);
  // Finding the next page needs the row after this one.
  if (top === undefined || pageSize !== undefined || transpose) return page;
  const end = await seeker.end(version, (skip ?? 0) + top, context);
  return end === undefined ? page : within(page, before(end), true);
};

const limited = (page: Plan, plan: Plan): Plan => ({
  ...page,
  options: { ...page.options, top: pageRows(plan) },
});

/** The plan of the requested page, or of all rows. */
export const pageOf = async (seeker: Seeker, plan: Plan, context: ReadContext): Promise<Plan> => {
  const { token } = plan;
  return limited(
    token === undefined ? await withPositions(seeker, plan, context) : atToken(plan, token),
    plan,
  );
};

/** Like `pageOf`, but without a query, for a plan without `$skip`. */
export const pageAt = (plan: Plan): Plan =>
  limited(plan.token === undefined ? plan : atToken(plan, plan.token), plan);

/** Start of the next page; undefined if this is the last one. */
export const nextPage = async (
  reader: Reader,
  plan: Plan,
  page: Plan,
  context: ReadContext,
): Promise<PageToken | undefined> => {
  const { pageSize, top } = plan.options;
  if (pageSize === undefined) return undefined;
  const given = givenBefore(plan.token) + pageSize;
  if (top !== undefined && given >= top) return undefined;
  const skip = (page.options.skip ?? 0) + pageSize;
  const tail = buildTail({ top: 1, skip, distinct: page.options.distinct }, page.order, page.chosen);
  const [row] = await reader.queryObjects<{ position: string }>({
    sql: `SELECT toString(${rowOrder}) AS position ${page.answerRows.sql}\n${tail} FORMAT JSONEachRow`,
    values: page.answerRows.values,
    place: serverOf(plan.version),
    ...context,
  });
  if (row === undefined) return undefined;
  const start: PageStart = isOfRows(plan)
    ? { kind: 'row', position: row.position }
    : { kind: 'offset', rows: skip };
  return {
    datasetId: plan.version.datasetId,
    versionId: plan.version.versionId,
    question: plan.question,
    given,
    start,
  };
};
