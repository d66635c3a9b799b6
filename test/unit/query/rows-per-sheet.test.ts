import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowsPerSheet } from '../../../src/query/formats/xlsx/cell-sql.js';
import { textCell } from '../../../src/query/formats/xlsx/workbook.js';

/** The last address of a sheet. */
const address = 'XFD1048576';
const textBytes = Buffer.byteLength(textCell('x'.repeat(120), address));
const numberBytes = Buffer.byteLength(`<c r="${address}" s="1"><v>-1.7976931348623157e+308</v></c>`);
const rowBytes = Buffer.byteLength('<row r="1048576"></row>\n');

it('a sheet of the longest numbers and of texts of 120 bytes has less than 4 GiB', () => {
  fc.assert(
    fc.property(fc.nat(16_384), fc.nat(16_384), (some, others) => {
      const columns = Math.max(some, others);
      const texts = Math.min(some, others);
      const row = rowBytes + textBytes * texts + numberBytes * (columns - texts);
      const rows = rowsPerSheet(columns, texts);
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThanOrEqual(1_048_575);
      expect(rows * row).toBeLessThan(2 ** 32);
    }),
  );
});

it('a sheet of few columns has all rows that Excel takes', () => {
  expect(rowsPerSheet(19, 19)).toBe(1_048_575);
  expect(rowsPerSheet(47, 0)).toBe(1_048_575);
  expect(rowsPerSheet(0, 0)).toBe(1_048_575);
});
