import { currencies } from './patterns.js';
import { createSdmx21 } from './sdmx21/sdmx21.js';

/** Its CSV has semicolons and names between the codes, so generic XML is read. */
export const norgesBank = createSdmx21({
  slug: 'norgesbank',
  name: 'Norges Bank open data',
  provider: 'Norges Bank',
  description:
    'Exchange rates of the Norwegian krone, the policy rate, money market rates, government bonds and announcements.',
  license: 'Norges Bank open data: https://www.norges-bank.no/en/topics/Statistics/open-data/',
  attribution: 'Source: Norges Bank',
  popularSeries: [
    { id: 'EXR/B.USD.NOK.SP', label: 'US dollar in Norwegian kroner, daily' },
    { id: 'EXR/B.EUR.NOK.SP', label: 'Euro in Norwegian kroner, daily' },
    { id: 'IR/B.KPRA.SD.R', label: 'Key policy rate' },
  ],
  patterns: [
    {
      id: 'EXR/B.{}.NOK.SP',
      label: 'Exchange rate in Norwegian kroner, daily',
      ...currencies('USD EUR GBP SEK DKK CHF JPY AUD CAD CNY NZD PLN'),
    },
  ],
  home: 'NO',
  seriesIdPlaceholder: 'EXR/B.USD.NOK.SP',
  browseRootLabel: 'Dataflows',
  baseUrl: 'https://data.norges-bank.no/api',
  limits: { anonymous: { perSecond: 5 }, resetZone: 'Europe/Oslo', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 3_600 },
  timeoutMs: 30_000,
  listedFlows: ['EXR', 'IR'],
  agency: 'NB',
  flowRef: 'id',
  availability: 'codelist',
  // An exponent of 2 with 104.10 means 104.10 kroner for 100 Swedish kronor
  // (https://www.norges-bank.no/en/topics/Statistics/exchange_rates/).
  quotedFor: { base: 'BASE_CUR', quote: 'QUOTE_CUR', exponent: 'amount' },
});
