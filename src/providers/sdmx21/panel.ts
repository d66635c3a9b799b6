import { malformedSeriesId, seriesNotFound, unexpectedReply } from '../errors.js';
import { commonMetadata, groupBy } from '../panel.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData } from '../provider.js';
import { withinBounds } from '../range.js';
import { isOpen } from '../sdmx/open-key.js';
import { spellWith } from '../sdmx/structure.js';
import { bounds, readTable } from './reading.js';
import type { Sdmx21Record } from './record.js';
import { dataRequest, fetchStructure } from './requests.js';
import { dimensionColumns, toSeriesData } from './series.js';

const idForm = /^([\w@.$-]+(?:,[\w@$-]+(?:,[\w.+-]+)?)?)\/([\w@$*+-]*(?:\.[\w@$*+-]*)*)$/;

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
  const { columns, rows } = readTable(record, text);
  if (rows.length === 0) throw seriesNotFound(record, seriesId);
  const there = new Set(dimensionColumns({ columns, rows }));
  const lacking = open.find(({ id }) => !there.has(id));
  if (lacking !== undefined) throw unexpectedReply(record, `no column ${lacking.id}`);
  const spell = spellWith(structure);
  const series = [...groupBy(rows, (row) => open.map(({ id }) => row[id] ?? '')).values()].map((own) => {
    const codes = open.map(({ id }) => own[0]?.[id] ?? '');
    const found = withinBounds(toSeriesData(record, { columns, rows: own }, spell), params);
    return {
      ...found,
      codes,
      labels: open.map(({ id }, index) => spell(id, codes[index] ?? '') ?? codes[index] ?? ''),
    };
  });
  return {
    label: structure.flow?.name ?? flow,
    metadata: commonMetadata(series),
    dimensions: open.map(({ id, label }) => ({ id, label })),
    series: series.map(({ codes, labels, data }) => ({ codes, labels, data })),
  };
};
