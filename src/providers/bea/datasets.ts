import { unknownPath } from '../errors.js';
import { loadPart, pageOf } from '../listing.js';
import type { Context, Folder, Item, Page, SeriesPage, UpstreamHttp } from '../provider.js';
import { fetchData, fetchValues, named } from './reply.js';
import { unitOf } from './units.js';

export interface Dataset {
  readonly label: string;
  /** Letters of the frequencies that can be requested; undefined if the table has only one. */
  readonly frequencies?: readonly string[];
  /** Series are lines × areas instead of lines × frequencies. */
  readonly regional?: true;
  /** Parameters instead of a table and its lines, each with a list of codes. */
  readonly pair?: { readonly table: string; readonly line: string };
}

/** Datasets of tables with lines, and datasets with two parameters. Others have more dimensions. */
export const datasets: Readonly<Record<string, Dataset>> = {
  NIPA: { label: 'National Income and Product Accounts', frequencies: ['A', 'Q', 'M'] },
  NIUnderlyingDetail: {
    label: 'National Income and Product Accounts, Underlying Detail',
    frequencies: ['A', 'Q', 'M'],
  },
  FixedAssets: { label: 'Fixed Assets', frequencies: ['A'] },
  Regional: { label: 'Regional Economic Accounts', regional: true },
  GDPbyIndustry: {
    label: 'GDP by Industry',
    frequencies: ['A', 'Q'],
    pair: { table: 'TableID', line: 'Industry' },
  },
  ITA: {
    label: 'International Transactions',
    frequencies: ['A', 'QSA', 'QNSA'],
    pair: { table: 'Indicator', line: 'AreaOrCountry' },
  },
  IIP: {
    label: 'International Investment Position',
    frequencies: ['A', 'QNSA'],
    pair: { table: 'TypeOfInvestment', line: 'Component' },
  },
};

export const frequencyLabels: Readonly<Record<string, string>> = {
  A: 'Annual',
  Q: 'Quarterly',
  M: 'Monthly',
  QSA: 'Quarterly, seasonally adjusted',
  QNSA: 'Quarterly, not seasonally adjusted',
};

/** Codes of the tables of a dataset, or of the first parameter. */
export const fetchTables = (dataset: string, http: UpstreamHttp) =>
  fetchValues({ datasetname: dataset, ParameterName: datasets[dataset]?.pair?.table ?? 'TableName' }, http);

/** Codes of the second parameter of a dataset with two. */
export const fetchLines = (dataset: string, parameter: string, http: UpstreamHttp) =>
  fetchValues({ datasetname: dataset, ParameterName: parameter }, http);

const fetchFiltered = (target: string, table: string, http: UpstreamHttp) =>
  fetchValues({ datasetname: 'Regional', TargetParameter: target, TableName: table }, http);

/** Titles of tables end with their frequencies, `… (A) (Q)`; without them all are offered. */
export const frequenciesOf = ({ frequencies = [] }: Dataset, title: string): readonly string[] => {
  const marked = frequencies.filter((letter) => title.includes(`(${letter})`));
  return marked.length === 0 ? frequencies : marked;
};

/** `NIPA` requires a list of years. Enough of them for two dozen observations and for all lines of a table. */
export const recentYears = (today: string, frequency: string | undefined): string => {
  const newest = Number(today.slice(0, 4));
  const years = { A: 26, Q: 8, M: 4 }[frequency ?? ''] ?? 26;
  return Array.from({ length: years }, (_year, index) => newest - years + 1 + index).join(',');
};

const folders = (values: ReadonlyMap<string, string>, leaf: boolean): Folder[] =>
  [...values].map(([segment, label]) => ({ segment, label, leaf: leaf || undefined }));

interface BrowsedTable {
  readonly dataset: Dataset;
  readonly name: string;
  readonly table: string;
  readonly title: string;
  /** The frequency; for a regional table the line. */
  readonly third: string | undefined;
}

const findTable = async (path: readonly string[], http: UpstreamHttp): Promise<BrowsedTable> => {
  const [name = '', table = '', third] = path;
  const dataset = Object.hasOwn(datasets, name) ? datasets[name] : undefined;
  if (dataset === undefined || path.length > 3) throw unknownPath(named, path);
  const title = path.length === 1 ? '' : (await fetchTables(name, http)).get(table);
  if (title === undefined) throw unknownPath(named, path);
  const browsed = { dataset, name, table, title, third };
  if (third === undefined) return browsed;
  const known =
    dataset.regional === true
      ? (await fetchFiltered('LineCode', table, http)).has(third)
      : frequenciesOf(dataset, title).includes(third);
  if (!known) throw unknownPath(named, path);
  return browsed;
};

export const browse = async (path: readonly string[], { http }: Context): Promise<readonly Folder[]> => {
  if (path.length === 0) {
    return Object.entries(datasets).map(([segment, { label }]) => ({ segment, label }));
  }
  const { dataset, name, table, title, third } = await findTable(path, http);
  if (path.length === 1) return folders(await fetchTables(name, http), false);
  if (third !== undefined) return [];
  if (dataset.regional === true) return folders(await fetchFiltered('LineCode', table, http), true);
  return frequenciesOf(dataset, title).map((letter) => ({
    segment: letter,
    label: frequencyLabels[letter] ?? letter,
    leaf: true,
  }));
};

/** Query for a whole table at one frequency. `FixedAssets` has no parameter for the frequency. */
export const tableQuery = (dataset: string, table: string, frequency: string, years: string) => ({
  datasetname: dataset,
  TableName: table,
  ...(dataset === 'FixedAssets' ? {} : { Frequency: frequency }),
  Year: years,
});

const linesOf = async (
  { name, table, title, third = '' }: BrowsedTable,
  { http, today }: Context,
): Promise<Item[]> => {
  const { Data } = await fetchData(tableQuery(name, table, third, recentYears(today, third)), http);
  const lines = new Map<string, Item>();
  for (const row of Data) {
    const line = String(row.LineNumber ?? '');
    if (line === '' || lines.has(line)) continue;
    lines.set(line, {
      id: [name, table, third, line].join('/'),
      label: row.LineDescription || `Line ${line}`,
      description: title,
      frequency: frequencyLabels[third] ?? third,
      units: unitOf(row).units,
      path: [name, table, third],
    });
  }
  return [...lines.values()];
};

const pairsOf = async (
  { name, table, title, third = '' }: BrowsedTable,
  parameter: string,
  { http }: Context,
): Promise<Item[]> =>
  [...(await fetchLines(name, parameter, http))].map(([code, label]) => ({
    id: [name, table, third, code].join('/'),
    label,
    description: title,
    frequency: frequencyLabels[third] ?? third,
    path: [name, table, third],
  }));

const areasOf = async ({ name, table, third = '' }: BrowsedTable, { http }: Context): Promise<Item[]> => {
  const line = (await fetchFiltered('LineCode', table, http)).get(third) ?? third;
  const areas = await fetchFiltered('GeoFips', table, http);
  return [...areas].map(([code, label]) => ({
    id: [name, table, third, code].join('/'),
    label,
    description: line,
    path: [name, table, third],
  }));
};

export const seriesAt = async (path: readonly string[], page: Page, ctx: Context): Promise<SeriesPage> => {
  const browsed = path.length === 0 ? undefined : await findTable(path, ctx.http);
  if (browsed?.third === undefined) return { items: [], total: 0 };
  const { pair, regional } = browsed.dataset;
  if (pair !== undefined) return pageOf(await pairsOf(browsed, pair.line, ctx), page);
  return pageOf(regional === true ? await areasOf(browsed, ctx) : await linesOf(browsed, ctx), page);
};

/** Tables only, since the lines of all tables would be hundreds of megabytes. */
export const listAll = async function* (ctx: Context): AsyncGenerator<Item> {
  for (const [name, { label }] of Object.entries(datasets)) {
    yield { id: name, label, kind: 'folder', path: [name] };
    const tables = await loadPart(ctx, name, () => fetchTables(name, ctx.http));
    for (const [table, title] of tables ?? []) {
      yield { id: `${name}/${table}`, label: title, description: label, kind: 'folder', path: [name, table] };
    }
  }
};
