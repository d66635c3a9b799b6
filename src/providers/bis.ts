import { policyRatePlaces, propertyPricePlaces } from './patterns.js';
import { createSdmx21 } from './sdmx21/sdmx21.js';

/** CSV is requested with its version: without one the service chooses, and SDMX-JSON 2.0 is answered with 406. */
export const bis = createSdmx21({
  slug: 'bis',
  name: 'BIS Statistics',
  provider: 'Bank for International Settlements',
  description:
    'Central bank policy rates, effective exchange rates, property prices, credit, debt securities, derivatives and international banking.',
  license: 'BIS terms of use for statistics: https://www.bis.org/terms_statistics.htm',
  attribution: 'Source: Bank for International Settlements (BIS)',
  popularSeries: [
    { id: 'WS_CBPOL/M.US', label: 'Central bank policy rate, United States, monthly' },
    { id: 'WS_CBPOL/M.XM', label: 'Central bank policy rate, Euro area, monthly' },
    { id: 'WS_EER/M.N.B.US', label: 'Effective exchange rate, nominal, broad basket, United States' },
    { id: 'WS_SPP/Q.US.N.628', label: 'Residential property prices, nominal, United States' },
    { id: 'WS_TC/Q.US.P.A.M.770.A', label: 'Credit to the private non-financial sector, United States' },
    { id: 'WS_XRU/M.XM.EUR.A', label: 'US dollar exchange rate of the euro, monthly average' },
  ],
  patterns: [
    { id: 'WS_CBPOL/M.{}', label: 'Central bank policy rate, monthly', codes: policyRatePlaces },
    { id: 'WS_SPP/Q.{}.N.628', label: 'Residential property prices, nominal', codes: propertyPricePlaces },
    {
      id: 'WS_EER/M.N.B.{}',
      label: 'Effective exchange rate, nominal, broad basket',
      codes: propertyPricePlaces,
    },
  ],
  seriesIdPlaceholder: 'WS_CBPOL/M.US',
  browseRootLabel: 'Dataflows',

  baseUrl: 'https://stats.bis.org/api/v1',
  // No number is published.
  limits: { anonymous: { perSecond: 5 }, resetZone: 'Europe/Zurich', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 21_600 },
  timeoutMs: 30_000,

  listedFlows: ['WS_CBPOL', 'WS_CREDIT_GAP', 'WS_DSR', 'WS_EER', 'WS_LONG_CPI', 'WS_SPP'],
  agency: 'BIS',
  flowRef: 'id',
  csv: { accept: 'application/vnd.sdmx.data+csv;version=1.0.0' },
  dataSuffix: ['all'],
  availability: 'constraint',
  codedUnits: true,
});
