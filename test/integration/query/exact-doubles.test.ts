import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { doubleUnitsSql } from '../../../src/query/apply/exact-double.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
});

afterAll(() => tables.close());

const numbers = 100_000;
const largest = 10n ** 15n - 1n;

it.each([0, 1, 2, 3, 6, 9, 12, 14, 15, 22])(
  'doubles with %i decimals are converted to exact units, up to 15 digits and with either sign',
  async (scale) => {
    // Divided and rounded once, which gives the nearest double, as stored.
    const units = doubleUnitsSql('x', { scale, units: largest });
    const [row] = await tables.clickhouse.rows<{ n: string; wrong: string; sums: number }>(
      `SELECT toString(count()) AS n, toString(countIf(toInt64(units) != u OR units != toFloat64(u))) AS wrong,
       toInt64(sumIf(units, u % 1000000 = u)) = sumIf(u, u % 1000000 = u) AS sums
     FROM (SELECT u, x, ${units} AS units FROM (
       SELECT u, materialize(toFloat64(u)) / 1e${scale} AS x FROM (
         SELECT arrayJoin([toInt64(${largest}), -toInt64(${largest}), 0, 1, -1, 5, 29, 115]) AS u
         UNION ALL
         SELECT if(number % 2, 1, -1) * toInt64(rand64(number) % toUInt64(exp10(1 + number % 15))) AS u
         FROM numbers(${numbers}))))`,
    );
    expect(row).toMatchObject({ n: String(numbers + 8), wrong: '0', sums: 1 });
  },
);
