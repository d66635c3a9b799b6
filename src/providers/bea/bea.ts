import type { Provider } from '../provider.js';
import { rangeParameters } from '../range.js';
import { titledLines } from '../titled-lines.js';
import { browse, listAll, seriesAt } from './datasets.js';
import { preview, series } from './observations.js';
import { explain, named } from './reply.js';

/** Documentation: https://apps.bea.gov/api/_pdf/bea_web_service_api_user_guide.pdf */
export const bea: Provider = {
  ...named,
  provider: 'U.S. Bureau of Economic Analysis',
  description:
    'National accounts of the United States: gross domestic product (GDP), income, consumption, saving, investment, fixed assets, industries, the accounts of states, counties and metropolitan areas, and international transactions and investment.',
  capabilities: ['hierarchical', 'search'],
  license: 'Public domain: https://www.bea.gov/help/faq/147',
  attribution: 'Source: U.S. Bureau of Economic Analysis',
  parameters: rangeParameters('date'),
  popularSeries: titledLines('popular/bea.txt'),
  home: 'US',
  seriesIdPlaceholder: 'NIPA/T10101/Q/1',
  browseRootLabel: 'Datasets',
  anonymousLimitMessage: 'A free key is required.',

  baseUrl: 'https://apps.bea.gov/api/data',
  key: {
    label: 'BEA UserID',
    url: 'https://apps.bea.gov/API/signup/',
    hint: 'Sign up for a free key of 36 characters at apps.bea.gov and store it as your BEA key.',
    required: true,
    where: { in: 'query', name: 'UserID' },
    // Public domain.
    mayShareAnswers: true,
  },
  // Also 100 MB per minute. Exceeding any of the three limits locks the key for an hour.
  limits: { keyed: { perMinute: 100 }, maxConcurrent: 2, errorsPerMinute: 25 },
  validity: { structure: 604_800, list: 86_400, series: 21_600 },
  timeoutMs: 60_000,
  maxReplyBytes: 64 * 1024 * 1024,

  explain,
  browse,
  seriesAt,
  listAll,
  preview,
  series,
};
