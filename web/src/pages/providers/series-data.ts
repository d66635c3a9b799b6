import type { Model } from '../chart/model.js';

export interface Observation {
  readonly date: string;
  /** With the digits of the provider; null: it has none. */
  readonly value: string | null;
  readonly flag?: string;
}

export interface SeriesData {
  readonly series_id: string;
  readonly label: string;
  readonly metadata: Readonly<Record<string, string | number | boolean | null>>;
  /** Oldest first. */
  readonly data: readonly Observation[];
  readonly is_preview: boolean;
  readonly api_key_required?: true;
  readonly has_api_key?: boolean;
  readonly api_key_hint?: string;
}

/**
 * Reads a series without touching a digit: parsed as JSON numbers, `0.30` would become 0.3. In JSON text the sign `"value":`
 * is always the name of a member, as quotes inside of texts are escaped.
 */
export const readSeries = (json: string): SeriesData =>
  JSON.parse(json.replace(/("value":)(-?[0-9][0-9.eE+-]*)/g, '$1"$2"')) as SeriesData;

const secondsOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1_000;

/** One line over time; observations without a value are gaps. */
export const modelOf = ({ label, data }: SeriesData, title: string): Model => ({
  axis: 'time',
  title,
  rows: data.map(({ date }) => date),
  places: data.map(({ date }) => secondsOf(date)),
  lines: [
    {
      name: label,
      color: 0,
      texts: data.map(({ value }) => value ?? ''),
      numbers: data.map(({ value }) => {
        const number = value === null ? Number.NaN : Number(value);
        return Number.isFinite(number) ? number : null;
      }),
    },
  ],
  isCut: false,
});

const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** As the API writes CSV; the notes of the provider are a column where there are any. */
export const csvOf = ({ data }: SeriesData): string => {
  const hasFlags = data.some(({ flag }) => flag !== undefined);
  const lines = data.map(({ date, value, flag }) =>
    [date, value ?? '', ...(hasFlags ? [field(flag ?? '')] : [])].join(','),
  );
  return `${['Date', 'Value', ...(hasFlags ? ['Note'] : [])].join(',')}\r\n${lines.map((line) => `${line}\r\n`).join('')}`;
};
