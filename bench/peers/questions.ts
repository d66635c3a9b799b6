/** Queries run in every database; each turn differs slightly, so that no result comes from a cache. */

/** Form of a result: a few values, or a file. */
export type AnswerForm = 'values' | 'csv' | 'json';

export interface Question {
  readonly title: string;
  readonly form: AnswerForm;
  /** Query string of the download. */
  readonly options: (turn: number) => string;
  /** The same in SQL over the table `peers`. */
  readonly sql: (turn: number) => string;
}

const encode = (text: string): string => encodeURIComponent(text);

export const questions: readonly Question[] = [
  {
    title: 'count with a filter',
    form: 'values',
    options: (turn) => `$count=true&$filter=${encode(`value gt 990000.${turn}`)}`,
    sql: (turn) => `SELECT count(*) AS n FROM peers WHERE value > 990000.${turn}`,
  },
  {
    title: 'top 10, ordered',
    form: 'values',
    options: (turn) => `$format=json&$orderby=${encode('value desc')}&$top=10&$skip=${turn}`,
    sql: (turn) => `SELECT * FROM peers ORDER BY value DESC LIMIT 10 OFFSET ${turn}`,
  },
  {
    title: 'first 1,000 rows',
    form: 'values',
    options: (turn) => `$format=json&$top=1000&$skip=${turn}`,
    sql: (turn) => `SELECT * FROM peers LIMIT 1000 OFFSET ${turn}`,
  },
  {
    title: 'filter on text and number, as CSV',
    form: 'csv',
    options: (turn) => `$filter=${encode(`country eq 'France' and value gt 500000.${turn}`)}`,
    sql: (turn) => `SELECT * FROM peers WHERE country = 'France' AND value > 500000.${turn}`,
  },
  {
    title: 'count of texts that contain a word',
    form: 'values',
    options: (turn) =>
      `$count=true&$filter=${encode(`contains(indicator, 'price') and value gt 10.${turn}`)}`,
    sql: (turn) => `SELECT count(*) AS n FROM peers WHERE indicator LIKE '%price%' AND value > 10.${turn}`,
  },
  {
    title: 'group by text, sum',
    form: 'values',
    options: (turn) =>
      `$format=json&$apply=${encode(`groupby((country),aggregate(share with sum as s${turn}))`)}`,
    sql: (turn) => `SELECT country, sum(share) AS s${turn} FROM peers GROUP BY country`,
  },
  {
    title: 'all rows as CSV',
    form: 'csv',
    options: () => '$skip=0',
    sql: () => 'SELECT * FROM peers',
  },
  {
    title: 'all rows as JSON',
    form: 'json',
    options: () => '$format=json',
    sql: () => 'SELECT * FROM peers',
  },
];
