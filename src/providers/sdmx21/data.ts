import { readCsv, requireWidth } from '../csv.js';
import { unexpectedReply } from '../errors.js';
import { maxListed } from '../listing.js';
import type { Named } from '../provider.js';
import { indexGroups } from '../sdmx/groups.js';
import { filled } from '../shape.js';
import { childNamed, childrenNamed, descendantsNamed, type XmlElement } from '../xml.js';

/** Rows as cells by column id: of the dimensions, the period, the value, and the attributes that are used. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** Columns after `TIME_PERIOD` that are read. A reply may have dozens, with long notes in every row. */
const readAfterPeriod: ReadonlySet<string> = new Set([
  'OBS_VALUE',
  'OBS_STATUS',
  'UNIT',
  'UNIT_MEASURE',
  'UNIT_MULT',
  'TITLE',
  'TITLE_COMPL',
  'COMPILATION',
  'SOURCE_REF',
  'FREQ',
  'FREQUENCY',
  'ADJUSTMENT',
  'SEASONAL_ADJUST',
]);

const beforeLabel = (text: string): string => {
  const colon = text.indexOf(': ');
  return colon === -1 ? text : text.slice(0, colon);
};

/** With `labels=both` header and cells are `CODE: Label`. */
const readHeader = (provider: Named, header: readonly string[]) => {
  // Only with labels: a plain id contains no space, so its cells may.
  const labelled = header.some((name) => name.includes(': '));
  const columns = header.map((name) => (labelled ? beforeLabel(name) : name).trim());
  const period = columns.indexOf('TIME_PERIOD');
  // So that an error page is not read as a series without observations.
  if (period < 0 || !columns.includes('OBS_VALUE')) {
    throw unexpectedReply(provider, 'it is not the CSV of SDMX, with TIME_PERIOD and OBS_VALUE');
  }
  const chosen = columns.flatMap((column, index) =>
    index <= period || readAfterPeriod.has(column)
      ? [{ column, index, labelled: labelled && column !== 'OBS_VALUE' && column !== 'TIME_PERIOD' }]
      : [],
  );
  return { header, columns, chosen };
};

/**
 * Parses SDMX-CSV 1.0 and 2.0.
 *
 * @param tooMany Error for more than `maxListed` rows
 * @throws AppError 502 for text that is not CSV with `TIME_PERIOD` and `OBS_VALUE`
 */
export const readCsvTable = async (
  provider: Named,
  text: string,
  tooMany: () => Error,
): Promise<CsvTable> => {
  let head: ReturnType<typeof readHeader> | undefined;
  const rows: Record<string, string>[] = [];
  for await (const record of readCsv(provider, text)) {
    if (head === undefined) {
      head = readHeader(provider, record.cells);
      continue;
    }
    requireWidth(provider, head.header, record);
    if (rows.length === maxListed) throw tooMany();
    const row: Record<string, string> = {};
    for (const { column, index, labelled } of head.chosen) {
      const cell = record.cells[index] ?? '';
      row[column] = labelled ? beforeLabel(cell) : cell;
    }
    rows.push(row);
  }
  return { columns: (head ?? readHeader(provider, [])).columns, rows };
};

export interface XmlSeries {
  readonly key: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
  readonly observations: readonly {
    readonly period: string;
    readonly value: string | null;
    /** Without empty ones, which would hide those of the series. */
    readonly attributes: Readonly<Record<string, string>>;
  }[];
}

const valuesOf = (element: XmlElement | undefined): Record<string, string> =>
  Object.fromEntries(
    (element === undefined ? [] : childrenNamed(element, 'Value')).map(({ attributes }) => [
      attributes.id ?? '',
      attributes.value ?? '',
    ]),
  );

const withoutEmpty = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => filled(value) !== undefined));

const genericSeries = (
  series: XmlElement,
  key: Readonly<Record<string, string>>,
  shared: Readonly<Record<string, string>>,
): XmlSeries => ({
  key,
  attributes: { ...shared, ...valuesOf(childNamed(series, 'Attributes')) },
  observations: childrenNamed(series, 'Obs').map((observation) => ({
    period: childNamed(observation, 'ObsDimension')?.attributes.value ?? '',
    value: childNamed(observation, 'ObsValue')?.attributes.value ?? null,
    attributes: withoutEmpty(valuesOf(childNamed(observation, 'Attributes'))),
  })),
});

/** Structure-specific XML has dimensions and attributes in one set; the caller separates them. */
const specificSeries = (series: XmlElement, shared: Readonly<Record<string, string>>): XmlSeries => ({
  key: series.attributes,
  attributes: { ...shared, ...series.attributes },
  observations: childrenNamed(series, 'Obs').map(
    ({ attributes: { TIME_PERIOD: period = '', OBS_VALUE: value = null, ...attributes } }) => ({
      period,
      value,
      attributes: withoutEmpty(attributes),
    }),
  ),
});

/** Generic and structure-specific data messages. */
export const readXmlData = (root: XmlElement): XmlSeries[] =>
  descendantsNamed(root, 'DataSet').flatMap((dataSet) => {
    const shared = valuesOf(childNamed(dataSet, 'Attributes'));
    const groupAttributes = indexGroups(
      childrenNamed(dataSet, 'Group').map((group) => ({
        fixed: Object.entries(valuesOf(childNamed(group, 'GroupKey'))),
        attributes: valuesOf(childNamed(group, 'Attributes')),
      })),
    );
    return descendantsNamed(dataSet, 'Series').map((series) => {
      const element = childNamed(series, 'SeriesKey');
      if (element === undefined) return specificSeries(series, { ...dataSet.attributes, ...shared });
      const key = valuesOf(element);
      return genericSeries(series, key, { ...shared, ...groupAttributes((id) => key[id]) });
    });
  });

/** Generic series as the corresponding CSV table: dimensions, period, value, attributes. */
export const toTable = (series: readonly XmlSeries[]): CsvTable => {
  const columns = new Set([...Object.keys(series[0]?.key ?? {}), 'TIME_PERIOD', 'OBS_VALUE', 'OBS_STATUS']);
  const rows = series.flatMap((one) =>
    one.observations.map(({ period, value, attributes }) => ({
      ...one.attributes,
      ...one.key,
      ...attributes,
      TIME_PERIOD: period,
      OBS_VALUE: value ?? '',
      // Not one of the series.
      OBS_STATUS: attributes.OBS_STATUS ?? '',
    })),
  );
  for (const row of rows) {
    for (const column in row) columns.add(column);
  }
  return { columns: [...columns], rows };
};
