import { parse } from 'csv-parse/sync';
import { indexGroups } from '../sdmx/groups.js';
import { childNamed, childrenNamed, descendantsNamed, type XmlElement } from '../xml.js';

/** SDMX-CSV rows as cells by column id. With `labels=both` header and cells are `CODE: Label`. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

const beforeLabel = (text: string): string => {
  const colon = text.indexOf(': ');
  return colon === -1 ? text : text.slice(0, colon);
};

/**
 * Parses SDMX-CSV 1.0 and 2.0. Throws for text that is not CSV with `TIME_PERIOD` and `OBS_VALUE`, so that an error page is not read as a
 * series without observations.
 */
export const readCsv = (text: string): CsvTable => {
  const [head = [], ...records] = parse(text, {
    bom: true,
    skip_empty_lines: true,
    relax_column_count: false,
  }) as string[][];
  // Only with labels: a plain id contains no space, so its cells may.
  const labelled = head.some((name) => name.includes(': '));
  const columns = head.map((name) => (labelled ? beforeLabel(name) : name).trim());
  if (!columns.includes('TIME_PERIOD') || !columns.includes('OBS_VALUE')) {
    throw new SyntaxError('no columns TIME_PERIOD and OBS_VALUE');
  }
  const plainCells = new Set(['OBS_VALUE', 'TIME_PERIOD']);
  const cell = (column: string, value: string): string =>
    labelled && !plainCells.has(column) ? beforeLabel(value) : value;
  const rows = records.map((record) =>
    Object.fromEntries(columns.map((column, index) => [column, cell(column, record[index] ?? '')])),
  );
  return { columns, rows };
};

export interface XmlSeries {
  readonly key: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
  readonly observations: readonly {
    readonly period: string;
    readonly value: string | null;
    readonly status: string | undefined;
  }[];
}

const valuesOf = (element: XmlElement | undefined): Record<string, string> =>
  Object.fromEntries(
    (element === undefined ? [] : childrenNamed(element, 'Value')).map(({ attributes }) => [
      attributes.id ?? '',
      attributes.value ?? '',
    ]),
  );

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
    status: valuesOf(childNamed(observation, 'Attributes')).OBS_STATUS,
  })),
});

/** Structure-specific XML has dimensions and attributes in one set; the caller separates them. */
const specificSeries = (series: XmlElement, shared: Readonly<Record<string, string>>): XmlSeries => ({
  key: series.attributes,
  attributes: { ...shared, ...series.attributes },
  observations: childrenNamed(series, 'Obs').map(({ attributes }) => ({
    period: attributes.TIME_PERIOD ?? '',
    value: attributes.OBS_VALUE ?? null,
    status: attributes.OBS_STATUS,
  })),
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
      if (element === undefined) return specificSeries(series, shared);
      const key = valuesOf(element);
      return genericSeries(series, key, { ...shared, ...groupAttributes((id) => key[id]) });
    });
  });

/** Generic series as the corresponding CSV table: dimensions, period, value, attributes. */
export const toTable = (series: readonly XmlSeries[]): CsvTable => {
  const dimensions = Object.keys(series[0]?.key ?? {});
  const attributes = [...new Set(series.flatMap((one) => Object.keys(one.attributes))), 'OBS_STATUS'];
  return {
    columns: [...new Set([...dimensions, 'TIME_PERIOD', 'OBS_VALUE', ...attributes])],
    rows: series.flatMap((one) =>
      one.observations.map(({ period, value, status }) => ({
        ...one.attributes,
        ...one.key,
        TIME_PERIOD: period,
        OBS_VALUE: value ?? '',
        OBS_STATUS: status ?? '',
      })),
    ),
  };
};
