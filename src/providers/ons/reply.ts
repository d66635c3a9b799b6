import { z } from 'zod';
import { listOf, words } from '../shape.js';

export const named = { slug: 'ons', name: 'ONS' };

/** Hits of the search for time series: `/economy/…/timeseries/l55o/mm23`. */
export const searchReply = z.object({
  items: z.array(z.object({ uri: z.string().startsWith('/'), title: words.nullish() })),
});

/** A value is a text, empty if missing. The period is `2020`, `2020 Q1` or `2020 JAN`. */
const observations = listOf(z.object({ date: z.string(), value: z.string().nullish() }));

export const seriesReply = z.object({
  description: z.object({
    title: words.nullish(),
    unit: words.nullish(),
    preUnit: words.nullish(),
    releaseDate: z.string().nullish(),
    nextRelease: words.nullish(),
    keyNote: words.nullish(),
  }),
  years: observations,
  quarters: observations,
  months: observations,
});
export type SeriesReply = z.output<typeof seriesReply>;
