import { groupBy } from '../panel.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData } from '../provider.js';
import { withinBounds } from '../range.js';
import { codesByShortCode, worldBankCountries, worldBankRegions } from './countries.js';
import {
  defaultCountry,
  fetchAllRows,
  fetchIndicator,
  frequencies,
  metadataOf,
  oneFrequency,
  toObservation,
} from './observations.js';

type Row = Awaited<ReturnType<typeof fetchAllRows>>['rows'][number];

/** Rows of income groups, and of some regions, have only the short code. */
const codeOf = ({ countryiso3code, country }: Row): string => {
  const id = country?.id ?? '';
  return countryiso3code || (codesByShortCode.get(id) ?? id);
};

const labels = new Map(worldBankCountries.map(({ code, label }) => [code, label]));

/** Maximum length of codes in a path segment; the service allows 1,500 characters. */
const longestList = 300;

/**
 * Several countries from one request. `all` means all countries, without regions and groups of countries, which would count people twice.
 */
export const panel = async (seriesId: string, params: Params, { http }: Context): Promise<PanelData> => {
  const described = await fetchIndicator(seriesId, http);
  const wanted = String(params.country ?? defaultCountry);
  const codes = new Set(wanted.split(';'));
  // For a long list all countries are requested, and the others are dropped here.
  const reply = await fetchAllRows(seriesId, codes.size > longestList ? 'all' : wanted, http);
  const chosen = reply.rows.filter((row) =>
    wanted === 'all' ? labels.has(codeOf(row)) && !worldBankRegions.has(codeOf(row)) : codes.has(codeOf(row)),
  );
  const frequencyWanted = params.frequency === undefined ? undefined : String(params.frequency);
  // Some countries have only years where others have quarters.
  const found = [...groupBy(chosen, (row) => [codeOf(row)]).values()].flatMap((own) => {
    const { frequency, rows } = oneFrequency(own, frequencyWanted);
    const [row] = rows;
    if (row === undefined) return [];
    const code = codeOf(row);
    const { data } = withinBounds({ label: '', metadata: {}, data: rows.map(toObservation) }, params);
    return [
      { codes: [code], labels: [row.country?.value || labels.get(code) || code], data, frequency, row },
    ];
  });
  const present = new Set(found.map(({ frequency }) => frequency));
  const frequency = frequencies.flatMap(({ label }) => (present.has(label) ? [label] : [])).join(', ');
  const series = found.map(({ frequency: _, row: __, ...one }) => one);
  const missing =
    wanted === 'all' ? [] : [...codes].filter((code) => !found.some((one) => one.codes[0] === code));
  const all = series.flatMap(({ data }) => data);
  return {
    label: described.name || seriesId,
    metadata: metadataOf(described, reply, {
      frequency: frequency || undefined,
      data: all,
      unit: found[0]?.row.unit,
    }),
    dimensions: [{ id: 'country', label: 'Country' }],
    series: series.toSorted((a, b) => ((a.codes[0] ?? '') < (b.codes[0] ?? '') ? -1 : 1)),
    ...(missing.length === 0 ? {} : { missing }),
  };
};
