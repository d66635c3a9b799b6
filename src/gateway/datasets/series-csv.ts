import type { SeriesAnswer } from '../series-answer.js';

const columns = [
  { name: 'Date', dataType: 'Date', isEntity: true },
  { name: 'Series', dataType: 'String', isEntity: true },
  { name: 'Value', dataType: 'Decimal', isEntity: false },
] as const;
const flagColumn = { name: 'Flag', dataType: 'String', isEntity: false } as const;

/** Columns of a dataset made of series. */
export const seriesColumns = (withFlags: boolean) => (withFlags ? [...columns, flagColumn] : columns);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Series after series, oldest first; the values with the digits of the upstream. The same data is the same text. */
export const seriesCsv = (
  series: readonly Pick<SeriesAnswer, 'seriesId' | 'data'>[],
  withFlags: boolean,
): Buffer => {
  const lines = series.flatMap(({ seriesId, data }) => {
    const name = quoted(seriesId);
    return data.map(({ date, value, flag }) => {
      const end = withFlags ? `,${flag === undefined ? '' : quoted(flag)}` : '';
      return `${date},${name},${value ?? ''}${end}\n`;
    });
  });
  const head = seriesColumns(withFlags).map(({ name }) => name);
  return Buffer.from([`${head.join(',')}\n`, ...lines].join(''));
};
