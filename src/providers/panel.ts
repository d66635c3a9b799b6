/** Helpers for the panels of all connectors. */
import { AppError, invalid } from '../lib/errors.js';
import { seriesNotFound } from './errors.js';
import type { Params } from './parameter.js';
import type { Context, Named, PanelData, Provider, SeriesData, SeriesMetadata } from './provider.js';

/** Maximum observations of one panel. */
export const maxPanelObservations = 200_000;

/** Metadata that all series share, and the meanings of all their flags. */
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

/** Groups rows by the codes of some columns, in the order of the rows. */
export const groupBy = <T>(rows: readonly T[], codesOf: (row: T) => readonly string[]): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = JSON.stringify(codesOf(row));
    const group = groups.get(key) ?? [];
    group.push(row);
    groups.set(key, group);
  }
  return groups;
};

/** Ids joined with `+`, without duplicates. @throws AppError 400 for more than a panel may have. */
export const joinedIds = ({ slug, name }: Named, seriesId: string, most: number): readonly string[] => {
  const ids = [...new Set(seriesId.split('+'))];
  if (ids.length <= most) return ids;
  throw invalid('panel_too_large', `A panel of ${name} has at most ${most} series, not ${ids.length}.`, {
    provider: slug,
    series: ids.length,
    limit: most,
  });
};

/** A panel of series by their ids; undefined marks an unknown series. */
export const panelOfSeries = (
  provider: Named,
  seriesId: string,
  found: ReadonlyMap<string, SeriesData | undefined>,
): PanelData => {
  const missing = [...found].filter(([, one]) => one === undefined).map(([id]) => id);
  const series = [...found].flatMap(([id, one]) => (one === undefined ? [] : [{ ...one, id }]));
  if (series.length === 0) throw seriesNotFound(provider, seriesId, 'It knows none of them.', { missing });
  return {
    label: series.length > 3 ? `${series.length} series` : series.map(({ label }) => label).join('; '),
    metadata: commonMetadata(series),
    dimensions: [{ id: 'series', label: 'Series' }],
    series: series.map(({ id, label, data }) => ({ codes: [id], labels: [label], data })),
    missing: missing.length === 0 ? undefined : missing,
  };
};

/** Maximum series of a panel of a provider that returns them one by one. */
const maxJoined = 10;

/** Requests several series of a provider without panels one by one; series in one file share it. */
export const joinedPanel = async (
  provider: Provider,
  seriesId: string,
  params: Params,
  ctx: Context,
): Promise<PanelData> => {
  const found = new Map<string, SeriesData | undefined>();
  for (const id of joinedIds(provider, seriesId, maxJoined)) {
    try {
      found.set(id, await provider.series(id, params, ctx));
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
      found.set(id, undefined);
    }
  }
  return panelOfSeries(provider, seriesId, found);
};
