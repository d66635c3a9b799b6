import type { PhysicalType, StoredColumn } from '../../../../src/model/column.js';
import { dataTypeOf } from '../../../../src/model/column-types/column-types.js';
import type { ReadableVersion } from '../../../../src/model/version.js';
import { placeOf } from '../../../../src/rows/place.js';

/** A version in its own table, with columns of these types and ids from 1. */
export const versionOf = (
  physicals: Readonly<Record<string, PhysicalType>>,
  rowCount: number,
): ReadableVersion => ({
  versionId: 1,
  datasetId: 1,
  place: placeOf({ storeId: 1, shard: 1, pool: null }),
  columns: Object.entries(physicals).map(([name, physical], index): StoredColumn => {
    const dataType = dataTypeOf(physical);
    const id = index + 1;
    return {
      id,
      storageId: id,
      name,
      physical,
      dataType,
      isEntity: dataType !== 'Decimal',
      description: null,
    };
  }),
  rowCount,
  byteSize: 1,
  createdAt: '2026-01-01T00:00:00Z',
  segmentIds: [1],
});
