/** Table of values that programs tend to alter; every protocol must return it unchanged. */

type Cell = string | null;

export const exactColumns = ['Day', 'A name with blanks', 'Big', 'Exact', 'Tiny'] as const;

/** Numbers in their shortest form. Each column fits into 38 digits, the limit of Parquet readers. */
export const exactRows: readonly (readonly Cell[])[] = [
  ['0931-07-14', '00123', '123456789012345678901234567890', '123456789012345678901234567890.25', '0.1'],
  ['1931-07-14', 'a, "b"', '-123456789012345678901234567891', '-0.00000001', '-0.3'],
  ['1969-12-31', 'two\nlines', '9007199254740993', '0', '1e-7'],
  ['2024-02-29', "Côte d'Ivoire 😀", null, null, null],
  ['2299-12-31', null, '0', '1', '1.7e+308'],
];

const quoted = (cell: Cell): string => (cell === null ? '' : `"${cell.replaceAll('"', '""')}"`);

export const exactCsv = [exactColumns, ...exactRows].map((row) => `${row.map(quoted).join(',')}\n`).join('');

/** Writes a number without exponent, leading zeros and trailing zeros. */
const plainNumber = (text: string): string => {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + part;
  const point = whole.length + Number(power);
  const padded = digits.padStart(digits.length + Math.max(0, -point), '0').padEnd(point, '0');
  const at = Math.max(0, point);
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '') || '0';
  const fraction = padded.slice(at).replace(/0+$/, '');
  const value = fraction === '' ? integer : `${integer}.${fraction}`;
  return sign === '-' && value !== '0' ? `-${value}` : value;
};

/** Normalizes the rows of a protocol for comparison: sorted by day, numbers in one form. */
export const comparable = (rows: readonly (readonly Cell[])[]): Cell[][] =>
  rows
    .map((row) => row.map((cell, at) => (at < 2 || cell === null ? cell : plainNumber(cell))))
    .sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1));
