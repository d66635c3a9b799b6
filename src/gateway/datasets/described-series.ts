import type { ProviderDetail } from '../catalog.js';
import type { SeriesAnswer } from '../series-answer.js';
import type { WantedSeries } from './wanted-series.js';

/** A series as its provider described it. */
export interface DescribedSeries {
  /** Value of the column Series. */
  readonly name: string;
  readonly provider: string;
  readonly seriesId: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly label: string;
  readonly unit: string | null;
  readonly unitMultiplier: number | null;
  readonly source: string;
  readonly license: string | null;
  readonly attribution: string | null;
  /** Meanings of its flags. */
  readonly flags: Readonly<Record<string, string | null>>;
}

/** Parts of an answer that describe its series. */
export type DescribedAnswer = Pick<WantedSeries, 'name'> &
  Pick<SeriesAnswer, 'seriesId' | 'params' | 'label' | 'metadata'>;

type Source = Pick<ProviderDetail, 'slug' | 'provider' | 'license' | 'attribution'>;

/** A database of texts keeps no NUL. */
const stored = (text: string | undefined): string | null => text?.replaceAll('\0', '') ?? null;

/** Describes series as they are shown with the dataset that is made of them. */
export const describeSeries = (
  { slug, provider, license, attribution }: Source,
  answers: readonly DescribedAnswer[],
): DescribedSeries[] =>
  answers.map(({ name, seriesId, params, label, metadata }) => ({
    name,
    provider: slug,
    seriesId,
    params,
    label: stored(label) ?? seriesId,
    unit: stored(metadata.unit),
    unitMultiplier: metadata.unitMultiplier ?? null,
    source: stored(metadata.source) ?? provider,
    license: license ?? null,
    attribution: attribution ?? null,
    flags: Object.fromEntries(
      Object.entries(metadata.flags ?? {}).map(([flag, meaning]) => [stored(flag), stored(meaning)]),
    ),
  }));
