import { createHash } from 'node:crypto';
import { invalid, isAppError } from '../lib/errors.js';
import { runSliced, type Steps } from '../lib/time-slicing.js';
import { joinedPanel, maxPanelObservations } from '../providers/panel.js';
import type { Params } from '../providers/parameter.js';
import type { Context, PanelData, Provider, SeriesMetadata } from '../providers/provider.js';
import type { GatewayCaller } from './caller.js';
import { orderObservations } from './observations.js';
import type { Operations } from './operations.js';
import { resolveParams } from './params.js';

/** `long`: a row per date and series. `wide`: a row per date, with a column per series. */
export type PanelShape = 'long' | 'wide';

export interface PanelAnswer {
  readonly seriesId: string;
  /** Parameters of the request, with defaults. */
  readonly params: Params;
  /** Observations of each series oldest first, one per date. */
  readonly panel: PanelData;
  readonly ageSeconds: number;
  readonly stale: boolean;
}

/** The body of an answer and its strong entity tag. */
export interface PanelBody {
  readonly json: string;
  readonly etag: string;
}

export interface PanelReader {
  read(
    caller: GatewayCaller,
    provider: Provider,
    seriesId: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<PanelAnswer>;
}

function* order(provider: Provider, seriesId: string, panel: PanelData): Steps<PanelData> {
  const rows = panel.series.reduce((sum, { data }) => sum + data.length, 0);
  if (rows > maxPanelObservations) {
    throw invalid(
      'panel_too_large',
      `'${seriesId}' of ${provider.name} has ${rows} observations of ${panel.series.length} series; a panel has at most ${maxPanelObservations}. Name fewer codes, or a start.`,
      {
        provider: provider.slug,
        observations: rows,
        series: panel.series.length,
        limit: maxPanelObservations,
      },
    );
  }
  const series: PanelData['series'][number][] = [];
  for (const one of panel.series) {
    yield;
    series.push({ ...one, data: orderObservations(provider, seriesId, one.data) });
  }
  return { ...panel, series };
}

const valueJson = (value: string | null): string => value ?? 'null';

/** JSON is written by hand, since values keep the digits of the upstream. */
const longRows = ({ dimensions, series }: PanelData): string[] =>
  series.flatMap(({ codes, labels, data }) => {
    const key = dimensions
      .map(({ id }, place) => {
        const [code, label] = [JSON.stringify(codes[place] ?? ''), JSON.stringify(labels[place] ?? '')];
        return `,${JSON.stringify(id)}:${code},${JSON.stringify(`${id}_label`)}:${label}`;
      })
      .join('');
    return data.map(
      ({ date, value, flag }) =>
        `{"date":"${date}"${key},"value":${valueJson(value)}${flag === undefined ? '' : `,"flag":${JSON.stringify(flag)}`}}`,
    );
  });

const nameOf = (codes: readonly string[]): string => codes.join('.');

/** Maximum cells (dates times series) of a wide panel. */
const maxCells = 2_000_000;

const wideRows = (seriesId: string, { series }: PanelData): string[] => {
  const columns = series.map(({ codes, data }) => ({
    name: JSON.stringify(nameOf(codes)),
    values: new Map(data.map(({ date, value }) => [date, value])),
  }));
  const dates = [...new Set(series.flatMap(({ data }) => data.map(({ date }) => date)))].sort();
  const cells = dates.length * series.length;
  if (cells > maxCells) {
    throw invalid(
      'panel_too_large',
      `'${seriesId}' has ${dates.length} dates of ${series.length} series; a wide panel has at most ${maxCells} cells. Use the long shape, name fewer codes, or a start.`,
      { dates: dates.length, series: series.length, limit: maxCells },
    );
  }
  return dates.map((date) => {
    const written = columns.map(({ name, values }) => `,${name}:${valueJson(values.get(date) ?? null)}`);
    return `{"date":"${date}","values":{${written.join('').slice(1)}}}`;
  });
};

export const panelBody = (
  { seriesId, panel, stale, ageSeconds }: PanelAnswer,
  shape: PanelShape,
): PanelBody => {
  const metadata: SeriesMetadata = stale
    ? { ...panel.metadata, stale: true, age_seconds: ageSeconds }
    : panel.metadata;
  const series = panel.series.map(({ codes, labels, data }) => ({
    name: nameOf(codes),
    codes,
    labels,
    observations: data.length,
  }));
  const head = JSON.stringify({
    series_id: seriesId,
    label: panel.label,
    metadata,
    dimensions: panel.dimensions,
    series,
    ...(panel.missing === undefined ? {} : { missing: panel.missing }),
    shape,
  }).slice(0, -1);
  const rows = shape === 'long' ? longRows(panel) : wideRows(seriesId, panel);
  const json = `${head},"data":[${rows.join(',')}]}`;
  return { json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"` };
};

/** Adds the address of the panel to the 400 of an id that names several series. */
export const withPanelHint = async <T>(
  provider: Provider,
  seriesId: string,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error) || error.code !== 'ambiguous_series' || provider.panel === undefined) throw error;
    const panel = `/providers/${provider.slug}/series/${encodeURIComponent(seriesId)}/panel`;
    throw invalid(error.code, `${error.message} POST ${panel} reads all of them.`, {
      ...error.details,
      panel,
    });
  }
};

export interface PanelReaderOptions {
  readonly operations: Operations;
  /** Titles of series in the search index. */
  readonly titlesOf: (provider: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The day in UTC, YYYY-MM-DD. */
  readonly today: () => string;
}

/** Reads several series at once. */
export const createPanelReader = ({ operations, titlesOf, today }: PanelReaderOptions): PanelReader => {
  /** Series whose label is only their id get the title of the index. */
  const withTitles = async (provider: Provider, panel: PanelData): Promise<PanelData> => {
    const untitled = panel.series.flatMap(({ codes, labels }) =>
      panel.dimensions.flatMap(({ id }, place) => {
        const code = codes[place];
        return id === 'series' && code !== undefined && labels[place] === code ? [code] : [];
      }),
    );
    if (untitled.length === 0) return panel;
    const titles = await titlesOf(provider.slug, untitled);
    const series = panel.series.map((one) => ({
      ...one,
      labels: one.labels.map((label) => titles.get(label) ?? label),
    }));
    return { ...panel, series };
  };

  return {
    async read(caller, provider, seriesId, given) {
      const panel =
        provider.panel?.bind(provider) ??
        ((id: string, params: Params, ctx: Context) => joinedPanel(provider, id, params, ctx));
      const resolved = resolveParams(provider, given, { panel: true });
      const key = await operations.requireKey(provider, caller);
      const begins = provider.defaultStart?.of(resolved, { key: key.kind, today: today() });
      const params = begins === undefined ? resolved : { ...resolved, start: begins };
      const { value, ageSeconds, stale } = await operations.run<PanelData>({
        provider,
        caller,
        subject: { seriesId },
        parts: ['panel', seriesId, Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))],
        validity: 'series',
        work: async (ctx) => runSliced(order(provider, seriesId, await panel(seriesId, params, ctx))),
      });
      const named = await withTitles(provider, value);
      const note = begins === undefined ? undefined : provider.defaultStart?.note;
      const metadata = note === undefined ? named.metadata : { ...named.metadata, range_note: note };
      return { seriesId, params, panel: { ...named, metadata }, ageSeconds, stale };
    },
  };
};
