import type { Provider } from '../provider.js';
import { rangeParameters } from '../range.js';
import { titledLines } from '../titled-lines.js';
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
  popularSeries: titledLines('popular/eia.txt'),
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
  // Not published; users report 5 per second and 5,000 per hour.
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
