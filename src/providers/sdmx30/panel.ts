import { malformedSeriesId, seriesNotFound } from '../errors.js';
import { commonMetadata } from '../panel.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData } from '../provider.js';
import { withinBounds } from '../range.js';
import { isOpen } from '../sdmx/open-key.js';
import { spellWith } from '../sdmx/structure.js';
import { fetchStructure, type Sdmx30Record } from './requests.js';
import { describe, fetchAllSeries, parseSeriesId } from './series.js';

/** Several series from one request: positions of the key that are empty, a star, or codes joined with `+` are open. */
export const fetchPanel = async (
  record: Sdmx30Record,
  seriesId: string,
  params: Params,
  ctx: Context,
): Promise<PanelData> => {
  const ref = parseSeriesId(record, seriesId);
  const structure = await fetchStructure(record, ref.flow, ctx);
  if (structure === undefined) throw seriesNotFound(record, seriesId);
  const { dimensions } = structure;
  const parts = ref.key.split('.');
  if (parts.length !== dimensions.length) {
    const ids = dimensions.map(({ id }) => id).join('.');
    throw malformedSeriesId(record, seriesId, `a flow, a slash, and ${dimensions.length} codes (${ids})`);
  }
  const open = dimensions.filter((_, index) => isOpen(parts[index] ?? ''));
  const spell = spellWith(structure);
  const series = (await fetchAllSeries(record, seriesId, ref, ctx)).map((one) => {
    const codes = open.map(({ id }) => one.key[id] ?? '');
    const labels = open.map(({ id }, index) => spell(id, codes[index] ?? '') ?? codes[index] ?? '');
    const found = { ...describe(record, one, structure), data: one.observations };
    return { ...withinBounds(found, params), codes, labels };
  });
  if (series.length === 0) throw seriesNotFound(record, seriesId);
  return {
    label: structure.flow?.name ?? ref.flow[1],
    metadata: commonMetadata(series),
    dimensions: open.map(({ id, label }) => ({ id, label })),
    series: series.map(({ codes, labels, data }) => ({ codes, labels, data })),
  };
};
