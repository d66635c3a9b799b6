/** Downloads over a reader that records the statements instead of sending them. */
import { Readable } from 'node:stream';
import type { PhysicalType, StoredColumn } from '../../../src/model/column.js';
import { dataTypeOf } from '../../../src/model/column-types/column-types.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloads } from '../../../src/query/download.js';
import type { DownloadRequest } from '../../../src/query/download-request.js';
import { parseOptions } from '../../../src/query/options/options.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import type { Versions } from '../../../src/query/versions.js';
import { placeOf } from '../../../src/rows/place.js';
import { asReadCopy } from '../../../src/rows/read-copy-source.js';
import type { Reader, ReadQuery } from '../../../src/storage/clickhouse/reader.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import { querySemaphore } from '../../support/query-semaphore.js';

const physicals: readonly (readonly [string, PhysicalType])[] = [
  ['Country', 's'],
  ['Date', 'd'],
  ['Price', 'n38_4'],
  ['Volume', 'f'],
];

export const columns = physicals.map(
  ([name, physical], at): StoredColumn => ({
    id: at + 1,
    storageId: at + 1,
    name,
    physical,
    dataType: dataTypeOf(physical),
    isEntity: at < 2,
    description: null,
  }),
);

const slots = { c1_s: 's0', c2_d: 'd0', c3_n38_4: 'i0', c4_f: 'f0' };

export const own: ReadableVersion = {
  versionId: 7,
  datasetId: 3,
  place: placeOf({ storeId: 5, shard: 1, pool: null }),
  columns,
  rowCount: 400_000,
  byteSize: 1,
  createdAt: '2026-01-01T00:00:00Z',
  segmentIds: [9_001],
};

/** Rows of the second segment replace or delete rows of the first. */
const patched = { segmentIds: [9_001, 12_002], patches: [12_002], patchRows: [5], hidden: 6 };

const everywhere: ReadableVersion = {
  ...own,
  place: placeOf({ storeId: 5, shard: null, pool: null }),
  segmentIds: [9_001, 12_002],
};

export const versions: Readonly<Record<string, ReadableVersion>> = {
  'own table': own,
  'several segments': { ...own, segmentIds: [9_001, 12_002], cuts: [{ segmentId: 9_001, beforeUpload: 10 }] },
  pool: {
    ...own,
    rowCount: 100,
    place: placeOf({ storeId: 5, shard: 2, pool: { mapId: 4, pool: 'narrow', slots } }),
  },
  'all shards': everywhere,
  patches: { ...own, ...patched },
  'patches on all shards': { ...everywhere, ...patched },
  'no rows': { ...own, place: null, rowCount: 0, segmentIds: [] },
  'many columns': {
    ...own,
    columns: Array.from(
      { length: 300 },
      (_, at): StoredColumn => ({
        ...columns[3]!,
        id: at + 1,
        storageId: at + 1,
        name: `V${at}`,
        isEntity: false,
      }),
    ),
  },
  copy: { ...own, copy: asReadCopy({ table: 'r7_0f', plain: ['c2_d', 'c4_f'] }) },
};

/** Records the statements of requests, and returns a few small results that requests need to continue. */
export const recorder = () => {
  const statements: ReadQuery[] = [];
  const opened: Readable[] = [];
  const answer = (sql: string): unknown[] => {
    if (sql.includes(' AS date FROM')) return [{ date: '2020-01-01' }, { date: '2020-01-02' }];
    if (sql.includes('AS rows, toString(max(m))')) return [{ rows: '3', most: '2' }];
    if (sql.includes(' AS seg, ')) return [{ seg: '9001', row: '17' }];
    if (sql.includes(' AS exact'))
      return [{ segment: '9001', position: '140000', before: '139999', exact: 0 }];
    if (sql.startsWith('SELECT count() FROM')) return [[100]];
    if (sql.includes('AS found, sum(length(v))')) return [[20_000, 0, []]];
    if (/topK|groupArraySorted/.test(sql)) return [];
    if (sql.includes('JSONCompactEachRow'))
      return [Array.from({ length: 40 }, () => [0, 9, '9', '9', '9', '9', '9', 1, 9])];
    if (sql.includes(' AS f0')) return [{ f0: ['9.5', 1, '100'], f1: ['9.5', 1, '100'] }];
    if (sql.startsWith('SELECT toString((SELECT')) return [{ n: '139999' }];
    return [];
  };
  const reader: Reader = {
    database: 'db',
    open: async (query) => {
      statements.push(query);
      const bytes = Readable.from([], { objectMode: false });
      opened.push(bytes);
      return bytes;
    },
    queryObjects: async <T>(query: ReadQuery): Promise<T[]> => {
      statements.push(query);
      return answer(query.sql) as T[];
    },
    serversOf: (place) =>
      (place.shard === null ? [1, 2] : [place.shard ?? 1]).map((shard) => ({ ...place, shard })),
  };
  const text = (): string =>
    statements
      .map(({ sql, values, place, settings = {} }) =>
        [sql, JSON.stringify(values), JSON.stringify({ ...settings, shard: place.shard })].join('\n'),
      )
      // Sorted, because requests read rows and their number concurrently.
      .sort()
      .join('\n\n');
  return { reader, text, opened };
};

export const versionsOf = (version: ReadableVersion): Versions => ({
  find: async () => version,
  at: async () => version.versionId,
  remembered: () => version,
  forget: () => undefined,
});

export const signal = new AbortController().signal;
export const semaphore = querySemaphore({ maxRunning: 4, queueLength: 4, maxWaitMs: 60_000 });
export const noSql = { query: async () => [] } as unknown as Sql;

export const requestOf = (query: Record<string, string>, skipToken?: string): DownloadRequest => {
  const options = parseOptions(skipToken === undefined ? query : { ...query, $skiptoken: skipToken });
  return {
    dataset: { id: 3, currentVersionId: 7, columnsRevision: 0 },
    options,
    format: options.format ?? 'csv',
    owner: 'me',
    signal,
    requestId: 'r',
  };
};

export const downloadsOf = (version: ReadableVersion) => {
  const { reader, text, opened } = recorder();
  const pageTokens = createPageTokens('t'.repeat(32));
  const downloads = createDownloads({ versions: versionsOf(version), reader, semaphore, pageTokens });
  return { downloads, pageTokens, text, opened };
};
