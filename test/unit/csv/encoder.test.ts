import { describe, expect, it } from 'vitest';
import { createChunkEncoder } from '../../../src/csv/encoder.js';
import type { EncodeColumn, EncodePhysical } from '../../../src/csv/types.js';
import { daysOf } from '../../../src/model/day-set.js';
import { recordsPerUpload, uploadsPerDataset } from '../../../src/model/position.js';
import { comma, decodeBlock, encodeColumn, wholeChunk } from './reference.js';

const columnsOf = (physicals: readonly EncodePhysical[], fixed = false): EncodeColumn[] =>
  physicals.map((physical, i) => ({ storageName: `c${i}_${physical}`, physical, sourceIndex: i, fixed }));

const encode = (
  text: string,
  physicals: readonly EncodePhysical[],
  options: { rows?: number; onBadRow?: 'fail' | 'collect'; maxBadRows?: number; fixed?: boolean } = {},
) => {
  const { rows = text.split('\n').length - 1, onBadRow = 'fail', fixed = false, ...limits } = options;
  const columns = columnsOf(physicals, fixed);
  const fieldCount = physicals.length;
  const encoder = createChunkEncoder({ dialect: comma, fieldCount, columns, onBadRow, ...limits });
  return encoder.encode(
    Buffer.from(text),
    { firstRow: 100, rows, firstLine: 12 },
    { segment: 9n, uploadNumber: 0 },
  );
};

describe('the block', () => {
  it('has segment and position before the columns', () => {
    const result = encode('2020-01-31,x,1.5\n,,\n', ['d', 's', 'f']);
    if (result.kind !== 'encoded') throw new Error(result.kind);
    expect(result.rows).toBe(2);
    expect(decodeBlock(result.block).columns).toEqual([
      { name: '_seg', type: 'UInt64', values: ['9', '9'] },
      { name: '_row', type: 'UInt64', values: ['100', '101'] },
      { name: 'c0_d', type: 'Nullable(Date32)', values: ['2020-01-31', null] },
      { name: 'c1_s', type: 'Nullable(String)', values: ['x', null] },
      { name: 'c2_f', type: 'Nullable(Float64)', values: ['1.5', null] },
    ]);
  });

  it('can have segments and positions above 2^53', () => {
    const encoder = createChunkEncoder({ dialect: comma, fieldCount: 1, columns: columnsOf(['f']) });
    const position = { firstRow: recordsPerUpload - 2, rows: 2, firstLine: 2 ** 41 };
    const target = { segment: 2n ** 63n + 1n, uploadNumber: uploadsPerDataset - 1 };
    const result = encoder.encode(Buffer.from('1\n2\n'), position, target);
    if (result.kind !== 'encoded') throw new Error(result.kind);
    const [segment, row] = decodeBlock(result.block).columns;
    expect(segment?.values).toEqual(['9223372036854775809', '9223372036854775809']);
    expect(row?.values).toEqual([String(2n ** 63n - 2n), String(2n ** 63n - 1n)]);
  });

  it('does not depend on what its encoder wrote before', () => {
    const columns = columnsOf(['f', 'd', 'n38_2', 'n76_2', 's', 't']);
    const target = { segment: 1, uploadNumber: 0 };
    const position = { firstRow: 0, rows: 3, firstLine: 2 };
    const blockOf = (encoder: ReturnType<typeof createChunkEncoder>, line: string): Buffer => {
      const result = encoder.encode(Buffer.from(`${line}\n`.repeat(3)), position, target);
      if (result.kind !== 'encoded') throw new Error(result.kind);
      return Buffer.concat([...result.block]);
    };
    const options = { dialect: comma, fieldCount: 6, columns };
    for (const kernel of [true, false]) {
      const used = createChunkEncoder({ ...options, kernel });
      blockOf(used, '-1.5,2020-01-31,-1.5,-12345678901234567890.25,text,1066-10-14');
      for (const line of [',,,,,', 'NA,NA,NA,NA,,NA', '1,2020-01-31,1,1,x,2020-01-31']) {
        const fresh = createChunkEncoder({ ...options, kernel });
        expect(blockOf(used, line).equals(blockOf(fresh, line))).toBe(true);
      }
    }
  });

  it('refuses more or fewer records than announced', () => {
    expect(() => encode('1\n2\n3\n', ['f'], { rows: 2 })).toThrow('More records than the 2 announced');
    expect(() => encode('1\n2\n', ['f'], { rows: 3 })).toThrow('2 records, not 3');
  });

  it('refuses records beyond the positions of one upload', () => {
    const encoder = createChunkEncoder({ dialect: comma, fieldCount: 1, columns: columnsOf(['f']) });
    const position = { firstRow: recordsPerUpload - 1, rows: 2, firstLine: 2 };
    expect(() => encoder.encode(Buffer.from('1\n2\n'), position, { segment: 1, uploadNumber: 1 })).toThrow(
      'at most 34359738368 records',
    );
  });

  it('leaves out skipped fields and accepts fields in any order', () => {
    const columns: EncodeColumn[] = [
      { storageName: 'last', physical: 's', sourceIndex: 2 },
      { storageName: 'none', physical: 'skip', sourceIndex: 1 },
      { storageName: 'first', physical: 'f', sourceIndex: 0 },
    ];
    const encoder = createChunkEncoder({ dialect: comma, fieldCount: 3, columns });
    const result = encoder.encode(Buffer.from('1,x,a\n2,y,b\n'), wholeChunk(2), {
      segment: 1,
      uploadNumber: 1,
    });
    if (result.kind !== 'encoded') throw new Error(result.kind);
    expect(decodeBlock(result.block).columns.slice(2)).toEqual([
      { name: 'last', type: 'Nullable(String)', values: ['a', 'b'] },
      { name: 'first', type: 'Nullable(Float64)', values: ['1', '2'] },
    ]);
  });

  it('has the storage type of a column if one is given', () => {
    const columns: EncodeColumn[] = [
      { storageName: 'c', storageType: 'UInt64', physical: 'f', sourceIndex: 0 },
      { storageName: 'd', physical: 'f', sourceIndex: 0 },
    ];
    const encoder = createChunkEncoder({ dialect: comma, fieldCount: 1, columns });
    const result = encoder.encode(Buffer.alloc(0), wholeChunk(0), { segment: 1, uploadNumber: 1 });
    if (result.kind !== 'encoded') throw new Error(result.kind);
    expect(
      decodeBlock(result.block)
        .columns.map(({ type }) => type)
        .slice(2),
    ).toEqual(['UInt64', 'Nullable(Float64)']);
  });

  it('is returned with the days of each column of days or years', () => {
    const physicals = ['skip', 'd', 'f', 's', 'n38_0'] as const;
    const result = encode('x,2020-01-31,2020,x,2020\nx,,,,\nx,1970-01-02,1970,y,1\n', physicals);
    if (result.kind !== 'encoded') throw new Error(result.kind);
    const day = (text: string): number => Date.parse(text) / 86_400_000;
    const found = [...physicals, 'none'].map((_, position) => {
      const set = result.daysOf(position);
      return set && daysOf(set);
    });
    const days = [day('1970-01-02'), day('2020-01-31')];
    const years = [day('1970-01-01'), day('2020-01-01')];
    expect(found).toEqual([undefined, days, years, undefined, undefined, undefined]);
  });

  it('does not depend on the previous chunk', () => {
    const encoder = createChunkEncoder({ dialect: comma, fieldCount: 2, columns: columnsOf(['s', 'n38_1']) });
    const long = Array.from({ length: 5_000 }, (_, i) => `text ${i},${i}.5\n`).join('');
    encoder.encode(Buffer.from(long), wholeChunk(5_000), { segment: 1, uploadNumber: 1 });
    const result = encoder.encode(Buffer.from(',\nx,\n,-1\n'), wholeChunk(3), {
      segment: 2,
      uploadNumber: 1,
    });
    if (result.kind !== 'encoded') throw new Error(result.kind);
    const [segment, , text, decimal] = decodeBlock(result.block).columns;
    expect(segment?.values).toEqual(['2', '2', '2']);
    expect(text?.values).toEqual([null, 'x', null]);
    expect(decimal?.values).toEqual([null, null, '-1']);
  });

  it('has few pieces for thousands of columns', () => {
    const fieldCount = 5_000;
    const physicals = Array.from({ length: fieldCount }, (_, i): EncodePhysical => (i % 2 ? 's' : 'f'));
    const record = (row: number) =>
      `${physicals.map((type, i) => (type === 's' ? `t${i}` : row + i)).join(',')}\n`;
    const result = encode(Array.from({ length: 20 }, (_, row) => record(row)).join(''), physicals);
    if (result.kind !== 'encoded') throw new Error(result.kind);
    expect(result.block.length).toBeLessThan(10);
    const { columns } = decodeBlock(result.block);
    expect(columns).toHaveLength(fieldCount + 2);
    expect(columns[2 + 4_998]?.values[19]).toBe('5017');
    expect(columns[2 + 4_999]?.values[19]).toBe('t4999');
  });

  it('keeps texts of any length', () => {
    const texts = [0, 1, 47, 48, 127, 128, 16_383, 16_384, 1_000_000].map((length) =>
      'é"'.repeat(length / 2),
    );
    expect(encodeColumn('s', texts)).toEqual(texts.map((text) => text || null));
  });

  it('throws a RangeError for more or fewer rows than the chunk has', () => {
    expect(() => encode('1\n2\n', ['f'], { rows: 1 })).toThrow(RangeError);
    expect(() => encode('1\n2\n', ['f'], { rows: 3 })).toThrow(RangeError);
  });
});

describe('null markers', () => {
  const markers = ['NA', 'N/A', 'n/a', 'null', 'NULL', 'NaN', '-', '.', '..', ':'];

  it.each(['d', 't', 'f', 'n38_2', 'n76_2'] as const)('are null in %s', (physical) => {
    expect(encodeColumn(physical, [...markers, ''])).toEqual([...markers, ''].map(() => null));
  });

  it.each(['s', 'u'] as const)('are text in %s', (physical) => {
    expect(encodeColumn(physical, [...markers, ''])).toEqual([...markers, null]);
  });

  it.each(['na', 'Null', 'nan', '...', '--', '::', 'N/a', 'none', ' NA'])('do not include "%s"', (text) => {
    expect(encodeColumn('f', ['1', text])).toEqual({ misfit: text, line: 3 });
  });

  it('are the only values of a column without a type yet', () => {
    expect(encodeColumn('u', ['', 'NA', '5'])).toEqual({ misfit: '5', line: 4 });
  });
});

describe('a value that does not fit', () => {
  it('is reported with row, line, column and text', () => {
    const result = encode('1,a\n"x\ny",b\n', ['s', 'f'], { rows: 2 });
    expect(result).toEqual({
      kind: 'violation',
      violation: { column: 1, field: 1, row: 100, line: 12, value: 'a', physical: 'f' },
    });
    expect(encode('"x\n\ny",1\nz,"a""b"\n', ['s', 'f'], { rows: 2 })).toMatchObject({
      violation: { row: 101, line: 15, value: 'a"b' },
    });
  });

  it('is reported if it is the first in the file, and the leftmost in its record', () => {
    const text = `${'1,1,1\n'.repeat(3_000)}1,1,c\n1,b,1\na,b,1\n`;
    expect(encode(text, ['f', 'f', 'f'])).toMatchObject({ violation: { column: 2, row: 3_100, value: 'c' } });
    expect(encode('1,x,y\nz,1,1\n', ['f', 'f', 'f'])).toMatchObject({ violation: { column: 1, value: 'x' } });
  });

  it('is reported with at most 200 characters', () => {
    expect(encodeColumn('f', ['🎁'.repeat(300)])).toEqual({ misfit: '🎁'.repeat(200), line: 2 });
  });

  it('is reported before a later malformed record, but not before an earlier one', () => {
    expect(encode('1\nx\n1,2\n', ['f'])).toMatchObject({ kind: 'violation' });
    expect(encode('1\n1,2\nx\n', ['f'])).toMatchObject({ kind: 'bad_row', badRow: { row: 101, line: 13 } });
  });
});

describe('a malformed record', () => {
  it.each([
    ['1,2,3\n', { reason: 'field_count', fieldCount: 3, field: null, value: null }],
    ['1\n', { reason: 'field_count', fieldCount: 1 }],
    ['"a"x,2\n', { reason: 'text_after_quote', field: 0, value: '"a"x' }],
    ['1,"a" \n', { reason: 'text_after_quote', field: 1, value: '"a" ' }],
    ['1, "a"\n', { reason: 'blank_before_quote', field: 1, value: ' "a"' }],
    ['1,"a\n', { reason: 'unterminated_quote', field: 1 }],
  ])('is refused with its reason: %j', (text, badRow) => {
    const result = encode(`1,x\n${text}`, ['s', 's'], { rows: 2 });
    expect(result).toMatchObject({ kind: 'bad_row', badRow: { ...badRow, row: 101, line: 13 } });
  });

  it('is not reported for a quote inside an unquoted field', () => {
    expect(encodeRaw('5" pipe,a"\n')).toEqual([['5" pipe'], ['a"']]);
  });

  it('is not reported for line ends in a quoted field, which are kept', () => {
    expect(encodeRaw('"a\r\nb\rc\n",x\r\n')).toEqual([['a\r\nb\rc\n'], ['x']]);
  });
});

const encodeRaw = (text: string): (string | null)[][] => {
  const result = encode(text, ['s', 's'], { rows: 1 });
  if (result.kind !== 'encoded') throw new Error(JSON.stringify(result));
  return decodeBlock(result.block)
    .columns.slice(2)
    .map(({ values }) => values);
};

describe('collecting bad rows', () => {
  it('leaves them out, keeps the row numbers of others, and reports where their bytes are', () => {
    const text = '1,a\nbad\n2,b\n3,"c"x\n4,d\n';
    const result = encode(text, ['f', 's'], { onBadRow: 'collect' });
    if (result.kind !== 'encoded') throw new Error(result.kind);
    const [, rows, numbers, texts] = decodeBlock(result.block).columns;
    expect(rows?.values).toEqual(['100', '102', '104']);
    expect(numbers?.values).toEqual(['1', '2', '4']);
    expect(texts?.values).toEqual(['a', 'b', 'd']);
    expect(result.badRows.map(({ rawStart, rawEnd }) => text.slice(rawStart, rawEnd))).toEqual([
      'bad',
      '3,"c"x',
    ]);
    expect(result.badRows.map(({ row, line, reason }) => [row, line, reason])).toEqual([
      [101, 13, 'field_count'],
      [103, 15, 'text_after_quote'],
    ]);
  });

  it('includes values that do not fit a fixed type', () => {
    const lines = Array.from({ length: 5_000 }, (_, i) =>
      i % 3 === 0 ? `x${i},t,2020-01-01` : `${i},t${i},`,
    );
    const result = encode(`${lines.join('\n')}\n`, ['f', 's', 'd'], { onBadRow: 'collect', fixed: true });
    if (result.kind !== 'encoded') throw new Error(result.kind);
    const good = lines.flatMap((_, i) => (i % 3 === 0 ? [] : [i]));
    const [, rows, numbers, texts] = decodeBlock(result.block).columns;
    expect(rows?.values).toEqual(good.map((i) => String(i + 100)));
    expect(numbers?.values).toEqual(good.map(String));
    expect(texts?.values).toEqual(good.map((i) => `t${i}`));
    expect(result.badRows).toHaveLength(5_000 - good.length);
    expect(result.badRows[1]).toMatchObject({ reason: 'value', row: 103, line: 15, field: 0, value: 'x3' });
  });

  it('lists bad rows in the order of the file, each with its first bad value and the bytes of its record', () => {
    const lines = Array.from({ length: 5_000 }, (_, i) =>
      i % 1_000 === 1 ? 'one field' : i % 1_000 === 500 ? `x${i},y${i}` : `${i},${i}`,
    );
    const text = `${lines.join('\n')}\n`;
    const result = encode(text, ['f', 'f'], { onBadRow: 'collect', fixed: true });
    if (result.kind !== 'encoded') throw new Error(result.kind);
    const bad = lines.flatMap((line, i) => (line === `${i},${i}` ? [] : [{ line, row: i + 100 }]));
    const found = result.badRows.map(({ row, rawStart, rawEnd }) => ({
      line: text.slice(rawStart, rawEnd),
      row,
    }));
    expect(found).toEqual(bad);
    expect(result.badRows[1]).toMatchObject({ reason: 'value', field: 0, value: 'x500' });
  });

  it('still reports a value that widens an inferred type', () => {
    const result = encode('1\nbad,row\nx\n', ['f'], { onBadRow: 'collect' });
    expect(result).toMatchObject({ kind: 'violation', violation: { row: 102, value: 'x' } });
  });

  it.each([
    ['values', 'x\n'],
    ['malformed records', '1,2\n'],
  ])('ends a chunk with more bad %s than the limit after some thousand records', (_, record) => {
    const options = { onBadRow: 'collect', maxBadRows: 3_000, fixed: true } as const;
    expect(encode(record.repeat(3_000), ['f'], options)).toMatchObject({ kind: 'encoded', rows: 0 });
    const result = encode(record.repeat(200_000), ['f'], options);
    if (result.kind !== 'too_many_bad_rows') throw new Error(result.kind);
    expect(result.badRows.map(({ row }) => row)).toEqual(Array.from({ length: 3_001 }, (_, i) => i + 100));
    const encoder = createChunkEncoder({
      ...{ dialect: comma, fieldCount: 1, columns: columnsOf(['f'], true) },
      ...options,
    });
    const span = { firstRow: 0, rows: 200_000, firstLine: 2 };
    const steps = encoder.encodeInSteps(Buffer.from(record.repeat(200_000)), span, {
      segment: 9n,
      uploadNumber: 0,
    });
    expect([steps.next().done, steps.next().done]).toEqual([false, true]);
  });

  it('returns an empty block if all rows are bad', () => {
    const result = encode('1,2\n3,4\n', ['f'], { onBadRow: 'collect' });
    if (result.kind !== 'encoded') throw new Error(result.kind);
    expect([result.rows, result.badRows.length]).toEqual([0, 2]);
    expect(decodeBlock(result.block).rows).toBe(0);
  });
});

describe('encodeInSteps', () => {
  it('returns the same block as encode, in several steps', () => {
    const options = { dialect: comma, fieldCount: 2, columns: columnsOf(['s', 'f']) };
    const rows = 10_000;
    const bytes = Buffer.from(Array.from({ length: rows }, (_, row) => `text ${row},${row}.5\n`).join(''));
    const position = { firstRow: 5, rows, firstLine: 2 };
    const steps = createChunkEncoder(options).encodeInSteps(bytes, position, { segment: 7, uploadNumber: 1 });
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count += 1;
    const whole = createChunkEncoder(options).encode(bytes, position, { segment: 7, uploadNumber: 1 });
    if (step.value.kind !== 'encoded' || whole.kind !== 'encoded') throw new Error('not encoded');
    expect(count).toBeGreaterThan(3);
    expect(Buffer.concat([...step.value.block]).equals(Buffer.concat([...whole.block]))).toBe(true);
  });
});
