import { columnTypeOf } from '../../model/column-types/column-types.js';
import { countDigits, type Digits, namedColumn } from '../../rows/index.js';
import type { ClickHouseServers } from '../../storage/clickhouse/client.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { readBase } from '../layout/base-version.js';
import type { LayoutColumn } from '../layout/layout.js';
import type { UploadState } from '../lifecycle/process-records.js';

/** Counts the digits of the numbers in a column of the current version. */
export type DigitCounter = (state: UploadState, column: LayoutColumn) => Promise<Digits | undefined>;

export const createDigitCounter =
  ({ sql, clickhouse }: { sql: Sql; clickhouse: ClickHouseServers }): DigitCounter =>
  async ({ datasetId }, column) => {
    const base = await readBase(sql, datasetId);
    const stored = base?.columns.find(({ id }) => id === column.id);
    if (base?.place == null || stored === undefined) return undefined;
    if (columnTypeOf(stored.physical).numbers === undefined) return undefined;
    return countDigits(clickhouse, base.place, base, namedColumn(stored));
  };
