import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../src/lib/errors.js';
import { nearest } from '../../../src/lib/nearest.js';
import { type StoredColumn, storageName } from '../../../src/model/column.js';
import { orderTerms, selectedColumns } from '../../../src/query/column-list.js';
import { createFailures } from '../../../src/query/filter/failure.js';
import { compileFilterYielding } from '../../../src/query/filter/filter.js';
import { defaultLimits } from '../../../src/query/filter/limits.js';
import { createNameIndex } from '../../../src/query/filter/names.js';
import { parseFilter } from '../../../src/query/filter/parser.js';
import { chosenColumns } from '../../../src/query/projection.js';
import { expectShortTurns } from '../../support/pauses.js';

const columnsCalled = (names: readonly string[]): StoredColumn[] =>
  names.map((name, index) => ({
    id: index + 1,
    storageId: index + 1,
    name,
    physical: 'f',
    dataType: 'Decimal',
    isEntity: index % 2 === 0,
    description: null,
  }));

const few = columnsCalled(['V', 'W']);
const manyLengths = columnsCalled(
  Array.from({ length: 1_988 }, (_, at) => `a ${'x'.repeat(at)}`).concat('a'),
);
const many = columnsCalled(Array.from({ length: 10_000 }, (_, at) => `${'s'.repeat(58)}${at + 10_000}`));
const repeated = (text: string, count: number, joint = ' or '): string =>
  new Array(count).fill(text).join(joint);

const longFilters = { maxBytes: 1024 * 1024, maxInTerms: 50_000, maxSqlLength: 48 * 1024 * 1024 };

/** Runs the work, which must not block the event loop. Returns its error if it is a mistake of the caller, otherwise ''. */
const refusalOf = async (work: () => unknown): Promise<string> => {
  let message = '';
  await expectShortTurns(async () => {
    try {
      await work();
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'invalid') throw error;
      message = JSON.stringify([error.message, error.details]);
    }
  });
  return message;
};

describe('hostile filters', () => {
  it.each([
    ['60 kB over names of 1,989 lengths', repeated('a eq 1', 6_000), manyLengths],
    ['300 kB over names of 1,989 lengths', repeated('a eq 1', 30_000), manyLengths],
    ['words that are almost names', repeated(`a ${'x'.repeat(900)}! eq 1`, 300), manyLengths],
    ['1 MiB of conditions', repeated('V eq 1', 100_000), few],
    ['1 MiB of brackets around columns', repeated('(((V))) eq 1', 60_000), few],
    ['1 MiB of unknown names', repeated('Vv eq 1', 90_000), many],
    ['a list of 50,000 numbers', `V in (${Array.from({ length: 50_000 }, (_, at) => at).join()})`, few],
    ['1 MiB of open brackets', '('.repeat(1_000_000), few],
    ['1 MiB of signs', `V eq ${'-'.repeat(1_000_000)}1`, few],
    ['1 MiB of blanks', `V${' '.repeat(1_000_000)}x`, few],
    ['1 MiB of words', repeated('x', 340_000, '  '), few],
    ['1 MiB of one word', 'x'.repeat(1_000_000), few],
    ['1 MiB of slashes', 'a/'.repeat(500_000), few],
    ['1 MiB of dots', 'a.'.repeat(500_000), few],
    ['1 MiB of quotes', `V eq '${"''".repeat(500_000)}'`, few],
    ['1 MiB of emoji', `${'😀'.repeat(250_000)}'`, few],
    ['long numbers', repeated(`V eq ${'9'.repeat(999)}`, 1_000), few],
    ['long runs of zeros', repeated(`V eq ${'0'.repeat(998)}1`, 1_000), few],
    ['a number of 1 MiB', `V eq ${'9'.repeat(1_000_000)}`, few],
  ])('%s', async (_, text, stored) => {
    const columns = stored.map((column) => ({ ...column, sql: storageName(column) }));
    const message = await refusalOf(() => compileFilterYielding(text, columns, longFilters));
    expect(message.length).toBeLessThan(10_000);
  });

  it.each([
    ['a list', `V in (${Array.from({ length: 50_000 }, (_, at) => at).join()})`, 100],
    ['conditions', repeated('V eq 1', 5_000), 20],
  ])('are parsed in short steps: %s', (_, text, fewest) => {
    const names = createNameIndex(['V', 'W']);
    const steps = parseFilter(text, names, createFailures(text), { ...defaultLimits, ...longFilters });
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count).toBeGreaterThanOrEqual(fewest);
  });

  it('are rejected with a reason if they take too many steps', async () => {
    const columns = manyLengths.map((column) => ({ ...column, sql: storageName(column) }));
    await expect(compileFilterYielding(repeated('a eq 1', 6_000), columns)).rejects.toMatchObject({
      code: 'too_complex',
    });
  });
});

describe('hostile lists of columns', () => {
  it.each<[string, () => unknown]>([
    ['a near name among 10,000', () => selectedColumns(`${'s'.repeat(60)}x`, many)],
    ['500,000 items', () => selectedColumns(repeated('x', 500_000, ','), many)],
    ['500,000 items of a list', () => selectedColumns(new Array(500_000).fill('x'), many)],
    ['10,000 unknown names', () => selectedColumns(many.map(({ name }) => `${name}!`).join(), many)],
    ['a quoted name of 1 MiB', () => selectedColumns(`"${'""'.repeat(500_000)}"`, many)],
    [
      'all of 10,000 columns, distinct',
      () => chosenColumns({ select: many.map(({ name }) => name), distinct: true }, many),
    ],
    ['an order by 10,000 columns', () => orderTerms(many.map(({ name }) => `${name} desc`).join(), many)],
  ])('%s', async (_, work) => {
    const message = await refusalOf(work);
    expect(message.length).toBeLessThan(10_000);
  });

  it('are shortened in messages, which give the number of columns', () => {
    const names = Array.from({ length: 5_140 }, (_, at) => `no${at}`);
    expect(() => selectedColumns(names, few)).toThrow(/no18, no19 … and 5,120 more \(\$select\)\.$/);
  });
});

describe('the nearest name', () => {
  it.each([
    ['transposed', ['transpose', 'top'], 'transpose'],
    ['tpo', ['top', 'skip'], 'top'],
    ['CITY', ['City', 'Cities'], 'City'],
    ['x', ['a', 'b'], undefined],
    ['colour', ['flavour', 'color'], 'color'],
    ['y'.repeat(65), ['y'.repeat(64)], undefined],
  ])('of %s', (name, known, expected) => {
    expect(nearest(name, known)).toBe(expected);
  });
});
