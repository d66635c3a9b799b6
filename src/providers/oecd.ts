import { oecdPlaces } from './patterns.js';
import { createSdmx21 } from './sdmx21/sdmx21.js';

/**
 * Sixty downloads an hour for everybody here together, and `lastNObservations` is refused for the largest flows:
 * a series is fetched as a whole, kept, and cut here. Rows come in no order.
 */
export const oecd = createSdmx21({
  slug: 'oecd',
  name: 'OECD Data Explorer',
  provider: 'Organisation for Economic Co-operation and Development',
  description:
    'National accounts (GDP), prices (inflation), labour, trade, education, health, environment, tax and leading indicators of OECD members and partners.',
  license: 'CC BY 4.0, OECD terms and conditions: https://www.oecd.org/en/about/terms-conditions.html',
  attribution: 'Source: OECD',
  popularSeries: [
    {
      id: 'OECD.SDD.STES,DSD_KEI@DF_KEI/GBR.M.IRLT....',
      label: 'Long-term interest rate, United Kingdom',
    },
    { id: 'OECD.SDD.STES,DSD_STES@DF_CLI/G20.M.LI...AA...H', label: 'Composite leading indicator, G20' },
    {
      id: 'OECD.SDD.TPS,DSD_PRICES@DF_PRICES_ALL/GBR.A.N.CPI.PA._T.N.GY',
      label: 'Consumer price inflation, United Kingdom, annual',
    },
  ],
  patterns: [
    {
      id: 'OECD.SDD.STES,DSD_KEI@DF_KEI/{}.M.IRLT....',
      label: 'Long-term interest rate (10-year government bond yield), monthly',
      codes: oecdPlaces,
    },
    {
      id: 'OECD.SDD.TPS,DSD_PRICES@DF_PRICES_ALL/{}.A.N.CPI.PA._T.N.GY',
      label: 'Consumer price inflation, CPI, annual',
      codes: oecdPlaces,
    },
  ],
  seriesIdPlaceholder: 'OECD.SDD.STES,DSD_KEI@DF_KEI/GBR.M.IRLT....',
  browseRootLabel: 'Dataflows',
  anonymousLimitMessage: 'The OECD allows 60 data downloads an hour; answers are kept and reused for a day.',

  baseUrl: 'https://sdmx.oecd.org/public/rest',
  limits: { anonymous: { perSecond: 2, perHour: 60 }, resetZone: 'Europe/Paris', maxConcurrent: 2 },
  validity: { structure: 604_800, list: 604_800, series: 86_400 },
  timeoutMs: 60_000,
  // The list of all flows, some 1,500 with their descriptions.
  maxReplyBytes: 64 * 1024 * 1024,

  agency: 'all',
  flowRef: 'agency',
  csv: {
    query: { dimensionAtObservation: 'TIME_PERIOD' },
    accept: 'application/vnd.sdmx.data+csv; charset=utf-8',
  },
  availability: 'constraint',
  structureTimeoutMs: 180_000,
  structureCounted: false,
  wholeSeries: true,
  datesLoads: true,
});
