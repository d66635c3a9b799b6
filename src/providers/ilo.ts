import { createSdmx21 } from './sdmx21/sdmx21.js';

export const ilo = createSdmx21({
  slug: 'ilo',
  name: 'ILOSTAT',
  provider: 'International Labour Organization',
  description:
    'Employment, unemployment, wages, working time, informality and labour force by country, sex and age.',
  license: 'CC BY 4.0, ILO rights and permissions: https://www.ilo.org/rights-and-permissions',
  attribution: 'Source: International Labour Organization, ILOSTAT',
  popularSeries: [
    {
      id: 'ILO,DF_UNE_TUNE_SEX_AGE_NB/USA.A.UNE_TUNE_NB.SEX_T.AGE_YTHADULT_YGE15',
      label: 'Unemployment, United States, thousands, annual',
    },
  ],
  seriesIdPlaceholder: 'ILO,DF_UNE_TUNE_SEX_AGE_NB/USA.A.UNE_TUNE_NB.SEX_T.AGE_YTHADULT_YGE15',
  browseRootLabel: 'Dataflows',
  baseUrl: 'https://sdmx.ilo.org/rest',
  limits: { anonymous: { perSecond: 2 }, resetZone: 'Europe/Zurich', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 86_400 },
  timeoutMs: 60_000,
  agency: 'ILO',
  flowRef: 'agency',
  csv: { accept: 'application/vnd.sdmx.data+csv;version=1.0.0' },
  availability: 'constraint',
  structureTimeoutMs: 120_000,
});
