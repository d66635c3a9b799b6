import { storableText } from '../../lib/well-formed.js';
import type { DescribedSeries } from '../../model/described-series.js';
import type { ProviderDetail } from '../answer-schema.js';
import type { SeriesAnswer } from '../series-answer.js';
import type { WantedSeries } from './wanted-series.js';

/** Parts of an answer that describe its series. */
export type DescribedAnswer = Pick<WantedSeries, 'name'> &
  Pick<SeriesAnswer, 'seriesId' | 'params' | 'label' | 'metadata'>;

type Source = Pick<ProviderDetail, 'slug' | 'provider' | 'license' | 'attribution'>;

const stored = (text: string | undefined): string | null => (text === undefined ? null : storableText(text));

/** Describes series for the dataset that is made of them. */
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
      Object.entries(metadata.flags ?? {}).map(([flag, meaning]) => [
        storableText(flag),
        storableText(meaning),
      ]),
    ),
  }));
