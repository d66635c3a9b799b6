import type { Column, DatasetDetail } from '../../lib/types.js';
import { holdsYears } from '../../lib/years.js';

/** The query of a chart, stored in the URL. */
export interface Question {
  readonly kind: 'line' | 'bar' | 'scatter';
  /** Column of the horizontal axis. */
  readonly rows: string;
  /** Period by which dates are grouped. */
  readonly period: Period;
  /** Columns whose values define the series. */
  readonly columns: readonly string[];
  readonly measures: readonly Measure[];
  /** Keys of the series to show; undefined for the first few. Old links have their names. */
  readonly series: readonly string[] | undefined;
  readonly isLog: boolean;
  readonly filter: string;
  /** First and last row to show; undefined if not limited. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface Measure {
  readonly method: Method;
  /** Empty for `count`. */
  readonly column: string;
}

export const periods = ['each', 'week', 'month', 'quarter', 'year'] as const;
type Period = (typeof periods)[number];
export const methods = [
  'average',
  'sum',
  'min',
  'max',
  'median',
  'first',
  'last',
  'countdistinct',
  'count',
] as const;
export type Method = (typeof methods)[number];
export const kinds = ['line', 'bar', 'scatter'] as const;

const oneOf = <T extends string>(values: readonly T[], text: string | null | undefined): T | undefined =>
  values.find((value) => value === text);

const typeOf = (columns: readonly Column[], of: string): Column['dataType'] | undefined =>
  columns.find(({ name }) => name === of)?.dataType;

/** Validates an end of the range from the URL. */
const rowIn = (text: string | null, type: Column['dataType'] | undefined): string | undefined => {
  const form = type === 'Date' ? /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d:\d\d(\.\d+)?)?$/ : /^-?\d+(\.\d+)?$/;
  return text !== null && form.test(text) ? text : undefined;
};

const list = (text: string | null): readonly string[] | undefined => {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Methods that return a number for columns of every type. */
const countsAnything = (method: Method): boolean => method === 'count' || method === 'countdistinct';

export const fits = ({ method, column }: Measure, columns: readonly Column[]): boolean =>
  method === 'count' ||
  columns.some(({ name, dataType }) => name === column && (dataType === 'Decimal' || countsAnything(method)));

/** The default chart: a time series as a line, other data as bars. */
export const firstQuestion = ({ columns }: Pick<DatasetDetail, 'columns'>): Question => {
  const date = columns.find(({ dataType }) => dataType === 'Date') ?? columns.find(holdsYears);
  const entities = columns.filter(({ dataType, isEntity }) => isEntity && dataType !== 'Date');
  const texts = columns.filter(({ dataType }) => dataType === 'String');
  const value =
    columns.find((column) => column.dataType === 'Decimal' && !column.isEntity && column !== date) ??
    columns.find((column) => column.dataType === 'Decimal' && column !== date);
  const rows = date ?? entities[0] ?? texts[0] ?? columns[0];
  const series = (date === undefined ? [] : entities.length > 0 ? entities : texts).slice(0, 2);
  // With one row per point, the sum is the exact value.
  const isWhole = date !== undefined && series.length === entities.length;
  return {
    kind: date === undefined ? 'bar' : 'line',
    rows: rows?.name ?? '',
    period: 'each',
    columns: series.map(({ name }) => name),
    measures: [
      value === undefined
        ? { method: 'count', column: '' }
        : { method: isWhole ? 'sum' : 'average', column: value.name },
    ],
    series: undefined,
    isLog: false,
    filter: '',
    from: undefined,
    to: undefined,
  };
};

/** Reads the question from the URL; defaults to the first chart. Ignores unknown columns. */
export const readQuestion = (query: URLSearchParams, dataset: DatasetDetail): Question => {
  const first = firstQuestion(dataset);
  const has = (name: string): boolean => dataset.columns.some((column) => column.name === name);
  const asked = query.get('rows');
  const rows = asked !== null && has(asked) ? asked : first.rows;
  const rowsType = typeOf(dataset.columns, rows);
  const measures = list(query.get('measures'))
    ?.map((text): Measure => {
      const [method = '', ...column] = text.split(':');
      return { method: oneOf(methods, method) ?? 'count', column: column.join(':') };
    })
    .filter((measure) => fits(measure, dataset.columns));
  return {
    kind: oneOf(kinds, query.get('chart')) ?? first.kind,
    rows,
    period: oneOf(periods, query.get('by')) ?? first.period,
    columns: list(query.get('columns'))?.filter(has) ?? first.columns,
    measures: measures === undefined || measures.length === 0 ? first.measures : measures,
    series: list(query.get('series')),
    isLog: query.get('log') === '1',
    filter: query.get('$filter') ?? '',
    from: rowIn(query.get('from'), rowsType),
    to: rowIn(query.get('to'), rowsType),
  };
};

/** Query parameters of a question. */
export const writeQuestion = (question: Question): Record<string, string | undefined> => ({
  chart: question.kind,
  rows: question.rows,
  by: question.period === 'each' ? undefined : question.period,
  columns: JSON.stringify(question.columns),
  measures: JSON.stringify(question.measures.map(({ method, column }) => `${method}:${column}`)),
  series: question.series === undefined ? undefined : JSON.stringify(question.series),
  log: question.isLog ? '1' : undefined,
  $filter: question.filter === '' ? undefined : question.filter,
  from: question.from,
  to: question.to,
});

const named = (name: string): string => `[${name.replaceAll(']', ']]')}]`;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const measureName = ({ method, column }: Measure): string =>
  method === 'count' ? 'count' : `${method} of ${column}`;

const aggregation = (measure: Measure): string =>
  measure.method === 'count'
    ? `$count as ${named('count')}`
    : `${named(measure.column)} with ${measure.method} as ${named(measureName(measure))}`;

/** The expression that groups the rows, and its name in the result. */
const key = ({ rows, period }: Question, columns: readonly Column[]): { text: string; name: string } => {
  if (period === 'each' || typeOf(columns, rows) !== 'Date') return { text: named(rows), name: named(rows) };
  const name = named(`${rows} by ${period}`);
  return { text: `startof${period}(${named(rows)}) as ${name}`, name };
};

/** True if the range can be limited: names have no order, and the points of a scatter chart have no order of rows. */
export const hasSpan = ({ kind, rows }: Question, columns: readonly Column[]): boolean =>
  kind !== 'scatter' && typeOf(columns, rows) !== 'String';

/** Step after `chartApply` that removes rows outside of the range. */
export const spanStep = (question: Question, columns: readonly Column[]): string => {
  if (!hasSpan(question, columns)) return '';
  const { name } = key(question, columns);
  const { from, to } = question;
  const conditions = [
    ...(from === undefined ? [] : [`${name} ge ${from}`]),
    ...(to === undefined ? [] : [`${name} le ${to}`]),
  ];
  return conditions.length === 0 ? '' : `/filter(${conditions.join(' and ')})`;
};

/** Without the column of the rows, which is a key already. */
const seriesColumns = ({ rows, columns }: Question): readonly string[] =>
  columns.filter((name) => name !== rows);

export const seriesName = (values: readonly string[]): string => values.join(' · ');

/** Identifies a series. Several values may be joined to the name of another series. */
export const seriesKey = (values: readonly string[]): string =>
  values.length < 2 ? (values[0] ?? '') : JSON.stringify(values);

const literal = (value: string, type: Column['dataType'] | undefined): string => {
  if (value === '') return 'null';
  return type === 'String' ? quoted(value) : value;
};

const chosenOnly = (
  question: Question,
  columns: readonly Column[],
  chosen: readonly (readonly string[])[],
): string[] => {
  const names = seriesColumns(question);
  if (names.length === 0) return [];
  const one = (values: readonly string[]): string =>
    names
      .map((name, at) => {
        return `${named(name)} eq ${literal(values[at] ?? '', typeOf(columns, name))}`;
      })
      .join(' and ');
  return [chosen.map((values) => `(${one(values)})`).join(' or ')];
};

/** A series of the list to choose from. */
export interface Series {
  readonly key: string;
  readonly name: string;
  /** Values of its columns. */
  readonly values: readonly string[];
}

/** Keys of the series to show. */
export const shownOf = ({ series }: Question, all: readonly Series[], most: number): readonly string[] => {
  if (series === undefined) return all.slice(0, most).map(({ key }) => key);
  const keys = new Set(all.map(({ key }) => key));
  const found = series.flatMap((one) =>
    keys.has(one) ? [one] : all.filter(({ name }) => name === one).map(({ key }) => key),
  );
  return [...new Set(found)];
};

/** Most series in the list to choose from. */
export const seriesListed = 200;

/** Pipeline that lists the series, most rows first. */
export const seriesApply = (question: Question): string | undefined => {
  const names = seriesColumns(question);
  if (names.length === 0) return undefined;
  const filter = question.filter === '' ? '' : `filter(${question.filter})/`;
  const keys = names.map(named);
  return `${filter}groupby((${keys}),aggregate($count as ${named('rows of it')}))/orderby(${named('rows of it')} desc,${keys})/top(${seriesListed})`;
};

/** Pipeline that returns the rows, the columns of the series and the measures. */
export const chartApply = (
  question: Question,
  columns: readonly Column[],
  chosen: readonly (readonly string[])[],
): string => {
  const conditions = [
    ...(question.filter === '' ? [] : [`(${question.filter})`]),
    ...(chosen.length === 0 ? [] : chosenOnly(question, columns, chosen).map((text) => `(${text})`)),
  ];
  const filter = conditions.length === 0 ? '' : `filter(${conditions.join(' and ')})/`;
  const keys = [key(question, columns).text, ...seriesColumns(question).map(named)];
  const measures = [...new Set(question.measures.map(aggregation))];
  return `${filter}groupby((${keys.join(',')}),aggregate(${measures.join(',')}))`;
};

export const seriesWidth = (question: Question): number => seriesColumns(question).length;
