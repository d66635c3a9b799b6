import { loadPart } from '../listing.js';
import type { Context, Item, SeriesPattern } from '../provider.js';
import { titledLines } from '../titled-lines.js';
import { fetchDimensions, hasCode } from './dimensions.js';

export const popularSeries = titledLines('popular/eurostat.txt');

/**
 * Countries and areas of the monthly and quarterly indicators. The euro area has a code per composition: EA21 since 2026, and datasets such
 * as `une_rt_m` have no values for EA20 any more.
 */
const places =
  'EU27_2020 EA21 AT BE BG CH CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LT LU LV MT NL NO PL PT RO SE SI SK'.split(
    ' ',
  );

/** Series that users request by place. */
export const families: readonly SeriesPattern[] = titledLines('codes/eurostat-families.txt').map(
  (family) => ({
    ...family,
    codes: places,
  }),
);

const gap = '{}';

/**
 * The series of the families for all places of their datasets, so that every hit can be read, and places beyond the bundled ones are found.
 * A family whose other codes no longer exist has none.
 */
export const listFamilies = async function* (ctx: Context): AsyncIterable<Item> {
  const popular = new Set(popularSeries.map(({ id }) => id));
  for (const { id: family, label } of families) {
    const [dataset = '', key = ''] = family.split('/');
    const codes = key.split('.');
    const dimensions = (await loadPart(ctx, dataset, () => fetchDimensions(dataset, ctx))) ?? [];
    const isKnown = codes.every((code, index) => code === gap || hasCode(dimensions[index], code));
    if (codes.length !== dimensions.length || !isKnown) continue;
    for (const [code, name] of dimensions[codes.indexOf(gap)]?.codes ?? []) {
      const id = family.replace(gap, code);
      if (!popular.has(id)) yield { id, label: `${label}, ${name}` };
    }
  }
};
