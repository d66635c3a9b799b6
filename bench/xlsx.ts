import { PassThrough } from 'node:stream';
import ExcelJs from 'exceljs';
import type { Bench } from './support/bench.js';
import { peakMemoryMb, resetPeakMemory } from './support/process-stats.js';
import { download, storeTable } from './support/stored.js';

const countries = ['Germany', 'France', 'United States', 'Japan', 'Brazil'];
const day = (row: number): Date => new Date((row % 20_000) * 86_400_000);
const numbers = [0, 1, 2, 3, 4, 5, 6];
const value = (row: number, column: number): number => ((row * 31 + column * 17) % 100_003) / 4;

async function* csvRows(count: number): AsyncGenerator<Buffer> {
  yield Buffer.from(`date,country,series,${numbers.map((column) => `v${column}`).join(',')}\n`);
  for (let from = 0; from < count; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => {
      const row = from + index;
      const cells = numbers.map((column) => value(row, column)).join(',');
      return `${day(row).toISOString().slice(0, 10)},${countries[row % 5]},Series ${row % 1_000},${cells}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

/** Seconds for the same rows, as ready values, in the streaming writer of exceljs. */
const excelJsSeconds = async (count: number): Promise<number> => {
  const out = new PassThrough();
  out.resume();
  const startedAt = performance.now();
  const workbook = new ExcelJs.stream.xlsx.WorkbookWriter({ stream: out, useStyles: true });
  const sheet = workbook.addWorksheet('Data');
  const style = { numFmt: 'yyyy-mm-dd' };
  for (let row = 0; row < count; row += 1) {
    const cells = numbers.map((column) => value(row, column));
    const added = sheet.addRow([day(row), countries[row % 5], `Series ${row % 1_000}`, ...cells]);
    added.getCell(1).style = style;
    added.commit();
  }
  sheet.commit();
  await workbook.commit();
  return (performance.now() - startedAt) / 1_000;
};

/** Rows per second of ten-column sheets compared with exceljs, and peak memory for a million rows. */
export const xlsx: Bench = async ({ pick, say, product: open }) => {
  const product = await open();
  const rows = pick(1_000_000, 20_000);
  const table = await storeTable(product, 'sheet', csvRows(rows));
  const apiPid = product.pids().api ?? 0;
  await download(product, table, '$format=xlsx&$top=1000')();
  resetPeakMemory(apiPid);
  const { status, totalMs } = await download(product, table, '$format=xlsx')();
  if (status !== 200) throw new Error(`status ${status}`);
  const peak = peakMemoryMb(apiPid);
  // exceljs is slow and its time is linear in the rows, so a fifth is enough.
  const share = rows / 5;
  const theirs = await excelJsSeconds(share);
  const speed = rows / (totalMs / 1_000);
  say(`${(totalMs / 1_000).toFixed(1)} s for ${rows} rows; exceljs ${theirs.toFixed(1)} s for ${share}`);
  return [
    {
      name: `${rows} rows of 10 columns, speed vs exceljs`,
      value: speed / (share / theirs),
      unit: '×',
      goal: { atLeast: 3 },
      yardstick: { name: 'exceljs, streaming', value: share / theirs, unit: 'rows/s' },
    },
    { name: 'API memory, peak', value: peak, unit: 'MB', goal: { atMost: 256 } },
  ];
};
