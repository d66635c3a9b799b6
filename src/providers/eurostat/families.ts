import { loadPart } from '../listing.js';
import { eurostatPlaces } from '../patterns.js';
import type { Context, Item, SeriesPattern } from '../provider.js';
import { fetchDimensions, hasCode } from './dimensions.js';

export const popularSeries = [
  { id: 'prc_hicp_minr/M.RCH_A.TOTAL.EU27_2020', label: 'HICP inflation, all items, EU, monthly' },
  { id: 'une_rt_m/M.SA.TOTAL.PC_ACT.T.EU27_2020', label: 'Unemployment rate, EU, monthly' },
  { id: 'namq_10_gdp/Q.CLV_PCH_PRE.SCA.B1GQ.EU27_2020', label: 'GDP growth, EU, quarterly' },
  { id: 'demo_pjan/A.NR.TOTAL.T.EU27_2020', label: 'Population on 1 January, EU' },
  { id: 'ei_bsco_m/M.BS-CSMCI.SA.BAL.EU27_2020', label: 'Consumer confidence, EU, monthly' },
];

/** Series that people ask for by a place. */
export const families: readonly SeriesPattern[] = [
  { id: 'prc_hicp_minr/M.RCH_A.TOTAL.{}', label: 'HICP inflation, all items, monthly' },
  { id: 'une_rt_m/M.SA.TOTAL.PC_ACT.T.{}', label: 'Unemployment rate, monthly' },
  { id: 'une_rt_m/M.SA.Y_LT25.PC_ACT.T.{}', label: 'Youth unemployment rate, under 25, monthly' },
  { id: 'namq_10_gdp/Q.CLV_PCH_PRE.SCA.B1GQ.{}', label: 'GDP growth, quarterly' },
  { id: 'demo_pjan/A.NR.TOTAL.T.{}', label: 'Population on 1 January' },
  { id: 'ei_bsco_m/M.BS-CSMCI.SA.BAL.{}', label: 'Consumer confidence, monthly' },
  { id: 'nama_10_gdp/A.CLV_PCH_PRE.B1GQ.{}', label: 'GDP growth, annual' },
  { id: 'prc_hpi_q/Q.TOTAL.RCH_A.{}', label: 'House prices, change from the year before, quarterly' },
  { id: 'gov_10dd_edpt1/A.PC_GDP.S13.GD.{}', label: 'Government debt, percent of GDP, annual' },
  {
    id: 'gov_10dd_edpt1/A.PC_GDP.S13.B9.{}',
    label: 'Government budget deficit (-) or surplus, percent of GDP, annual',
  },
  {
    id: 'irt_lt_mcby_m/M.MCBY.{}',
    label: 'Government bond yield, 10-year, long-term interest rate, monthly',
  },
  {
    id: 'bop_gdp6_q/Q.PC_GDP.NSA.CA.BAL.WRL_REST.{}',
    label: 'Current account balance, percent of GDP, quarterly',
  },
].map((pattern) => ({ ...pattern, codes: eurostatPlaces }));

const place = '{}';

/**
 * The series of the families for every place that their datasets have, so that a hit can be read and places beyond the
 * bundled ones are found. A family whose other codes the dataset no longer has lists nothing.
 */
export const listFamilies = async function* (ctx: Context): AsyncIterable<Item> {
  const popular = new Set(popularSeries.map(({ id }) => id));
  for (const { id: family, label } of families) {
    const [dataset = '', key = ''] = family.split('/');
    const codes = key.split('.');
    const dimensions = (await loadPart(ctx, dataset, () => fetchDimensions(dataset, ctx))) ?? [];
    const isKnown = codes.every((code, index) => code === place || hasCode(dimensions[index], code));
    if (codes.length !== dimensions.length || !isKnown) continue;
    for (const [code, name] of dimensions[codes.indexOf(place)]?.codes ?? []) {
      const id = family.replace(place, code);
      if (!popular.has(id)) yield { id, label: `${label}, ${name}` };
    }
  }
};
