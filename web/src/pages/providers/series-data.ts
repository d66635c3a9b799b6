import { type Model, numberOf } from '../chart/model.js';

interface Observation {
  readonly date: string;
  /** With the digits of the provider; null if missing. */
  readonly value: string | null;
  readonly flag?: string;
}

/** An object is a legend: `{"p": "provisional"}`. */
type Fact = string | number | boolean | null | Readonly<Record<string, string>>;

export interface SeriesData {
  readonly series_id: string;
  readonly label: string;
  readonly metadata: Readonly<Record<string, Fact>>;
  /** Oldest first. */
  readonly data: readonly Observation[];
  readonly is_preview: boolean;
  readonly api_key_required?: true;
  readonly has_api_key?: boolean;
  readonly api_key_hint?: string;
}

/** A series, and its original JSON. */
export interface SeriesAnswer {
  readonly series: SeriesData;
  readonly json: string;
}

/**
 * Parses a series but keeps all digits: as a JSON number, `0.30` would become 0.3. `"value":` is always a member name in
 * JSON, because quotes inside strings are escaped.
 */
export const readSeries = (json: string): SeriesData =>
  JSON.parse(json.replace(/("value":)(-?[0-9][0-9.eE+-]*)/g, '$1"$2"')) as SeriesData;

const secondsOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1_000;

/** Name of each series in a chart: its label, with its id if labels are equal. */
export const namesOf = (list: readonly SeriesData[]): readonly string[] =>
  list.map(({ label, series_id }) =>
    list.some((other) => other.label === label && other.series_id !== series_id)
      ? `${label} (${series_id})`
      : label,
  );

/** A metadata entry as one line: `p: provisional; e: estimated`. */
export const textOf = (fact: Fact): string =>
  typeof fact === 'object' && fact !== null
    ? Object.entries(fact)
        .map(([name, text]) => `${name}: ${text}`)
        .join('; ')
    : String(fact ?? '');

export const unitOf = ({ metadata }: SeriesData): string => textOf(metadata.units ?? metadata.unit ?? '');

const valuesOn = ({ data }: SeriesData): ReadonlyMap<string, Observation> =>
  new Map(data.map((observation) => [observation.date, observation]));

const datesOf = (list: readonly SeriesData[]): readonly string[] =>
  [...new Set(list.flatMap(({ data }) => data.map(({ date }) => date)))].sort();

/**
 * One line per series over the days of all series. An observation without a value is a gap. Days that a series does not
 * have, because another one is more frequent, do not interrupt its line.
 */
export const modelOf = (list: readonly SeriesData[], title: string): Model => {
  const dates = datesOf(list);
  const names = namesOf(list);
  return {
    axis: 'time',
    title,
    rows: dates,
    places: dates.map(secondsOf),
    lines: list.map((series, color) => {
      const values = valuesOn(series);
      const texts = dates.map((date) => {
        const found = values.get(date);
        return found && (found.value ?? '');
      });
      return { key: series.series_id, name: names[color] ?? '', color, texts, numbers: texts.map(numberOf) };
    }),
    isCut: false,
  };
};

/** Flags of the observations of a series, by day. */
export const notesOf = ({ data }: SeriesData): ReadonlyMap<string, string> =>
  new Map(data.flatMap(({ date, flag }): [string, string][] => (flag === undefined ? [] : [[date, flag]])));

const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

interface Column {
  readonly name: string;
  /** Text of the cell of a day. */
  on(date: string): string;
}

const columnsOf = (series: SeriesData, name: string, noteName: string): readonly Column[] => {
  const [values, notes] = [valuesOn(series), notesOf(series)];
  const column = { name, on: (date: string) => values.get(date)?.value ?? '' };
  return notes.size === 0 ? [column] : [column, { name: noteName, on: (date) => notes.get(date) ?? '' }];
};

/**
 * CSV like that of the API, with a column of notes if there are any. Several series become several columns, named by id.
 */
export const csvOf = (list: readonly SeriesData[]): string => {
  const columns = list.flatMap((series) =>
    list.length === 1
      ? columnsOf(series, 'Value', 'Note')
      : columnsOf(series, series.series_id, `${series.series_id} note`),
  );
  const lines = [
    ['Date', ...columns.map(({ name }) => name)],
    ...datesOf(list).map((date) => [date, ...columns.map((column) => column.on(date))]),
  ];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
};
