import { commodities, weoPlaces } from './patterns.js';
import { createSdmx30 } from './sdmx30/sdmx30.js';

export const imf = createSdmx30({
  slug: 'imf',
  name: 'IMF Data',
  provider: 'International Monetary Fund',
  description:
    'World Economic Outlook, GDP, inflation, balance of payments, government finance, money, exchange rates, commodity prices and trade.',
  license: 'IMF copyright and terms of use: https://www.imf.org/en/About/copyright-and-terms',
  attribution: 'Source: International Monetary Fund',
  popularSeries: [
    { id: 'IMF.RES,WEO/USA.NGDP_RPCH.A', label: 'Real GDP growth, United States, annual' },
    { id: 'IMF.RES,WEO/USA.PCPIPCH.A', label: 'Consumer price inflation, United States, annual' },
    { id: 'IMF.RES,PCPS/G001.PGOLD.USD.M', label: 'Gold price, US dollars per troy ounce, monthly' },
    { id: 'IMF.RES,PCPS/G001.POILBRE.USD.M', label: 'Brent crude oil price, monthly' },
  ],
  patterns: [
    { id: 'IMF.RES,WEO/{}.NGDP_RPCH.A', label: 'Real GDP growth, annual', codes: weoPlaces },
    { id: 'IMF.RES,WEO/{}.NGDPD.A', label: 'GDP, current prices, US dollars, annual', codes: weoPlaces },
    {
      id: 'IMF.RES,WEO/{}.NGDPDPC.A',
      label: 'GDP per capita, current prices, US dollars, annual',
      codes: weoPlaces,
    },
    { id: 'IMF.RES,WEO/{}.PCPIPCH.A', label: 'Consumer price inflation, annual', codes: weoPlaces },
    { id: 'IMF.RES,WEO/{}.LUR.A', label: 'Unemployment rate, annual', codes: weoPlaces },
    { id: 'IMF.RES,WEO/{}.LP.A', label: 'Population, annual', codes: weoPlaces },
    {
      id: 'IMF.RES,WEO/{}.GGXWDG_NGDP.A',
      label: 'Government debt, gross, percent of GDP, annual',
      codes: weoPlaces,
    },
    {
      id: 'IMF.RES,WEO/{}.GGXCNL_NGDP.A',
      label: 'Government budget balance (net lending or borrowing), percent of GDP, annual',
      codes: weoPlaces,
    },
    {
      id: 'IMF.RES,WEO/{}.BCA_NGDPD.A',
      label: 'Current account balance, percent of GDP, annual',
      codes: weoPlaces,
    },
    { id: 'IMF.RES,PCPS/G001.{}.USD.M', label: 'Commodity price, monthly', ...commodities },
  ],
  seriesIdPlaceholder: 'IMF.RES,WEO/USA.NGDP_RPCH.A',
  browseRootLabel: 'Agencies',

  baseUrl: 'https://api.imf.org/external/sdmx/3.0',
  // Nothing official is published: the limit of the older service.
  limits: { anonymous: { perSecond: 2 }, resetZone: 'America/New_York', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 21_600 },
  timeoutMs: 30_000,
  structureTimeoutMs: 90_000,

  agencies: {
    ISORA: 'International Survey on Revenue Administration',
    'IMF.AFR': 'African Department',
    'IMF.APD': 'Asia and Pacific Department',
    'IMF.FAD': 'Fiscal Affairs Department',
    'IMF.MCD': 'Middle East and Central Asia Department',
    'IMF.MCM': 'Monetary and Capital Markets Department',
    'IMF.RES': 'Research Department',
    'IMF.STA': 'Statistics Department',
    'IMF.WHD': 'Western Hemisphere Department',
  },
});
