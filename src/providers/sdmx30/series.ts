import {
  ambiguousSeries,
  isSeriesMissing,
  malformedSeriesId,
  seriesNotFound,
  unexpectedReply,
} from '../errors.js';
import { legendOf, sdmxStatuses } from '../flags.js';
import { loadPart } from '../listing.js';
import { toMetadata } from '../metadata.js';
import type { Context, SeriesData, SeriesMetadata, UpstreamRequest } from '../provider.js';
import { missingSeries, requireOneSeries } from '../sdmx/one-series.js';
import { frequencyLabel, spellWith, withoutNames } from '../sdmx/structure.js';
import { readExponent, unitWithExponent } from '../units.js';
import { type KeyedSeries, readSeries, statusIds } from './data.js';
import { fetchStructure, json, newest, type Sdmx30Record } from './requests.js';
import type { FlowStructure } from './structure.js';

const idForm = /^([\w.-]+),([\w@-]+)(?:,([\w.+~-]+))?\/([\w@$*+-]*(?:\.[\w@$*+-]*)*)$/;

export const describe = (
  record: Sdmx30Record,
  { key, attributes, observations }: KeyedSeries,
  structure: FlowStructure | undefined,
): { readonly label: string; readonly metadata: SeriesMetadata } => {
  const spelling = spellWith(structure);
  const spell = (id: string, code: string): string => spelling(id, code) ?? code;
  const first = (meant: RegExp): string | undefined => {
    const found = Object.entries({ ...attributes, ...key }).find(([id]) => meant.test(id));
    // The code of a unit has no meaning by itself.
    return found === undefined || structure === undefined ? undefined : spell(...found);
  };
  return {
    label: Object.entries(key)
      .map(([id, code]) => spell(id, code))
      .join(' - '),
    metadata: toMetadata({
      frequency: frequencyLabel(key.FREQUENCY ?? key.FREQ),
      // `SCALE` is only for display; the values are already in single units.
      ...unitWithExponent(first(/^UNIT(?:_MEASURE)?$/), readExponent(attributes.UNIT_MULT)),
      seasonal_adjustment: first(/^S_ADJUSTMENT$|^ADJUSTMENT$/),
      source: record.provider,
      dataset: structure?.flow?.name,
      notes: structure?.flow?.description,
      flags: legendOf(
        observations,
        ...statusIds.map((id) => structure?.attributes.get(id) ?? {}),
        sdmxStatuses,
      ),
    }),
  };
};

interface SeriesRef {
  readonly flow: readonly [agency: string, id: string, version: string];
  /** Codes joined with dots. An open position is a star, since the service treats an empty one as a missing code. */
  readonly key: string;
}

export const parseSeriesId = (record: Sdmx30Record, seriesId: string): SeriesRef => {
  const [whole, agency = '', flow = '', version = newest, key = ''] = idForm.exec(seriesId) ?? [];
  if (whole === undefined || key === '') {
    throw malformedSeriesId(record, seriesId, record.seriesIdPlaceholder);
  }
  const stars = key.split('.').map((code) => code || '*');
  return { flow: [agency, flow, version], key: stars.join('.') };
};

/** Fetches all series of a key that have observations, as a whole: preview and every range share one reply. */
export const fetchAllSeries = async (
  record: Sdmx30Record,
  seriesId: string,
  { flow, key }: SeriesRef,
  ctx: Context,
): Promise<readonly KeyedSeries[]> => {
  const request: UpstreamRequest = {
    path: ['data', 'dataflow', ...flow, key],
    query: { dimensionAtObservation: 'TIME_PERIOD', attributes: 'dsd', measures: 'all' },
    headers: json,
    keep: 'series',
  };
  // Some services return 404, others an empty reply.
  const payload = await ctx.http.json(request).catch((error: unknown) => {
    if (isSeriesMissing(error)) return undefined;
    throw error;
  });
  if (payload === undefined) {
    throw await missingSeries(record, seriesId, key, () => fetchStructure(record, flow, ctx));
  }
  return readSeries(record, payload).filter(({ observations }) => observations.length > 0);
};

export const fetchSeries = async (
  record: Sdmx30Record,
  seriesId: string,
  ctx: Context,
): Promise<SeriesData> => {
  const ref = parseSeriesId(record, seriesId);
  if (ref.key.includes('+')) throw ambiguousSeries(record, seriesId, 'give one code for each dimension');
  const found = await fetchAllSeries(record, seriesId, ref, ctx);
  const keys = found.map(({ key: codes }) => codes);
  requireOneSeries(record, seriesId, keys, Object.keys(keys[0] ?? {}));
  const [series] = found;
  if (series === undefined) throw seriesNotFound(record, seriesId);
  if (found.length > 1) throw unexpectedReply(record, 'it has the same series twice');
  const structure = await loadPart(ctx, 'structure', () => fetchStructure(record, ref.flow, ctx));
  const named = { ...describe(record, series, structure), data: series.observations };
  return structure === undefined ? withoutNames(named) : named;
};
