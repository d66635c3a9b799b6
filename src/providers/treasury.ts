import { parsePeriod } from './dates.js';
import { malformedSeriesId, unexpectedReply } from './errors.js';
import { toMetadata } from './metadata.js';
import { readValue } from './numbers.js';
import type { Params } from './parameter.js';
import type { Context, Observation, Provider, SeriesData } from './provider.js';
import { rangeParameters, withinBounds } from './range.js';
import { requireValue } from './shape.js';
import { childNamed, descendantsNamed, readXml, type XmlElement } from './xml.js';

const named = { slug: 'treasury', name: 'Treasury Yields' };

/** Columns of the yield curve, which are also the ids of its series. */
const maturities: Readonly<Record<string, string>> = {
  BC_1MONTH: '1-month',
  BC_2MONTH: '2-month',
  BC_3MONTH: '3-month',
  BC_4MONTH: '4-month',
  BC_6MONTH: '6-month',
  BC_1YEAR: '1-year',
  BC_2YEAR: '2-year',
  BC_3YEAR: '3-year',
  BC_5YEAR: '5-year',
  BC_7YEAR: '7-year',
  BC_10YEAR: '10-year',
  BC_20YEAR: '20-year',
  BC_30YEAR: '30-year',
};

const labelOf = (maturity: string): string => `US Treasury yield, ${maturity} (par yield curve), daily`;

const items = Object.entries(maturities).map(([id, maturity]) => ({ id, label: labelOf(maturity) }));

const firstYear = 1990;
const previewLength = 24;

const readFeed = (text: string): XmlElement => {
  const root = readXml(named, text);
  if (root.name !== 'feed') throw unexpectedReply(named, 'it is not a feed');
  return root;
};

/** All days of a year. All series are columns of the same feed, so it is cached, for longer if the year is complete. */
const fetchYear = async (column: string, year: number, { http, today }: Context): Promise<Observation[]> => {
  const isPast = year < Number(today.slice(0, 4));
  // The last days of a year are published, and corrected, in January.
  const isComplete = today >= `${year + 1}-02-01`;
  const { text } = await http.text({
    path: ['xml'],
    query: { data: 'daily_treasury_yield_curve', field_tdr_date_value: year },
    keep: isComplete ? 'structure' : 'series',
  });
  const days = descendantsNamed(readFeed(text), 'properties');
  // Only a year that has just begun has no days yet.
  if (days.length === 0 && isPast) throw unexpectedReply(named, 'a past year without days');
  return days.flatMap((day) => {
    const cell = childNamed(day, column);
    // Days before a maturity was introduced do not have it; a day without a value has an empty cell.
    if (cell === undefined) return [];
    const date = parsePeriod(childNamed(day, 'NEW_DATE')?.text ?? '');
    return [{ date: requireValue(named, 'a date', date), ...readValue(cell.text, ['N/A']) }];
  });
};

const yearsOf = ({ start, end }: Params, today: string): number[] => {
  const yearOf = (bound: string | number) => Number(String(bound).slice(0, 4));
  const newest = Math.min(yearOf(end ?? today), yearOf(today));
  const oldest = Math.max(yearOf(start ?? firstYear), firstYear);
  return Array.from({ length: Math.max(0, newest - oldest + 1) }, (_, index) => newest - index);
};

/** Reads from the newest year backwards, until there are enough values. */
const fetchSeries = async (
  seriesId: string,
  years: readonly number[],
  ctx: Context,
  enough = Number.POSITIVE_INFINITY,
): Promise<SeriesData> => {
  const maturity = Object.hasOwn(maturities, seriesId) ? maturities[seriesId] : undefined;
  if (maturity === undefined) throw malformedSeriesId(named, seriesId, 'BC_10YEAR');
  const data: Observation[] = [];
  for (const year of years) {
    if (data.length >= enough) break;
    data.push(...(await fetchYear(seriesId, year, ctx)));
  }
  return {
    label: labelOf(maturity),
    metadata: toMetadata({
      frequency: 'Daily',
      units: 'Percent per annum',
      unit: 'Percent per annum',
      unitMultiplier: 1,
      source: 'U.S. Department of the Treasury',
    }),
    data,
  };
};

/**
 * Yields of the par yield curve, one Atom feed per year.
 * Documentation: https://home.treasury.gov/treasury-daily-interest-rate-xml-feed
 */
export const treasury: Provider = {
  ...named,
  provider: 'U.S. Department of the Treasury',
  description:
    'Daily yields of Treasury securities of the United States at constant maturities from one month to 30 years: the par yield curve.',
  capabilities: ['search', 'direct'],
  license: 'Public domain',
  attribution: 'Source: U.S. Department of the Treasury',
  parameters: rangeParameters('date'),
  popularSeries: items,
  home: 'US',
  seriesIdPlaceholder: 'BC_10YEAR',

  baseUrl: 'https://home.treasury.gov/resource-center/data-chart-center/interest-rates/pages',
  // No number is published.
  limits: { anonymous: { perSecond: 2 }, resetZone: 'America/New_York', maxConcurrent: 2 },
  validity: { structure: 30 * 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 30_000,

  async *listAll() {
    for (const item of items) yield { ...item, frequency: 'Daily' };
  },
  preview: (seriesId, _params, ctx) => {
    const year = Number(ctx.today.slice(0, 4));
    return fetchSeries(seriesId, [year, year - 1], ctx, previewLength);
  },
  series: async (seriesId, params, ctx) =>
    withinBounds(await fetchSeries(seriesId, yearsOf(params, ctx.today), ctx), params),
};
