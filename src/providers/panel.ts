/** Helpers for the panels of all connectors. */
import type { SeriesData, SeriesMetadata } from './provider.js';

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

/** Rows by the codes of some columns, in the order of the rows. */
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
