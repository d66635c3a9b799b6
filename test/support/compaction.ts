/** Compaction of the product under test, run by the test instead of the job. */
import { silentLog } from '../../src/lib/log.js';
import { type CompactionSteps, createCompactions } from '../../src/rows/compactions.js';
import type { FoldLimits } from '../../src/rows/folds.js';
import { createCompactor, createJoin } from '../../src/rows/index.js';
import { type ClickHouse, createClickHouse } from '../../src/storage/clickhouse/client.js';
import { leasesOf } from './leases.js';
import type { TestProduct } from './product.js';

export const openClickHouse = ({ config }: TestProduct): ClickHouse =>
  createClickHouse({ url: config.clickhouseUrl ?? '', database: config.clickhouseDatabase });

/** Joins runs of at least three segments, and folds patches if limits are given. @returns number of joined runs. */
export const compact = (
  { sql }: TestProduct,
  clickhouse: ClickHouse,
  {
    steps,
    folds,
  }: { readonly steps?: CompactionSteps | undefined; readonly folds?: FoldLimits | undefined } = {},
): Promise<number> =>
  createCompactor({
    compactions: createCompactions({ sql, leases: leasesOf(sql) }, steps),
    join: createJoin({ clickhouse, log: silentLog }),
    bounds: { least: 3, maxBytes: 1_000_000_000 },
    ...(folds === undefined ? {} : { folds }),
    onJoined: () => undefined,
    log: silentLog,
  }).compact(new AbortController().signal);
