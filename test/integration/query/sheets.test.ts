import { buffer } from 'node:stream/consumers';
import ExcelJs from 'exceljs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloads } from '../../../src/query/download.js';
import { parseOptions } from '../../../src/query/options/options.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import { querySemaphore } from '../../support/query-semaphore.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
});
afterAll(() => tables.close());

const download = async (version: ReadableVersion, query: Record<string, unknown> = {}): Promise<Buffer> => {
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
  const options = parseOptions({ $format: 'xlsx', ...query });
  const request = {
    dataset: { id: 1, currentVersionId: version.versionId, columnsRevision: 0 },
    options,
    format: options.format ?? 'csv',
    owner: 'me',
    signal: new AbortController().signal,
    requestId: 'sheet',
  };
  const { body } = await downloads.open(await downloads.plan(request), request);
  return buffer(body);
};

const sheetOf = async (bytes: Buffer) => {
  const workbook = new ExcelJs.Workbook();
  await workbook.xlsx.load(bytes as unknown as ExcelJs.Buffer);
  return workbook.worksheets;
};

/** Values of a sheet, header first. */
const cellsOf = async (bytes: Buffer): Promise<unknown[][]> => {
  const [sheet] = await sheetOf(bytes);
  const rows: unknown[][] = [];
  sheet!.eachRow({ includeEmpty: true }, (row) => {
    rows.push(Array.from({ length: sheet!.columnCount }, (_, index) => row.getCell(index + 1).value));
  });
  return rows;
};

const day = (text: string) => new Date(`${text}T00:00:00.000Z`);

describe('the header of a sheet', () => {
  it('is bold, as wide as its names, and filters all rows', async () => {
    const name = 'A header of thirty characters!';
    const columns = [
      { name, physical: 's' },
      { name: 'b', physical: 'f' },
      { name: 'x'.repeat(200), physical: 'd' },
    ] as const;
    const version = await tables.add(columns, [
      ['a', 1, null],
      ['b', 2, null],
    ]);
    const [sheet] = await sheetOf(await download(version));
    expect(sheet!.getRow(1).getCell(1).font).toMatchObject({ bold: true });
    expect(sheet!.getRow(2).getCell(1).font?.bold).toBeFalsy();
    expect([1, 2, 3].map((at) => sheet!.getColumn(at).width)).toEqual([33, 12, 60]);
    expect(sheet!.autoFilter).toBe('A1:C3');
    const [empty] = await sheetOf(await download(version, { $top: '0' }));
    expect(empty!.autoFilter).toBe('A1:C1');
  });
});

describe('a sheet', () => {
  it('has dates as dates, numbers as numbers and strings unchanged', async () => {
    const version = await tables.add(
      [
        { name: 'Date & <more>', physical: 'd' },
        { name: 'far', physical: 't' },
        { name: 'text', physical: 's' },
        { name: 'double', physical: 'f' },
        { name: 'decimal', physical: 'n76_20' },
      ],
      [
        ['2020-02-29', '2999-12-31', '=1+1', 0.1, '0.1'],
        ['1900-03-01', '9999-12-31', '  spaced & "quoted" <b>\nline\ttab ', 1e22, '12345678901234567890.5'],
        [null, null, null, null, null],
        ['2299-12-31', '1492-10-12', 'é😀', -0.25, '-7'],
      ],
    );
    expect(await cellsOf(await download(version))).toEqual([
      ['Date & <more>', 'far', 'text', 'double', 'decimal'],
      [day('2020-02-29'), day('2999-12-31'), '=1+1', 0.1, 0.1],
      [
        day('1900-03-01'),
        day('9999-12-31'),
        '  spaced & "quoted" <b>\nline\ttab ',
        1e22,
        '12345678901234567890.5',
      ],
      [null, null, null, null, null],
      [day('2299-12-31'), '1492-10-12', 'é😀', -0.25, -7],
    ]);
  });

  it('has the day numbers of Excel in early 1900', async () => {
    const version = await tables.add(
      [{ name: 'd', physical: 'd' }],
      [['1900-01-01'], ['1900-02-28'], ['1900-03-01']],
    );
    const bytes = await download(version);
    const [sheet] = await sheetOf(bytes);
    const serials = [2, 3, 4].map((row) => {
      const value = sheet!.getCell(row, 1).value;
      return value instanceof Date ? Math.round(value.getTime() / 86_400_000) + 25_569 : value;
    });
    expect(serials).toEqual([1, 59, 61]);
  });

  it('escapes control characters, and strings that look like an escape', async () => {
    const version = await tables.add(
      [{ name: 'x', physical: 's' }],
      [['a\u0001b\u000b\u000f'], ['c\rd\u0010\u001f'], ['_x0041_x0042_'], ['\uffff'], ['SKU_x0041\u0001']],
    );
    const rows = (await cellsOf(await download(version))).flat();
    // The reader does not decode escapes.
    expect(rows).toEqual([
      'x',
      'a_x0001_b_x000B__x000F_',
      'c_x000D_d_x0010__x001F_',
      '_x005F_x0041_x005F_x0042_',
      '_xFFFF_',
      'SKU_x005F_x0041_x0001_',
    ]);
  });

  it('does not escape names of variables, since many readers do not decode escapes', async () => {
    const texts = ['max_x', 'pos_x_mean', '_x', '_x00_', '_xGHIJ_'];
    const version = await tables.add(
      [{ name: 'grid_x', physical: 's' }],
      texts.map((text) => [text]),
    );
    expect((await cellsOf(await download(version))).flat()).toEqual(['grid_x', ...texts]);
  });

  it('has the same cells with many columns of strings as with few', async () => {
    const texts = ['=1+1', '<b>&"', 'a\u0001_x0041_', ' \n', null, 'é😀'];
    const columns = Array.from({ length: 40 }, (_, at) =>
      at % 3 === 0 ? { name: `c${at}`, physical: 'f' as const } : { name: `c${at}`, physical: 's' as const },
    );
    const cellAt = (row: number, at: number) => (at % 3 === 0 ? at / 2 : texts[(row + at) % texts.length]!);
    const rows = [0, 1, 2].map((row) => columns.map((_, at) => cellAt(row, at)));
    const version = await tables.add(columns, rows);
    const [names, ...cells] = await cellsOf(await download(version));
    const asShown = (value: unknown) => (value === texts[2] ? 'a_x0001__x005F_x0041_' : value);
    expect(names).toEqual(columns.map(({ name }) => name));
    expect(cells).toEqual(rows.map((row) => row.map(asShown)));
  });

  it('refuses a string that is too long for a cell, and too many columns', async () => {
    const long = await tables.add([{ name: 'note', physical: 's' }], [['ok'], ['é'.repeat(32_768)]]);
    await expect(download(long)).rejects.toMatchObject({ code: 'text_too_long' });
    expect(await cellsOf(await download(long, { $top: 1 }))).toEqual([['note'], ['ok']]);
    const fits = await tables.add([{ name: 'note', physical: 's' }], [['é'.repeat(32_767)]]);
    expect((await cellsOf(await download(fits)))[1]![0]).toHaveLength(32_767);
    const wide = {
      ...fits,
      columns: Array.from({ length: 16_385 }, (_, index) => ({
        ...fits.columns[0]!,
        id: index,
        name: `c${index}`,
      })),
    };
    await expect(download(wide)).rejects.toMatchObject({ code: 'too_many_columns' });
    const combined = {
      ...fits,
      columns: [1, 2].map((id) => ({
        ...fits.columns[0]!,
        id,
        isEntity: true,
        name: `${id}`.repeat(17_000),
      })),
    };
    await expect(download(combined, { combineEntities: true })).rejects.toMatchObject({
      code: 'text_too_long',
    });
  });

  it('has only a header if there are no rows', async () => {
    const version = await tables.add([{ name: 'x', physical: 's' }], []);
    expect(await cellsOf(await download(version))).toEqual([['x']]);
  });

  it('shows a transposed table', async () => {
    const version = await tables.add(
      [
        { name: 'Date', physical: 'd' },
        { name: 'Country', physical: 's' },
        { name: 'v', physical: 'f' },
      ],
      [
        ['2020-01-02', 'A', 1],
        ['2020-01-01', 'A', null],
      ],
    );
    expect(await cellsOf(await download(version, { transpose: 'true' }))).toEqual([
      ['Country', 'Column', '2020-01-01', '2020-01-02'],
      ['A', 'v', null, 1],
    ]);
  });

  it('refuses a string that is too long for a cell of a transposed table', async () => {
    const long = 'é'.repeat(32_768);
    const version = await tables.add(
      [
        { name: 'Date', physical: 'd' },
        { name: 'Country', physical: 's' },
        { name: 'note', physical: 's', isEntity: false },
      ],
      [
        ['2020-01-01', 'A', 'short'],
        ['2020-01-02', long, 'b'],
        ['2020-01-03', 'A', long],
      ],
    );
    const transposed = (query: Record<string, unknown>) => download(version, { transpose: 'true', ...query });
    await expect(transposed({ $top: 2 })).rejects.toMatchObject({ details: { column: 'Country' } });
    await expect(transposed({ $skip: 2 })).rejects.toMatchObject({ details: { column: 'note' } });
    expect(await cellsOf(await transposed({ $top: 1 }))).toEqual([
      ['Country', 'Column', '2020-01-01'],
      ['A', 'note', 'short'],
    ]);
  });
});
