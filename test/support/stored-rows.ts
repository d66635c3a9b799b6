import type { Place } from '../../src/model/version.js';
import { countSegments } from '../../src/rows/index.js';
import type { ClickHouseServers } from '../../src/storage/clickhouse/client.js';
import { ifTableExists } from '../../src/storage/clickhouse/errors.js';

/** Number of rows of a segment; 0 if the table or the segment does not exist. */
export const countRows = (servers: ClickHouseServers, place: Place, segment: number): Promise<number> =>
  ifTableExists(
    async () => (await countSegments(servers, place, { segmentIds: [segment] }, undefined)).rows,
    0,
  );
