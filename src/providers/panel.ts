import type { Observation, SeriesData, SeriesMetadata } from './provider.js';

/** Several series that differ in some dimensions, from one request. */
export interface PanelData {
  readonly label: string;
  /** What all series have in common. */
  readonly metadata: SeriesMetadata;
  /** Dimensions that were left open, or of which several codes were asked for. */
  readonly dimensions: readonly { readonly id: string; readonly label: string }[];
  readonly series: readonly PanelSeries[];
}

export interface PanelSeries {
  /** Codes, one for each of the dimensions. */
  readonly codes: readonly string[];
  readonly labels: readonly string[];
  /** In any order, as of a single series. */
  readonly data: readonly Observation[];
}

/** Facts that all series share, and the meanings of all their flags. */
export const commonMetadata = (series: readonly Pick<SeriesData, 'metadata'>[]): SeriesMetadata => {
  const [first, ...others] = series.map(({ metadata }) => metadata);
  const flags = Object.assign({}, ...series.map(({ metadata }) => metadata.flags ?? {})) as Record<
    string,
    string
  >;
  const shared = Object.entries(first ?? {}).filter(
    ([name, fact]) => name !== 'flags' && others.every((other) => other[name] === fact),
  );
  return { ...Object.fromEntries(shared), ...(Object.keys(flags).length === 0 ? {} : { flags }) };
};

/** Rows by the codes of some columns, in the order in which they came. */
export const groupBy = <T>(rows: readonly T[], codesOf: (row: T) => readonly string[]): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = JSON.stringify(codesOf(row));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
};
