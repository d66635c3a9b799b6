import type { SeriesAnswer } from '../series-answer.js';

/** Columns of a dataset made of series. */
export const seriesColumns = [
  { name: 'Date', dataType: 'Date', isEntity: true },
  { name: 'Series', dataType: 'String', isEntity: true },
  { name: 'Value', dataType: 'Decimal', isEntity: false },
] as const;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Series after series, oldest first; the values with the digits of the upstream. The same data is the same text. */
export const seriesCsv = (series: readonly Pick<SeriesAnswer, 'seriesId' | 'data'>[]): Buffer => {
  const lines = series.flatMap(({ seriesId, data }) => {
    const name = quoted(seriesId);
    return data.map(({ date, value }) => `${date},${name},${value ?? ''}\n`);
  });
  return Buffer.from([`${seriesColumns.map(({ name }) => name).join(',')}\n`, ...lines].join(''));
};
