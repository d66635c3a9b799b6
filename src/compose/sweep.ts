import { keptVersions, sweepFiles } from '../exports/file-sweep.js';
import { createRetention } from '../ingest/maintenance/retention.js';
import { createStorageSweep } from '../ingest/maintenance/storage-sweep.js';
import { createClickHouse } from '../storage/clickhouse/client.js';
import { createPoolSegments } from '../storage/clickhouse/pool-segments.js';
import { createTableRenewal } from '../storage/clickhouse/table-renewal.js';
import { createStoreTables } from '../storage/clickhouse/tables.js';
import { required } from './core.js';
import { openExportStorage } from './export-storage.js';
import { bindInstallation } from './installation.js';
import type { OperatorParts } from './operator.js';

/** One kind of thing, and how many were removed or found. */
export interface SweptItem {
  readonly where: string;
  readonly what: string;
  readonly count: number;
}

const both = 'PostgreSQL and ClickHouse';

/** A sweep of everything that is stored, beside workers that run. */
export const openStorageSweep = async (parts: OperatorParts): Promise<() => Promise<SweptItem[]>> => {
  const { config, log, scope, sql } = parts;
  const clickhouse = createClickHouse({
    url: required(config.clickhouseUrl, 'CLICKHOUSE_URL'),
    database: config.clickhouseDatabase,
  });
  await scope.defer('ClickHouse connections', clickhouse.close);
  // Rows of another catalog would all look like leftovers.
  await bindInstallation(sql, clickhouse);
  const storage = createStorageSweep({
    sql,
    tables: createStoreTables(clickhouse),
    pools: createPoolSegments(clickhouse),
    renewal: createTableRenewal(clickhouse),
    poolDropIntervalMs: 0,
    retention: createRetention({ sql, log }),
    graceMs: config.segmentGraceMs,
    log,
  });
  const exported = await openExportStorage(config, scope);

  return async () => {
    const report = await storage.sweep();
    const files = await sweepFiles({
      storage: exported.storage,
      maxAgeMs: config.exportsMaxAgeMs,
      kept: keptVersions(sql),
    });
    return [
      { where: 'PostgreSQL', what: 'versions beyond retention', count: report.versions },
      { where: 'PostgreSQL', what: 'compactions of silent workers', count: report.abandonedCompactions },
      { where: both, what: 'segments that no version names', count: report.segments },
      { where: both, what: 'stores without a dataset', count: report.stores },
      { where: 'ClickHouse', what: 'segments that PostgreSQL does not know', count: report.orphanSegments },
      { where: 'ClickHouse', what: 'tables that PostgreSQL does not know', count: report.orphanStores },
      { where: 'ClickHouse', what: 'segments that are missing (not removed)', count: report.missingSegments },
      { where: 'export files', what: 'files of versions that are gone, or old', count: files },
    ];
  };
};
