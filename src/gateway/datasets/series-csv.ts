import type { Observation, PanelData } from '../../providers/provider.js';
import type { SeriesAnswer } from '../series-answer.js';
import type { WantedSeries } from './wanted-series.js';

export interface SeriesColumn {
  readonly name: string;
  readonly dataType: 'Date' | 'String' | 'Decimal';
  readonly isEntity: boolean;
}

const dateColumn: SeriesColumn = { name: 'Date', dataType: 'Date', isEntity: true };
const valueColumn: SeriesColumn = { name: 'Value', dataType: 'Decimal', isEntity: false };
const flagColumn: SeriesColumn = { name: 'Flag', dataType: 'String', isEntity: false };

const withValue = (entities: readonly SeriesColumn[], withFlags: boolean): readonly SeriesColumn[] => [
  dateColumn,
  ...entities,
  valueColumn,
  ...(withFlags ? [flagColumn] : []),
];

/** Columns of a dataset made of series. */
export const seriesColumns = (withFlags: boolean): readonly SeriesColumn[] =>
  withValue([{ name: 'Series', dataType: 'String', isEntity: true }], withFlags);

/** Names of the other columns; a dimension with such a name is renamed. */
const taken = new Set(['date', 'value', 'flag']);

/** Columns of a dataset made of a panel: code and label of each open dimension. */
export const panelColumns = (
  { dimensions }: Pick<PanelData, 'dimensions'>,
  withFlags: boolean,
): readonly SeriesColumn[] => {
  const columns = dimensions.flatMap(({ id }): SeriesColumn[] => {
    const name = taken.has(id.toLowerCase()) ? `${id}_code` : id;
    return [
      { name, dataType: 'String', isEntity: true },
      { name: `${id}_label`, dataType: 'String', isEntity: false },
    ];
  });
  return withValue(columns, withFlags);
};

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const quotedIfNeeded = (name: string): string => (/^\w+$/.test(name) ? name : quoted(name));

const csvOf = (columns: readonly SeriesColumn[], lines: readonly string[]): Buffer =>
  Buffer.from([`${columns.map(({ name }) => quotedIfNeeded(name)).join(',')}\n`, ...lines].join(''));

const lineOf = ({ date, value, flag }: Observation, entities: string, withFlags: boolean): string => {
  const end = withFlags ? `,${flag === undefined ? '' : quoted(flag)}` : '';
  return `${date},${entities},${value ?? ''}${end}\n`;
};

/** Series by series, oldest first, with the digits of the upstream. Equal data always gives the same text. */
export const seriesCsv = (
  series: readonly (Pick<WantedSeries, 'name'> & Pick<SeriesAnswer, 'data'>)[],
  withFlags: boolean,
): Buffer => {
  const lines = series.flatMap(({ name, data }) =>
    data.map((observation) => lineOf(observation, quoted(name), withFlags)),
  );
  return csvOf(seriesColumns(withFlags), lines);
};

/** The same for a panel. Series are sorted by their codes, so that another order from the upstream is not a change. */
export const panelCsv = (panel: PanelData, withFlags: boolean): Buffer => {
  const keyOf = ({ codes }: { readonly codes: readonly string[] }): string => JSON.stringify(codes);
  const lines = panel.series
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .flatMap(({ codes, labels, data }) => {
      const entities = codes.map((code, place) => `${quoted(code)},${quoted(labels[place] ?? '')}`).join(',');
      return data.map((observation) => lineOf(observation, entities, withFlags));
    });
  return csvOf(panelColumns(panel, withFlags), lines);
};
