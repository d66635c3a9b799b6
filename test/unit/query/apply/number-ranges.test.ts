import { describe, expect, it } from 'vitest';
import type { PhysicalType } from '../../../../src/model/column.js';
import type { NumberRange } from '../../../../src/query/apply/number-range.js';
import { createNumberRanges } from '../../../../src/query/apply/number-ranges.js';
import type { ReadQuery } from '../../../../src/storage/clickhouse/reader.js';
import { versionOf } from './plain-version.js';

type Answer = readonly [largest: string | null, decimals: number, total: string | null];

const context = { queryId: 'q', signal: new AbortController().signal };

/** Ranges read from these answers of ClickHouse, one per column, and the queries sent. */
const rangesFor = (answers: readonly Answer[]) => {
  const queries: ReadQuery[] = [];
  const ranges = createNumberRanges({
    database: 'db',
    open: () => Promise.reject(new Error('only small answers are read')),
    queryObjects: <T>(query: ReadQuery): Promise<T[]> => {
      queries.push(query);
      return Promise.resolve([Object.fromEntries(answers.map((answer, at) => [`f${at}`, answer])) as T]);
    },
    serversOf: () => [],
  });
  return { queries, ranges };
};

/** The range of one column with this answer of ClickHouse. */
const rangeOf = async (physical: PhysicalType, answer: Answer): Promise<NumberRange | undefined> => {
  const version = versionOf({ A: physical }, 1);
  return (await rangesFor([answer]).ranges.find(version, version.columns, context)).get(1);
};

describe('the range of a column', () => {
  it.each<[PhysicalType, Answer, number, bigint, bigint | undefined]>([
    ['f', ['9.99', 2, '100'], 2, 999n, 10_001n],
    ['f', ['5', 0, '2500000'], 0, 5n, 2_500_003n],
    ['f', ['0.5', 1, '0.00004'], 1, 5n, 1n],
    ['f', ['1e20', 3, '0'], 3, 10n ** 23n, 1n],
    ['f', [null, 0, null], 0, 0n, 1n],
    ['f', ['3', 0, 'inf'], 0, 3n, undefined],
    // A decimal column has the scale of its type; that of doubles is measured.
    ['n38_4', ['1.5', 0, '3'], 4, 15_000n, 30_001n],
  ])('%s of %j has scale, units and total', async (physical, answer, scale, units, total) => {
    expect(await rangeOf(physical, answer)).toEqual({ scale, units, total });
  });

  it.each<[Answer]>([
    [['inf', 0, 'inf']],
    [['nan', 0, 'nan']],
    [['1', 77, '1']],
    [['1e77', 0, '1e77']],
    [['9', 76, '9']],
    [['1e76', 0, '1e76']],
    [['1e75', 2, '1e75']],
  ])('is undefined if no decimal type covers it: %j', async (answer) => {
    expect(await rangeOf('f', answer)).toBeUndefined();
  });

  it('may have 76 digits', async () => {
    expect(await rangeOf('f', ['1e75', 0, '1e75'])).toMatchObject({ units: 10n ** 75n });
    expect(await rangeOf('f', ['0.1', 76, '0.1'])).toMatchObject({ scale: 76, units: 10n ** 75n });
  });
});

describe('ranges', () => {
  const version = versionOf({ A: 'f', Name: 's', B: 'n38_2', Day: 'd' }, 100_000);

  it('are read once for each number column of a version', async () => {
    const { queries, ranges } = rangesFor([
      ['9.99', 2, '20'],
      ['1', 0, '1'],
    ]);
    expect(ranges.remembered(version, version.columns).size).toBe(0);
    const found = await ranges.find(version, version.columns, context);
    expect([...found.keys()]).toEqual([1, 3]);
    expect(await ranges.find(version, version.columns, context)).toEqual(found);
    expect(ranges.remembered(version, version.columns.slice(2))).toEqual(new Map([[3, found.get(3)]]));
    expect(queries).toHaveLength(1);
    await ranges.find({ ...version, versionId: 2 }, version.columns, context);
    expect(queries).toHaveLength(2);
  });

  it('are read again after a repair of the version', async () => {
    const { queries, ranges } = rangesFor([['9.99', 2, '20']]);
    await ranges.find(version, version.columns, context);
    const repaired = { ...version, repairs: 1 };
    expect(ranges.remembered(repaired, version.columns).size).toBe(0);
    await ranges.find(repaired, version.columns, context);
    expect(queries).toHaveLength(2);
  });

  it('are cached also if no decimal type covers the column', async () => {
    const { queries, ranges } = rangesFor([['inf', 0, 'inf']]);
    for (let at = 0; at < 2; at += 1) await ranges.find(version, version.columns.slice(0, 1), context);
    expect(queries).toHaveLength(1);
  });

  it('are read for at most 200 columns per query', async () => {
    const many = versionOf(Object.fromEntries(Array.from({ length: 401 }, (_, at) => [`A${at}`, 'f'])), 1);
    const { queries, ranges } = rangesFor(Array.from({ length: 200 }, () => ['1', 0, '1']));
    expect((await ranges.find(many, many.columns, context)).size).toBe(401);
    expect(queries.map(({ queryId }) => queryId)).toEqual(['q-facts0', 'q-facts200', 'q-facts400']);
  });

  it('are read by the query of the golden file, which counts as heavy from 100,000 rows on', async () => {
    const { queries, ranges } = rangesFor([]);
    await ranges.find(version, version.columns, context);
    await ranges.find({ ...version, rowCount: 99_999 }, version.columns, context);
    expect(queries.map(({ isHeavy }) => isHeavy)).toEqual([true, false]);
    const { sql, values, settings } = queries[0]!;
    const text = [
      sql.replaceAll(', multiIf', ',\nmultiIf'),
      JSON.stringify(values),
      JSON.stringify(settings),
    ];
    await expect(`${text.join('\n')}\n`).toMatchFileSnapshot('./sql/ranges.txt');
  });
});
