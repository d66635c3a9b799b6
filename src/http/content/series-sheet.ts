import type { DescribedSeries } from '../../model/described-series.js';
import type { Sheet } from '../../query/formats/format.js';

const header = [
  'Series',
  'Provider',
  'Parameters',
  'Label',
  'Unit',
  'Unit multiplier',
  'Source',
  'License',
  'Attribution',
  'Flags',
];

/** A series as its provider describes it; some flags have no meaning. */
type SheetSeries = Omit<DescribedSeries, 'flags'> & {
  readonly flags: Readonly<Record<string, string | null>>;
};

const listed = (entries: Readonly<Record<string, string | number | null>>, between: string): string | null =>
  Object.entries(entries)
    .map(([name, value]) => (value === null ? name : `${name}${between}${value}`))
    .join('; ') || null;

/** Sheet that describes the series of the rows; undefined if the rows are not of a series. */
export const seriesSheet = (series: readonly SheetSeries[]): Sheet | undefined =>
  series.length === 0
    ? undefined
    : {
        name: 'Series',
        header,
        rows: series.map((one) => [
          one.name,
          one.provider,
          listed(one.params, '='),
          one.label,
          one.unit,
          one.unitMultiplier === null ? null : String(one.unitMultiplier),
          one.source,
          one.license,
          one.attribution,
          listed(one.flags, ': '),
        ]),
      };
