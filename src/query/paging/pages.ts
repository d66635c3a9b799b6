/**
 * Pages of an answer: rows from a position on, and the position of the next page. A page reads its own rows and the position of the
 * row behind them; what the pages before it held is never read again.
 */
import { invalid } from '../../lib/errors.js';
import { before, behind, rowOrder, type Seeker, serverOf } from '../../rows/index.js';
import type { Reader } from '../../storage/clickhouse/reader.js';
import type { Plan } from '../plan.js';
import type { ReadContext } from '../read-context.js';
import { buildTail } from '../statement.js';
import { badToken, type PageStart, type PageToken } from './page-token.js';

/** Each column of the order is a level of the condition, and is compared with the first row of the page. */
const mostTerms = 50;

/** Rows of the answer that come before a page. */
const givenBefore = (token: PageToken | undefined): number => token?.given ?? 0;

/** Most rows of the page; undefined: all that are left. */
const pageRows = ({ options, token }: Plan): number | undefined => {
  const left = options.top === undefined ? Infinity : Math.max(0, options.top - givenBefore(token));
  const rows = Math.min(left, options.pageSize ?? Infinity);
  return Number.isFinite(rows) ? rows : undefined;
};

/** True where a row of the answer is one of the version, and no other row can take its place. */
const isOfRows = ({ options, keepsRows }: Plan): boolean => keepsRows && !options.distinct;

/** The plan with a condition on the positions of its rows. */
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

/** The rows from a position on, without the first `skip` of them. */
const startingAt = (plan: Plan, position: string, skip: number | undefined): Plan => {
  if (plan.order.length > mostTerms)
    throw invalid('too_complex', `Pages have at most ${mostTerms} columns in $orderby.`, {
      limit: mostTerms,
    });
  const page = within(plan, behind(plan.allRows, position, plan.order), plan.answerRows.complete);
  return { ...page, options: { ...plan.options, skip } };
};

/** @throws AppError `invalid` for the token of another question. */
export const requireSameQuestion = (plan: Plan, token: PageToken): void => {
  if (token.question === plan.question) return;
  throw badToken('belongs to another query: the version, column names or options have changed since');
};

/** The plan of one page. */
const atToken = (plan: Plan, { start }: PageToken): Plan =>
  start.kind === 'offset'
    ? { ...plan, options: { ...plan.options, skip: start.rows } }
    : startingAt(plan, start.position, undefined);

/** Rows of an answer from a number on begin where the index says, not at the first row, and those up to a number end there. */
const sought = async (seeker: Seeker, plan: Plan, context: ReadContext): Promise<Plan> => {
  const { answerRows, order, options, version } = plan;
  const { skip, top, pageSize, transpose } = options;
  if (!answerRows.complete || order.length > 0 || options.distinct) return plan;
  const row = skip === undefined ? undefined : await seeker.find(version, skip, context);
  const page = row === undefined ? plan : startingAt(plan, row.position, skip! - row.before);
  // The start of the next page is the row behind this one.
  if (top === undefined || pageSize !== undefined || transpose) return page;
  const end = await seeker.end(version, (skip ?? 0) + top, context);
  return end === undefined ? page : within(page, before(end), true);
};

const limited = (page: Plan, plan: Plan): Plan => ({
  ...page,
  options: { ...page.options, top: pageRows(plan) },
});

/** The rows that are answered: those of the page, or all. */
export const pageOf = async (seeker: Seeker, plan: Plan, context: ReadContext): Promise<Plan> => {
  const { token } = plan;
  return limited(token === undefined ? await sought(seeker, plan, context) : atToken(plan, token), plan);
};

/** The same for a plan without `$skip`. */
export const pageAt = (plan: Plan): Plan =>
  limited(plan.token === undefined ? plan : atToken(plan, plan.token), plan);

/** Start of the next page; undefined: this is the last. */
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
