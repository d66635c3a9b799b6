import { invalid } from '../../lib/errors.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData } from '../provider.js';
import { describedSeries } from './observations.js';
import { periodOf } from './real-time.js';
import { named, notPublished } from './reply.js';
import { vintages } from './vintages.js';

/** Maximum vintages of one panel, whose values come in one request. */
const maxVintages = 100;

/**
 * The vintages of a series in a real-time period: the days on which it was published or revised, and the state at the start of the period.
 * Undefined if the caller names no period.
 */
export const vintagePanel = async (
  seriesId: string,
  params: Params,
  ctx: Context,
): Promise<PanelData | undefined> => {
  const period = periodOf(params);
  if (period === undefined) return undefined;
  const { start, end, others } = period;
  const all = (await vintages.days(seriesId, ctx)).filter((day) => day <= end);
  const before = all.findLast((day) => day <= start);
  const days = all.filter((day) => day > start);
  const window = before === undefined ? days : [start, ...days];
  if (window.length === 0) throw notPublished(seriesId, end);
  if (window.length > maxVintages) {
    throw invalid(
      'panel_too_large',
      `'${seriesId}' of ${named.name} has ${window.length} vintages from ${start} to ${end}; a panel has at most ${maxVintages}. Name a shorter period.`,
      { provider: named.slug, series: window.length, limit: maxVintages },
    );
  }
  const { label, metadata } = await describedSeries(seriesId, others, ctx);
  const values = await vintages.values(seriesId, others, window, ctx);
  return {
    label,
    metadata,
    dimensions: [{ id: 'vintage', label: 'Vintage' }],
    series: window.map((day) => ({
      codes: [day],
      labels: [`As published by ${day}`],
      data: values.filter(({ from, until }) => from <= day && day <= until),
    })),
  };
};
