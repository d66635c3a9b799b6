import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloads } from '../../../src/query/download.js';
import { parseOptions } from '../../../src/query/options/options.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import { querySemaphore } from '../../support/query-semaphore.js';
import { type Cell, createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
});
afterAll(() => tables.close());

const read = async (version: ReadableVersion, query: Record<string, unknown>): Promise<string> => {
  const downloads = createDownloads({
    pageTokens: createPageTokens('t'.repeat(32)),
    versions: {
      find: async () => version,
      at: () => Promise.reject(new Error('no points in time here')),
      remembered: () => version,
      forget: () => undefined,
    },
    reader: tables.reader,
    semaphore: querySemaphore({ maxRunning: 4, queueLength: 4, maxWaitMs: 60_000 }),
  });
  const options = parseOptions({ transpose: 'true', ...query });
  const request = {
    dataset: { id: 1, currentVersionId: version.versionId, columnsRevision: 0 },
    options,
    format: options.format ?? 'csv',
    owner: 'me',
    signal: new AbortController().signal,
    requestId: 'transpose',
  };
  const { body } = await downloads.open(await downloads.plan(request), request);
  return text(body);
};

const panel = () =>
  tables.add(
    [
      { name: 'Country', physical: 's' },
      { name: 'Date', physical: 'd' },
      { name: 'GDP', physical: 'f' },
      { name: 'Debt', physical: 'n38_4' },
      { name: 'Note', physical: 's', isEntity: false },
    ],
    [
      ['B', '2020-02-01', 1.5, '10.25', 'hm, "so"'],
      ['A', '2020-01-01', 2, null, null],
      ['B', '2020-01-01', null, '0.0001', 'x'],
    ],
    [
      ['A', '2020-01-01', 4, '7', 'again'],
      [null, null, 5, '8', null],
    ],
  );

describe('transpose', () => {
  it('has a column for each date and a row for each value column and label, and keeps repeated values', async () => {
    expect(await read(await panel(), {})).toBe(
      [
        '"Country","Column","2020-01-01","2020-02-01","null"',
        '"B","GDP",,1.5,',
        '"A","GDP",2,,',
        '"A","GDP",4,,',
        ',"GDP",,,5',
        '"B","Debt",0.0001,10.25,',
        '"A","Debt",,,',
        '"A","Debt",7,,',
        ',"Debt",,,8',
        '"B","Note","x","hm, ""so""",',
        '"A","Note",,,',
        '"A","Note","again",,',
        ',"Note",,,',
        '',
      ].join('\r\n'),
    );
  });

  it('writes JSON in which each value keeps its type', async () => {
    const json = await read(await panel(), { $format: 'json', $filter: "Country eq 'B'" });
    expect(JSON.parse(json)).toEqual([
      { Country: 'B', Column: 'GDP', '2020-01-01': null, '2020-02-01': 1.5 },
      { Country: 'B', Column: 'Debt', '2020-01-01': 0.0001, '2020-02-01': 10.25 },
      { Country: 'B', Column: 'Note', '2020-01-01': 'x', '2020-02-01': 'hm, "so"' },
    ]);
    expect(json.split('\n')).toHaveLength(6);
  });

  it('applies $top and $last first, and accepts $select and includeIds', async () => {
    const version = await panel();
    expect(await read(version, { $select: 'GDP', $top: 2 })).toBe(
      '"Country","Column","2020-01-01","2020-02-01"\r\n"B","GDP",,1.5\r\n"A","GDP",2,\r\n',
    );
    const [country, , gdp] = version.columns;
    expect(await read(version, { $select: 'GDP', $last: 1, includeIds: 'true' })).toBe(
      `"Country [${country!.id}]","Column","2020-02-01"\r\n"B","GDP [${gdp!.id}]",1.5\r\n`,
    );
  });

  it('works without labels, without rows, and without value columns', async () => {
    const series = await tables.add(
      [
        { name: 'Date', physical: 't' },
        { name: 'v', physical: 'f' },
      ],
      [
        ['2999-01-01', 1],
        ['1492-10-12', 2],
      ],
    );
    expect(await read(series, {})).toBe('"Column","1492-10-12","2999-01-01"\r\n"v",2,1\r\n');
    const empty = await tables.add(
      [
        { name: 'Date', physical: 'd' },
        { name: 'v', physical: 'f' },
      ],
      [],
    );
    expect(await read(empty, {})).toBe('"Column"\r\n');
    expect(JSON.parse(await read(empty, { $format: 'json' }))).toEqual([]);
    const bare = await tables.add([{ name: 'Date', physical: 'd' }], [['2020-01-01']]);
    expect(await read(bare, {})).toBe('"Column","2020-01-01"\r\n');
  });

  it('combines labels, and keeps headers unique', async () => {
    const version = await tables.add(
      [
        { name: 'Column', physical: 's' },
        { name: 'b', physical: 's' },
        { name: 'Date', physical: 'd' },
        { name: 'v', physical: 'f' },
      ],
      [['x', 'y', '2020-01-01', 1]],
    );
    expect(await read(version, {})).toBe('"Column","b","Column 2","2020-01-01"\r\n"x","y","v",1\r\n');
    expect(await read(version, { combineEntities: 'true' })).toBe(
      '"Column | b","Column","2020-01-01"\r\n"x | y","v",1\r\n',
    );
  });

  it('refuses a table without a date, and one with too many', async () => {
    const plain = await tables.add([{ name: 'v', physical: 'f' }], [[1]]);
    await expect(read(plain, {})).rejects.toMatchObject({ code: 'no_date_column' });
    const many = await tables.addSelected(
      [
        { name: 'Date', physical: 'd' },
        { name: 'v', physical: 'f' },
      ],
      10_001,
      () => `number, toDate32('1950-01-01') + number, number FROM numbers(10001)`,
    );
    await expect(read(many, {})).rejects.toMatchObject({ code: 'too_many_dates' });
    expect((await read(many, { $last: 10_000 })).split('\r\n')[0]!.split(',')).toHaveLength(10_001);
  });

  it('keeps the order of more value columns than one query reads', async () => {
    const names = Array.from({ length: 230 }, (_, at) => `v${at}`);
    const version = await tables.add(
      [{ name: 'Date', physical: 'd' }, ...names.map((name) => ({ name, physical: 'f' as const }))],
      [
        ['2020-01-02', ...names.map((_, at) => at)],
        ['2020-01-01', ...names.map((_, at) => -at - 1)],
      ],
    );
    const rows = names.map((name, at) => ({ Column: name, '2020-01-01': -at - 1, '2020-01-02': at }));
    expect(JSON.parse(await read(version, { $format: 'json' }))).toEqual(rows);
    expect((await read(version, {})).split('\r\n').slice(1, -1)).toEqual(
      names.map((name, at) => `"${name}",${-at - 1},${at}`),
    );
  });

  it('matches a reference implementation on generated tables', async () => {
    let seed = 7;
    const next = (n: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor(seed / 65536) % n;
    };
    for (let round = 0; round < 10; round += 1) {
      const rows = Array.from({ length: 60 }, (): Cell[] => [
        next(5) === 0 ? null : `2020-01-0${1 + next(4)}`,
        ['a', 'b', null][next(3)]!,
        ['p', 'q'][next(2)]!,
        next(4) === 0 ? null : next(1000),
        next(4) === 0 ? null : next(1000) / 4,
      ]);
      const version = await tables.add(
        [
          { name: 'd', physical: 'd' },
          { name: 'l', physical: 's' },
          { name: 'm', physical: 's' },
          { name: 'v', physical: 'f' },
          { name: 'w', physical: 'n76_2' },
        ],
        rows.slice(0, 25),
        rows.slice(25),
      );
      expect(JSON.parse(await read(version, { $format: 'json' }))).toEqual(transposed(rows));
    }
  });
});

/** Transposes as documented. */
const transposed = (rows: Cell[][]): Record<string, Cell>[] => {
  const dates = [...new Set(rows.map(([date]) => date))]
    .filter((date) => date !== null)
    .sort()
    .map(String);
  const headers = rows.some(([date]) => date === null) ? [...dates, 'null'] : dates;
  const groups = new Map<string, Cell[][]>();
  for (const row of rows) {
    const key = JSON.stringify(row.slice(1, 3));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return ['v', 'w'].flatMap((name, column) =>
    [...groups.values()].flatMap((members) => {
      const lists = headers.map((header) =>
        members.filter(([date]) => String(date) === header).map((row) => row[3 + column]!),
      );
      const height = Math.max(...lists.map((list) => list.length));
      return Array.from({ length: height }, (_, place) => ({
        l: members[0]![1]!,
        m: members[0]![2]!,
        Column: name,
        ...Object.fromEntries(headers.map((header, at) => [header, lists[at]![place] ?? null])),
      }));
    }),
  );
};
