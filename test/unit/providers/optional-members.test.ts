import { describe, expect, it } from 'vitest';
import { readSample, sampleOf } from './samples.js';

/** Members that upstreams omit or send as null for some series, without which observations must still be read. */
const optional: Readonly<Record<string, readonly string[]>> = {
  alphavantage: ['1. Information', '3. Last Refreshed', '5. Time Zone', '5. volume'],
  bankofcanada: ['description', 'terms', 'dimension'],
  bea: [
    'UTCProductionTime',
    'Notes',
    'METRIC_NAME',
    'CL_UNIT',
    'UNIT_MULT',
    'SeriesCode',
    'Statistic',
    'NoteRef',
  ],
  bls: ['catalog', 'footnotes', 'latest', 'periodName', 'series_title', 'measure_data_type', 'message'],
  dbnomics: [
    'dataset',
    'provider',
    '@frequency',
    'dimensions',
    'indexed_at',
    'series_name',
    'period_start_day',
  ],
  eia: ['units', 'series-description', 'area-name', 'dateFormat', 'description', 'alias', 'warnings'],
  eurostat: ['label', 'updated', 'source', 'extension', 'status', 'class', 'version'],
  fiscaldata: ['dataFormats', 'links', 'count'],
  fred: [
    'notes',
    'observation_start',
    'observation_end',
    'frequency',
    'units',
    'seasonal_adjustment',
    'last_updated',
    'popularity',
    'realtime_start',
  ],
  imf: [
    'attributes',
    'dimensionGroupAttributes',
    'roles',
    'meta',
    'measures',
    'name',
    'description',
    'keyPosition',
  ],
  ons: ['years', 'quarters', 'unit', 'preUnit', 'releaseDate', 'nextRelease', 'keyNote', 'title'],
  worldbank: [
    'unit',
    'source',
    'sourceNote',
    'sourceOrganization',
    'topics',
    'lastupdated',
    'country',
    'countryiso3code',
    'decimal',
  ],
};

const without =
  (name: string, replacement: null | undefined) =>
  (reply: string): string =>
    reply.startsWith('{') || reply.startsWith('[')
      ? JSON.stringify(JSON.parse(reply), (key, value: unknown) => (key === name ? replacement : value))
      : reply;

const cases = Object.entries(optional).flatMap(([slug, names]) => names.map((name) => [slug, name] as const));

describe('a reply without an optional member', () => {
  it.each(cases)('%s without %j', async (slug, name) => {
    const sample = sampleOf(slug);
    const { data } = await readSample(sample);
    for (const replacement of [undefined, null]) {
      const edit = without(name, replacement);
      const found = await readSample(sample, edit, edit);
      expect(found.label).not.toBe('');
      expect(found.data.map(({ date }) => date)).toEqual(data.map(({ date }) => date));
    }
  });
});

describe('SDMX-CSV without an optional column', () => {
  const cut =
    (column: string) =>
    (reply: string): string => {
      const [head = '', ...rows] = reply.trim().split('\n');
      const place = head.split(',').indexOf(column);
      if (place === -1) return reply;
      return [head, ...rows]
        .map((line) =>
          line
            .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
            .filter((_, index) => index !== place)
            .join(','),
        )
        .join('\n');
    };

  it.each([
    ['bis', ['OBS_STATUS', 'UNIT_MULT', 'UNIT_MEASURE', 'SOURCE_REF', 'COMPILATION', 'TITLE']],
    ['ecb', ['KEY', 'OBS_STATUS', 'UNIT', 'UNIT_MULT', 'TITLE_COMPL', 'SOURCE_AGENCY']],
    ['ilo', ['OBS_STATUS', 'UNIT_MEASURE', 'UNIT_MULT', 'SOURCE']],
    ['oecd', ['OBS_STATUS', 'UNIT_MULT', 'BASE_PER']],
  ] as const)('%s', async (slug, columns) => {
    const sample = sampleOf(slug);
    const { data } = await readSample(sample);
    const valuesOf = (list: typeof data) => list.map(({ date, value }) => [date, value]);
    for (const column of columns) {
      const found = await readSample(sample, cut(column));
      expect(valuesOf(found.data)).toEqual(valuesOf(data));
      expect(found.label).not.toBe('');
    }
  });
});
