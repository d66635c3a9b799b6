import { unknownPath } from '../errors.js';
import { loadPart, pageOf } from '../listing.js';
import type { Provider } from '../provider.js';
import { rangeParameters } from '../range.js';
import { titledLines } from '../titled-lines.js';
import { explain, named } from './rows.js';
import { preview, series, seriesOf } from './series.js';
import { findTable, type Table, tables } from './tables.js';

const tableAt = (path: readonly string[]): Table => {
  const table = path.length === 1 ? findTable(path[0] ?? '') : undefined;
  if (table === undefined) throw unknownPath(named, path);
  return table;
};

/** Documentation: https://fiscaldata.treasury.gov/api-documentation/ */
export const fiscalData: Provider = {
  ...named,
  provider: 'U.S. Department of the Treasury, Bureau of the Fiscal Service',
  description:
    'Finances of the federal government of the United States: public debt, interest rates and interest expense, exchange rates, cash balance, receipts and outlays, gold.',
  capabilities: ['hierarchical', 'search'],
  license: 'Open data without restriction: https://fiscaldata.treasury.gov/about-us/',
  attribution: 'Source: U.S. Department of the Treasury, FiscalData',
  parameters: rangeParameters('date'),
  popularSeries: titledLines('popular/fiscaldata.txt'),
  home: 'US',
  seriesIdPlaceholder: 'v2/accounting/od/debt_to_penny/tot_pub_debt_out_amt',
  browseRootLabel: 'Tables',

  baseUrl: 'https://api.fiscaldata.treasury.gov/services/api/fiscal_service',
  // No limit is published, but HTTP 429 is documented.
  limits: { anonymous: { perSecond: 5 }, resetZone: 'America/New_York', maxConcurrent: 2 },
  validity: { structure: 86_400, list: 86_400, series: 10_800 },
  timeoutMs: 30_000,

  explain,

  async browse(path) {
    if (path.length > 0) {
      tableAt(path);
      return [];
    }
    return tables.map((table) => ({ segment: table.path, label: table.label, leaf: true }));
  },

  async seriesAt(path, page, { http }) {
    if (path.length === 0) return { items: [], total: 0 };
    return pageOf(await seriesOf(tableAt(path), http), page);
  },

  async *listAll(ctx) {
    for (const table of tables) {
      yield { id: table.path, label: table.label, kind: 'folder', path: [table.path] };
      yield* (await loadPart(ctx, table.path, () => seriesOf(table, ctx.http))) ?? [];
    }
  },

  preview,
  series,
};
