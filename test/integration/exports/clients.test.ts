import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import ExcelJs from 'exceljs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { testWith } from '../../support/optional-tools.js';
import { longestTestMs } from '../../support/patience.js';
import { programOf } from '../../support/tools.js';
import { createDownloadServer, type DownloadServer } from '../query/download-server.js';
import { type Cell, createStoredTables, type StoredTables } from '../query/stored-table.js';

const run = promisify(execFile);
const pythonTest = await testWith('Python readers');
const script = fileURLToPath(new URL('../../clients/read_downloads.py', import.meta.url));
const officeTest = await testWith('LibreOffice');

/** Rows as every reader must return them. */
interface Seen {
  readonly columns: string[];
  readonly rows: number;
  readonly sum: number;
  readonly nulls: number;
  readonly first: string;
  readonly days: string[];
}

interface PythonReport {
  readonly frames: Record<string, Seen>;
  readonly openpyxl: { columns: string[]; rows: number; dayIsDate: boolean; types: string[] };
  readonly duckdb: { extension: boolean; reason?: string; frame?: Seen };
}

const rows: Cell[][] = Array.from({ length: 600 }, (_, index) => [
  index === 0 ? 'Côte d\'Ivoire, "CI"\nsecond line' : `=Land ${index}`,
  index % 2 === 0 ? '2024-02-29' : '1999-12-31',
  index % 10 === 3 ? null : index / 8,
]);
const expected: Seen = {
  columns: ['Country', 'Day', 'GDP'],
  rows: rows.length,
  sum: rows.reduce((sum, row) => sum + Number(row[2] ?? 0), 0),
  nulls: 60,
  first: 'Côte d\'Ivoire, "CI"\nsecond line',
  days: ['1999-12-31', '2024-02-29'],
};

let tables: StoredTables;
let server: DownloadServer;
let version: ReadableVersion;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clients-'));
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader);
  version = await tables.add(
    [
      { name: 'Country', physical: 's' },
      { name: 'Day', physical: 'd' },
      { name: 'GDP', physical: 'f' },
    ],
    rows,
  );
});

afterAll(async () => {
  await server.close();
  await tables.close();
  await rm(folder, { recursive: true, force: true });
});

type Row = Record<string, string | number | null>;

const summaryOf = (read: readonly Row[]): Seen => {
  const isNull = (value: unknown): boolean => value === null || value === '';
  return {
    columns: Object.keys(read[0] ?? {}),
    rows: read.length,
    sum: read.reduce((sum, { GDP }) => sum + Number(GDP ?? 0), 0),
    nulls: read.filter(({ GDP }) => isNull(GDP)).length,
    first: String(read[0]?.Country),
    days: [...new Set(read.map(({ Day }) => String(Day)))].sort(),
  };
};

describe('Node libraries', () => {
  const get = (query = '') => fetch(server.dataUrl(version, query));

  it.each([
    ['csv', ','],
    ['tsv', '\t'],
  ])('csv-parse reads %s', async (format, delimiter) => {
    const text = await (await get(`$format=${format}`)).text();
    const read = parse(text, { columns: true, delimiter, record_delimiter: '\r\n' }) as Row[];
    expect(summaryOf(read)).toEqual(expected);
  });

  it('JSON.parse reads json', async () => {
    expect(summaryOf((await (await get('$format=json')).json()) as Row[])).toEqual(expected);
  });

  it('exceljs reads xlsx, with dates as dates', async () => {
    const workbook = new ExcelJs.Workbook();
    await workbook.xlsx.load(await (await get('$format=xlsx')).arrayBuffer());
    const read: Row[] = [];
    workbook.worksheets[0]?.eachRow((row, number) => {
      const [country, day, gdp] = [1, 2, 3].map((place) => row.getCell(place).value);
      if (number === 1) return;
      expect(day).toBeInstanceOf(Date);
      read.push({
        Country: String(country),
        Day: (day as Date).toISOString().slice(0, 10),
        GDP: gdp as number | null,
      });
    });
    expect(summaryOf(read)).toEqual(expected);
  });
});

pythonTest('pandas, DuckDB and openpyxl see the same rows', async () => {
  const { stdout } = await run(await programOf('Python readers'), [script, server.dataUrl(version), folder], {
    timeout: longestTestMs,
  });
  const report = JSON.parse(stdout) as PythonReport;
  expect(Object.keys(report.frames).length).toBeGreaterThanOrEqual(9);
  for (const [reader, seen] of Object.entries(report.frames)) {
    expect([reader, seen]).toEqual([reader, expected]);
  }
  expect(report.openpyxl).toEqual({
    columns: expected.columns,
    rows: expected.rows,
    dayIsDate: true,
    types: ['s', 'd', 'n'],
  });
  if (report.duckdb.extension) expect(report.duckdb.frame).toEqual(expected);
});

officeTest('LibreOffice opens the workbook and converts it to the same rows', async () => {
  const path = join(folder, 'office.xlsx');
  const answer = await fetch(server.dataUrl(version, '$format=xlsx'));
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
  // Comma separated, quoted text, UTF-8, cells as shown.
  const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';
  await run(
    await programOf('LibreOffice'),
    [profile, '--headless', '--convert-to', filter, '--outdir', folder, path],
    {
      timeout: longestTestMs,
    },
  );
  const read = parse(await readFile(join(folder, 'office.csv')), { columns: true }) as Row[];
  expect(summaryOf(read)).toEqual(expected);
});
