/** The SQL text of requests, so that every change is deliberate: each statement was measured. */
import { describe, expect, it } from 'vitest';
import { dataTypeOf } from '../../../src/model/column-types/column-types.js';
import { uploadsPerDataset } from '../../../src/model/position.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createComparisons } from '../../../src/query/comparison/comparisons.js';
import type { PageStart } from '../../../src/query/paging/page-token.js';
import { createRevisions } from '../../../src/query/revisions/revisions.js';
import { createColumnValues } from '../../../src/query/summary/column-values.js';
import { createSummaries } from '../../../src/query/summary/summaries.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import {
  columns,
  downloadsOf,
  noSql,
  own,
  recorder,
  requestOf,
  semaphore,
  signal,
  versions,
  versionsOf,
} from './recorded-downloads.js';

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
  { $count: 'true', $filter: 'Price gt 10' },
  { $filter: "Country in ('France','Spain') and year(Date) eq 2020 or Price eq null" },
  { $filter: "contains(tolower(Country),'an') and not (Volume div 2 ge 1.5)" },
  { $select: 'Volume', entities: 'selected', $top: '10' },
  { combineEntities: 'true', includeIds: 'true' },
  { $format: 'tsv', $quote: 'minimal' },
  { $format: 'json', $decimals: 'string', $top: '3' },
  { $format: 'xlsx' },
  { $format: 'parquet', dropNA: 'true' },
  { $format: 'arrow', $select: 'Date,Price' },
];
const find = async ({ versionId }: { versionId?: number | undefined }): Promise<ReadableVersion> =>
  Object.values(versions)[versionId ?? 0] ?? own;

const download = async (version: ReadableVersion, query: Record<string, string>): Promise<string> => {
  const { downloads, text } = downloadsOf(version);
  const request = requestOf(query);
  const plan = await downloads.plan(request);
  const remembered = downloads.recall(request);
  expect(remembered?.fingerprint ?? plan.fingerprint).toBe(plan.fingerprint);
  if (request.options.count) await downloads.count(plan, request);
  else {
    const { body } = await downloads.open(plan, request);
    // The recorded answer is empty, which is not a Parquet file.
    if (request.format === 'parquet') body.destroy();
    else for await (const _ of body);
  }
  return text();
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
  it.each(Object.entries(versions))('match their golden file: %s', async (name, version) => {
    const parts: string[] = [];
    for (const query of name === 'many columns' ? [{}, { $top: '1' }, { $filter: 'V1 gt 2' }] : questions)
      parts.push(`-- ${JSON.stringify(query)}\n${await download(version, query)}`);
    await expectText(name.replaceAll(' ', '-'), parts.join('\n\n'));
  });

  it('start a page at its token', async () => {
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
      const comparison = { datasetId: 3, between: { from: 0, to }, owner: 'me', requestId: 'r', signal };
      await comparisons.open(comparison).catch((error: unknown) => {
        // The pool is on another server than the table.
        expect(error).toMatchObject({ code: 'version_gone' });
      });
    }
    await expectText('changes', text());
  });

  it('summarise columns and list values', async () => {
    const { reader, text } = recorder();
    const context = { queryId: 'q', signal };
    const target = { version: own, owner: 'me', context };
    const summaries = createSummaries({ reader, semaphore, calculations: semaphore, sql: noSql });
    await summaries.summarise({ ...target, filter: undefined, select: undefined });
    await summaries.summarise({ ...target, filter: "Country eq 'France'", select: 'Price' });
    const values = createColumnValues({ reader, semaphore });
    await values.find({ ...target, column: 'Country', startsWith: 'F', top: 10 });
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
        requestId: 'r',
        signal,
      });
      for await (const _ of body);
    }
    await expectText('revisions', text());
  });
});
