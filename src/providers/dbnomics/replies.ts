import { z } from 'zod';
import { parseDay, parsePeriod } from '../dates.js';
import { statuses as eurostatStatuses } from '../eurostat/statuses.js';
import { legendOf, sdmxFlag, sdmxStatuses, withFlag } from '../flags.js';
import { toMetadata } from '../metadata.js';
import { readValue } from '../numbers.js';
import type { Observation, SeriesMetadata } from '../provider.js';
import { capitalised, count, requireValue, written } from '../shape.js';
import { readExponent, type Unit, unitOfText, unitWithExponent } from '../units.js';
import { ageOf, originalOf } from './originals.js';

export const named = { slug: 'dbnomics', name: 'DBnomics' };

const paged = <S extends z.ZodType>(doc: S) => z.object({ docs: z.array(doc), num_found: count });

export const providersReply = z.object({
  providers: paged(z.object({ code: z.string(), name: z.string().nullish() })),
});

/** A category has children; a leaf is a dataset. The code of a category may be missing. */
export interface Category {
  readonly code?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly children?: readonly Category[] | null | undefined;
}

const category: z.ZodType<Category> = z.lazy(() =>
  z.object({
    code: z.string().nullish(),
    name: z.string().nullish(),
    children: z.array(category).nullish(),
  }),
);

export const providerReply = z.object({
  provider: z.object({ code: z.string() }),
  category_tree: z.array(category).nullish(),
});

export const datasetsReply = z.object({
  datasets: paged(z.object({ code: z.string(), name: z.string().nullish() })),
});

export const searchReply = z.object({
  results: paged(
    z.object({
      code: z.string(),
      name: z.string().nullish(),
      description: z.string().nullish(),
      provider_code: z.string(),
      provider_name: z.string().nullish(),
    }),
  ),
});

/** Labels of codes: an object, or a list of pairs if the order matters. */
const labels = z.union([
  z.record(z.string(), z.string()),
  z.array(z.tuple([z.string(), z.string()])).transform((pairs) => Object.fromEntries(pairs)),
]);

const cells = z.array(z.string().nullable());
/** Attributes of the observations by name, with one cell per observation. */
const columnsByName = z.union([
  z.record(z.string(), cells),
  z.array(z.tuple([z.string(), cells])).transform((pairs) => Object.fromEntries(pairs)),
]);

const doc = z.object({
  series_code: z.string(),
  series_name: z.string().nullish(),
  '@frequency': z.string().nullish(),
  dataset_name: z.string().nullish(),
  dimensions: z.record(z.string(), z.union([z.string(), z.number().transform(String)])).nullish(),
  indexed_at: z.string().nullish(),
  period: z.array(z.union([z.string(), z.number().transform(String)])).nullish(),
  period_start_day: z.array(z.string()).nullish(),
  value: z.array(written).optional(),
  observations_attributes: columnsByName.nullish(),
});
export type Doc = z.output<typeof doc>;

export const seriesReply = z.object({
  series: paged(doc),
  dataset: z
    .object({
      name: z.string().nullish(),
      description: z.string().nullish(),
      dimensions_labels: z.record(z.string(), z.string()).nullish(),
      dimensions_values_labels: z.record(z.string(), labels).nullish(),
      attributes_values_labels: z.record(z.string(), labels).nullish(),
    })
    .nullish(),
  provider: z.object({ name: z.string().nullish(), terms_of_use: z.string().nullish() }).nullish(),
});
type SeriesReply = z.output<typeof seriesReply>;

/** Names of the status attribute in the sources of the copies. */
const statusNames = /^(?:obs_?)?(?:status|flag)s?$/i;

const statusOf = ({ observations_attributes: attributes }: Doc) =>
  Object.entries(attributes ?? {}).find(([name]) => statusNames.test(name));

export const observationsOf = (doc: Doc): Observation[] => {
  const { period, period_start_day, value } = doc;
  const [, statuses = []] = statusOf(doc) ?? [];
  const parse = period_start_day ? parseDay : parsePeriod;
  const days = requireValue(named, 'period_start_day', period_start_day ?? period ?? undefined);
  const values = requireValue(named, 'value', value?.length === days.length ? value : undefined);
  return days.map((day, index) => ({
    date: requireValue(named, 'the day of an observation', parse(day)),
    ...withFlag(readValue(values[index], ['NA']), sdmxFlag(statuses[index] ?? undefined)),
  }));
};

/** Label of the code of the first dimension whose code or label matches. */
const spelled = ({ dataset }: SeriesReply, { dimensions }: Doc, meant: RegExp): string | undefined => {
  const found = Object.entries(dimensions ?? {}).find(
    ([id]) => meant.test(id) || meant.test(dataset?.dimensions_labels?.[id] ?? ''),
  );
  if (found === undefined) return undefined;
  const [id, code] = found;
  return dataset?.dimensions_values_labels?.[id]?.[code] ?? code;
};

/** Dimensions of SDMX providers: the unit and, for some, its exponent. Otherwise the magnitude is in the text. */
const unitOf = (reply: SeriesReply, series: Doc): Unit => {
  const units = spelled(reply, series, /^unit(?![ _-]?mult)/i);
  const exponent = Object.entries(series.dimensions ?? {}).find(([id]) => /^unit_?mult/i.test(id))?.[1];
  return exponent === undefined ? unitOfText(units) : unitWithExponent(units, readExponent(exponent));
};

const legend = ({ dataset }: SeriesReply, series: Doc, data: readonly Observation[]) => {
  const [name = ''] = statusOf(series) ?? [];
  return legendOf(data, dataset?.attributes_values_labels?.[name] ?? {}, eurostatStatuses, sdmxStatuses);
};

export const metadataOf = (
  seriesId: string,
  reply: SeriesReply,
  series: Doc,
  data: readonly Observation[],
  today: string,
): SeriesMetadata =>
  toMetadata({
    frequency: series['@frequency'] ? capitalised(series['@frequency']) : undefined,
    ...unitOf(reply, series),
    seasonal_adjustment: spelled(reply, series, /^s_adj$|^adjustment$|^seas/i),
    source: reply.provider?.name,
    dataset: reply.dataset?.name ?? series.dataset_name,
    notes: reply.dataset?.description,
    terms_of_use: reply.provider?.terms_of_use,
    ...ageOf(series.indexed_at, today),
    original: originalOf(seriesId),
    flags: legend(reply, series, data),
  });
