import { invalid } from '../../lib/errors.js';
import { runSliced } from '../../lib/time-slicing.js';
import { malformedSeriesId, seriesNotFound, unexpectedReply } from '../errors.js';
import { maxListed } from '../listing.js';
import { commonMetadata, groupBy, maxPanelObservations } from '../panel.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData } from '../provider.js';
import { withinBounds } from '../range.js';
import { isOpen } from '../sdmx/open-key.js';
import { type Dimension, type Spell, spellWith } from '../sdmx/structure.js';
import type { CsvTable } from './data.js';
import { bounds, readTable } from './reading.js';
import type { Sdmx21Record } from './record.js';
import { dataRequest, fetchStructure } from './requests.js';
import { dimensionColumns, toSeriesData } from './series.js';

const idForm = /^([\w@.$-]+(?:,[\w@$-]+(?:,[\w.+-]+)?)?)\/([\w@$*+-]*(?:\.[\w@$*+-]*)*)$/;

const panelTooLarge = (record: Sdmx21Record, seriesId: string) =>
  invalid(
    'panel_too_large',
    `'${seriesId}' of ${record.name} has more than ${maxListed} observations; a panel has at most ${maxPanelObservations}. Name fewer codes, or a start.`,
    { provider: record.slug, limit: maxPanelObservations },
  );

/** The series of a table, with their codes in the open dimensions. */
function* seriesOf(
  record: Sdmx21Record,
  { columns, rows }: CsvTable,
  open: readonly Dimension[],
  spell: Spell,
  params: Params,
) {
  const series = [];
  for (const own of groupBy(rows, (row) => open.map(({ id }) => row[id] ?? '')).values()) {
    yield;
    const codes = open.map(({ id }) => own[0]?.[id] ?? '');
    series.push({
      ...withinBounds(toSeriesData(record, { columns, rows: own }, spell), params),
      codes,
      labels: open.map(({ id }, index) => spell(id, codes[index] ?? '') ?? codes[index] ?? ''),
    });
  }
  return series;
}

/** Several series from one request: positions of the key that are empty, a star, or codes joined with `+` are open. */
export const fetchPanel = async (
  record: Sdmx21Record,
  seriesId: string,
  params: Params,
  ctx: Context,
): Promise<PanelData> => {
  const [, flow, key] = idForm.exec(seriesId) ?? [];
  if (flow === undefined || key === undefined || key === '') {
    throw malformedSeriesId(record, seriesId, record.seriesIdPlaceholder);
  }
  const parts = key.split('.').map((part) => (part === '*' ? '' : part));
  const structure = await fetchStructure(record, flow, ctx);
  if (parts.length !== structure.dimensions.length) {
    const ids = structure.dimensions.map(({ id }) => id).join('.');
    throw malformedSeriesId(record, seriesId, `${flow}/ and ${structure.dimensions.length} codes (${ids})`);
  }
  const open = structure.dimensions.filter((_, index) => isOpen(parts[index] ?? ''));
  const { text } = await ctx.http.text(dataRequest(record, flow, parts.join('.'), bounds(params)));
  if (text.trim() === '') throw seriesNotFound(record, seriesId);
  const { columns, rows } = await readTable(record, text, () => panelTooLarge(record, seriesId));
  if (rows.length === 0) throw seriesNotFound(record, seriesId);
  const there = new Set(dimensionColumns({ columns, rows }));
  const lacking = open.find(({ id }) => !there.has(id));
  if (lacking !== undefined) throw unexpectedReply(record, `no column ${lacking.id}`);
  const spell = spellWith(structure);
  const series = await runSliced(seriesOf(record, { columns, rows }, open, spell, params));
  return {
    label: structure.flow?.name ?? flow,
    metadata: commonMetadata(series),
    dimensions: open.map(({ id, label }) => ({ id, label })),
    series: series.map(({ codes, labels, data }) => ({ codes, labels, data })),
  };
};
