/** The SQL text of requests: a change of it must be wanted, since every statement was measured. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { PhysicalType, StoredColumn } from '../../../src/model/column.js';
import { dataTypeOf } from '../../../src/model/column-types/column-types.js';
import { uploadsPerDataset } from '../../../src/model/position.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createComparisons } from '../../../src/query/comparison/comparisons.js';
import { createDownloads, type DownloadRequest } from '../../../src/query/download.js';
import { parseOptions } from '../../../src/query/options/options.js';
import { createPageTokens, type PageStart } from '../../../src/query/paging/page-token.js';
import { createRevisions } from '../../../src/query/revisions/revisions.js';
import { createColumnValues } from '../../../src/query/summary/column-values.js';
import { createSummaries } from '../../../src/query/summary/summaries.js';
import type { Versions } from '../../../src/query/versions.js';
import { placeOf } from '../../../src/rows/place.js';
import type { Reader, ReadQuery } from '../../../src/storage/clickhouse/reader.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import { querySemaphore } from '../../support/query-semaphore.js';

const physicals: readonly (readonly [string, PhysicalType])[] = [
  ['Country', 's'],
  ['Date', 'd'],
  ['Price', 'n38_4'],
  ['Volume', 'f'],
];

const columns = physicals.map(
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

const own: ReadableVersion = {
  versionId: 7,
  datasetId: 3,
  place: placeOf({ storeId: 5, shard: 1, pool: null }),
  columns,
  rowCount: 400_000,
  byteSize: 1,
  createdAt: '2026-01-01T00:00:00Z',
  segmentIds: [9_001],
};

const versions: Readonly<Record<string, ReadableVersion>> = {
  'own table': own,
  'several segments': { ...own, segmentIds: [9_001, 12_002], cuts: [{ segmentId: 9_001, beforeUpload: 10 }] },
  pool: {
    ...own,
    rowCount: 100,
    place: placeOf({ storeId: 5, shard: 2, pool: { mapId: 4, pool: 'narrow', slots } }),
  },
  'all shards': {
    ...own,
    place: placeOf({ storeId: 5, shard: null, pool: null }),
    segmentIds: [9_001, 12_002],
  },
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
};

const questions: readonly Record<string, string>[] = [
  {},
  { $format: 'json' },
  { $select: 'Country,Price' },
  { $filter: "Country eq 'France' and Price gt 10" },
  { $filter: 'Volume lt 0.5', $top: '10' },
  { $orderby: 'Price desc,Country', $top: '5' },
  { $skip: '150000', $top: '10' },
  { $skip: '10', $top: '10' },
  { $last: '3' },
  { $last: '2', $filter: "Country ne 'France'", dropNA: 'true' },
  { $distinct: 'true', $select: 'Country' },
  { $distinct: 'true', $select: 'Country', $pagesize: '10' },
  { $pagesize: '1000' },
  { $pagesize: '1000', $orderby: 'Date desc' },
  { $apply: 'groupby((Country),aggregate(Price with sum as Total))' },
  { $apply: 'groupby((Country),aggregate(Price with first as First,Volume with last as Last))' },
  { $apply: 'filter(Volume gt 1)/compute(Price mul 2 as Twice)', $filter: 'Twice gt 4' },
  { $apply: 'orderby(Price desc)/top(3)', $pagesize: '2' },
  { $apply: 'aggregate($count as Rows)' },
  { transpose: 'true' },
  { transpose: 'true', $filter: "Country eq 'France'", $top: '20' },
];

/** Records the statements of requests; its answers are those of small rows where a request needs some to go on. */
const recorder = () => {
  const statements: ReadQuery[] = [];
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
      return Readable.from([]);
    },
    facts: async <T>(query: ReadQuery): Promise<T[]> => {
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
      // Requests ask for rows and for their number at the same time.
      .sort()
      .join('\n\n');
  return { reader, text };
};

const find = async ({ versionId }: { versionId?: number | undefined }): Promise<ReadableVersion> =>
  Object.values(versions)[versionId ?? 0] ?? own;

const versionsOf = (version: ReadableVersion): Versions => ({
  find: async () => version,
  at: async () => version.versionId,
  remembered: () => version,
});

const signal = new AbortController().signal;
const semaphore = querySemaphore({ maxRunning: 4, queueLength: 4, maxWaitMs: 60_000 });
const noSql = { query: async () => [] } as unknown as Sql;

const requestOf = (query: Record<string, string>, skipToken?: string): DownloadRequest => {
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

const downloadsOf = (version: ReadableVersion) => {
  const { reader, text } = recorder();
  const pageTokens = createPageTokens('t'.repeat(32));
  const downloads = createDownloads({ versions: versionsOf(version), reader, semaphore, pageTokens });
  return { downloads, pageTokens, text };
};

const download = async (version: ReadableVersion, query: Record<string, string>): Promise<string> => {
  const { downloads, text } = downloadsOf(version);
  const request = requestOf(query);
  const plan = await downloads.plan(request);
  const remembered = downloads.recall(request);
  expect(remembered?.fingerprint ?? plan.fingerprint).toBe(plan.fingerprint);
  const { body } = await downloads.open(plan, request);
  for await (const _ of body);
  return `tag ${plan.fingerprint}\n${text()}`;
};

const page = async (query: Record<string, string>, start: PageStart): Promise<string> => {
  const { downloads, pageTokens, text } = downloadsOf(own);
  const { question } = await downloads.plan(requestOf(query));
  const token = pageTokens.sign({ datasetId: 3, versionId: 7, question, given: 1_000, start });
  const request = requestOf(query, token);
  const { body } = await downloads.open(await downloads.plan(request), request);
  for await (const _ of body);
  return text();
};

const historyRows = [
  {
    segment: 9_001,
    from: 1,
    until: 2,
    beforeUpload: uploadsPerDataset,
    allRows: 50,
    list: 1,
    place: own.place,
  },
  { segment: 12_002, from: 2, until: 0, beforeUpload: 10, allRows: 50, list: 2, place: own.place },
];

const historySql = {
  query: async (text: unknown) =>
    String(typeof text === 'string' ? text : JSON.stringify(text)).includes('segment_ranges')
      ? historyRows
      : [{ id: 1, validFrom: new Date(0) }],
} as unknown as Sql;

const expectText = (name: string, text: string): Promise<void> =>
  expect(`${text}\n`).toMatchFileSnapshot(`./statements/${name}.sql`);

describe('statements of downloads', () => {
  it.each(Object.entries(versions))('are those of the snapshot: %s', async (name, version) => {
    const asked = name === 'own table' || name === 'several segments' ? questions : questions.slice(0, 16);
    const parts: string[] = [];
    for (const query of name === 'many columns' ? [{}, { $top: '1' }, { $filter: 'V1 gt 2' }] : asked)
      parts.push(`-- ${JSON.stringify(query)}\n${await download(version, query)}`);
    await expectText(name.replaceAll(' ', '-'), parts.join('\n\n'));
  });

  it('begin a page at its token', async () => {
    const row = { kind: 'row', position: '17' } as const;
    const parts = [
      await page({ $pagesize: '1000' }, row),
      await page({ $pagesize: '1000', $orderby: 'Price desc,Country' }, row),
      await page(
        { $pagesize: '1000', $distinct: 'true', $select: 'Country' },
        { kind: 'offset', rows: 1_000 },
      ),
    ];
    await expectText('pages', parts.join('\n\n'));
  });
});

describe('other statements about rows', () => {
  it('compare two versions', async () => {
    const { reader, text } = recorder();
    const comparisons = createComparisons({
      sql: noSql,
      versions: { ...versionsOf(own), find },
      reader,
      rememberedBytes: 0,
    });
    for (const to of [1, 2]) {
      const wanted = { datasetId: 3, between: { from: 0, to }, owner: 'me', requestId: 'r', signal };
      await comparisons.open(wanted).catch((error: unknown) => {
        // The pool is on another server than the table.
        expect(error).toMatchObject({ code: 'version_gone' });
      });
    }
    await expectText('changes', text());
  });

  it('summarise columns and list values', async () => {
    const { reader, text } = recorder();
    const context = { queryId: 'q', signal };
    const wanted = { version: own, owner: 'me', context };
    const summaries = createSummaries({ reader, semaphore, calculations: semaphore, sql: noSql });
    await summaries.summarise({ ...wanted, filter: undefined, select: undefined });
    await summaries.summarise({ ...wanted, filter: "Country eq 'France'", select: 'Price' });
    const values = createColumnValues({ reader, semaphore });
    await values.find({ ...wanted, column: 'Country', startsWith: 'F', top: 10 });
    await expectText('summaries', text());
  });

  it('read all revisions', async () => {
    const { reader, text } = recorder();
    const revisions = createRevisions({
      sql: historySql,
      versions: {
        ...versionsOf(own),
        find: async ({ versionId }) =>
          versionId === 1
            ? {
                ...own,
                columns: columns.map((c) =>
                  c.id === 3 ? { ...c, physical: 'f', dataType: dataTypeOf('f') } : c,
                ),
              }
            : own,
      },
      reader,
    });
    for (const vintage of ['all', 'latest'] as const) {
      const { body } = await revisions.open({
        datasetId: 3,
        currentVersionId: 7,
        vintage,
        asOf: undefined,
        filter: 'Price gt 1',
        select: undefined,
        top: 10,
        format: 'csv',
        owner: 'me',
        queryId: 'q',
        signal,
      });
      for await (const _ of body);
    }
    await expectText('revisions', text());
  });
});
