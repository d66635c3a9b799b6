import type { Provider } from '../provider.js';
import { rangeParameters } from '../range.js';
import { hourRules } from './hours.js';
import { preview, series } from './observations.js';
import { explain, named } from './reply.js';
import { browse, listAll, seriesAt } from './routes.js';

/** Documentation: https://www.eia.gov/opendata/documentation.php */
export const eia: Provider = {
  ...named,
  provider: 'U.S. Energy Information Administration',
  description:
    'Energy statistics of the United States and other countries: petroleum, natural gas, coal, electricity, nuclear, renewables, prices, stocks, emissions, outlooks.',
  capabilities: ['hierarchical', 'search'],
  license: 'Public domain: https://www.eia.gov/about/copyrights_reuse.php',
  attribution: 'Source: U.S. Energy Information Administration',
  parameters: [
    ...rangeParameters('date'),
    {
      key: 'hours',
      label: 'Value of a day, for hourly series',
      type: 'select',
      location: 'query',
      values: hourRules,
      default: 'mean',
    },
  ],
  popularSeries: [
    { id: 'petroleum/pri/spt/daily/value/series=RWTC', label: 'Crude oil, WTI spot price, Cushing, daily' },
    { id: 'petroleum/pri/spt/daily/value/series=RBRTE', label: 'Crude oil, Brent spot price, daily' },
    { id: 'petroleum/pri/fut/daily/value/series=RCLC1', label: 'Crude oil, WTI future contract 1, daily' },
    {
      id: 'petroleum/pri/gnd/weekly/value/series=EMM_EPM0_PTE_NUS_DPG',
      label: 'Gasoline, all grades, U.S. retail price, weekly',
    },
    {
      id: 'petroleum/stoc/wstk/weekly/value/series=WCESTUS1',
      label: 'Crude oil, U.S. ending stocks without the strategic reserve, weekly',
    },
    {
      id: 'natural-gas/pri/fut/daily/value/series=RNGWHHD',
      label: 'Natural gas, Henry Hub spot price, daily',
    },
    {
      id: 'electricity/retail-sales/monthly/price/stateid=US/sectorid=RES',
      label: 'Electricity, U.S. residential price, monthly',
    },
  ],
  home: 'US',
  seriesIdPlaceholder: 'petroleum/pri/spt/daily/value/series=RWTC',
  browseRootLabel: 'Routes',
  anonymousLimitMessage: 'A free key is required.',

  baseUrl: 'https://api.eia.gov/v2',
  key: {
    label: 'EIA API key',
    url: 'https://www.eia.gov/opendata/register.php',
    hint: 'Register for a free key at eia.gov/opendata and store it as your EIA key.',
    required: true,
    where: { in: 'query', name: 'api_key' },
    // Public domain.
    mayShareAnswers: true,
  },
  // Not published; 5 a second and 5,000 an hour are what its users report.
  limits: { keyed: { perSecond: 5, perHour: 5_000 }, resetZone: 'America/New_York', maxConcurrent: 2 },
  validity: { structure: 604_800, list: 86_400, series: 10_800 },
  timeoutMs: 30_000,

  explain,
  browse,
  seriesAt,
  listAll,
  preview,
  series,
};
