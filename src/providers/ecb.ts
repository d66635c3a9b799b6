import { currencies } from './patterns.js';
import { createSdmx21 } from './sdmx21/sdmx21.js';

/** Usual codes of the code list CL_UNIT. */
const unitWords: Readonly<Record<string, string>> = {
  HOURS: 'Hours',
  IX: 'Index',
  PC: 'Percent',
  PCCH: 'Percentage change',
  PCPA: 'Percent per annum',
  PERS: 'Persons',
  POINTS: 'Points',
  PURE_NUMB: 'Pure number',
};

/** CSV of the ECB has title, unit and notes in every row; the set of columns differs by flow. */
export const ecb = createSdmx21({
  slug: 'ecb',
  name: 'ECB Data Portal',
  provider: 'European Central Bank',
  description:
    'Exchange rates, interest rates, money and credit, banking, inflation (HICP), balance of payments and national accounts (GDP) of the euro area.',
  license:
    'Free reuse with the source named and the statistics unmodified: https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html',
  attribution: 'Source: European Central Bank (ECB)',
  popularSeries: [
    { id: 'EXR/D.USD.EUR.SP00.A', label: 'US dollar/Euro reference exchange rate, daily' },
    { id: 'EXR/M.USD.EUR.SP00.A', label: 'US dollar/Euro reference exchange rate, monthly average' },
    {
      id: 'FM/D.U2.EUR.4F.KR.MRR_FR.LEV',
      label: 'Main refinancing operations, fixed rate, key interest rate (policy rate) of the ECB',
    },
    {
      id: 'FM/D.U2.EUR.4F.KR.DFR.LEV',
      label: 'Deposit facility rate, key interest rate (policy rate) of the ECB',
    },
    { id: 'FM/M.U2.EUR.RT.MM.EURIBOR3MD_.HSTA', label: 'Euribor, 3-month, monthly average' },
    { id: 'FM/M.U2.EUR.RT.MM.EURIBOR1YD_.HSTA', label: 'Euribor, 12-month (1-year), monthly average' },
    { id: 'EST/B.EU000A2X2A25.WT', label: 'Euro short-term rate (€STR, ESTR), daily' },
  ],
  patterns: [
    {
      id: 'EXR/D.{}.EUR.SP00.A',
      label: 'Euro reference exchange rate, daily',
      ...currencies(
        `USD JPY CZK DKK GBP HUF PLN RON SEK CHF ISK NOK TRY AUD BRL CAD CNY HKD IDR ILS INR KRW MXN MYR NZD PHP
         SGD THB ZAR`,
      ),
    },
  ],
  home: 'EA21',
  seriesIdPlaceholder: 'EXR/D.USD.EUR.SP00.A',
  browseRootLabel: 'Dataflows',

  baseUrl: 'https://data-api.ecb.europa.eu/service',
  // No number is published.
  limits: { anonymous: { perSecond: 5 }, resetZone: 'Europe/Berlin', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 30_000,

  agency: 'ECB',
  flowRef: 'id',
  csv: { query: { format: 'csvdata' } },
  // `availableconstraint` is not offered; each flow has a content constraint of its own instead.
  availability: 'references',
  structureTimeoutMs: 60_000,
  unitWords,
  quotedFor: { base: 'CURRENCY_DENOM', quote: 'CURRENCY', exponent: 'unit' },
});
