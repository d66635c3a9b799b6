import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileKernel } from '../../../scripts/compile-kernel.js';
import { createChunkEncoder } from '../../../src/csv/encoder.js';
import { windowBytes } from '../../../src/csv/kernel.js';
import type { EncodeColumn, EncodePhysical, EncodeResult } from '../../../src/csv/types.js';
import { cell, csvFile, csvText } from './arbitraries.js';
import { comma, parseReference } from './reference.js';

const physicals: readonly EncodePhysical[] = ['s', 'f', 'd', 't', 'u', 'n38_0', 'n38_6', 'n76_20'];

interface Form {
  readonly types: readonly EncodePhysical[];
  readonly fixed: boolean;
  readonly onBadRow: 'fail' | 'collect';
  readonly years: boolean;
}

const form: fc.Arbitrary<Form> = fc.record({
  types: fc.array(fc.constantFrom(...physicals), { minLength: 1, maxLength: 6 }),
  fixed: fc.boolean(),
  onBadRow: fc.constantFrom('fail' as const, 'collect' as const),
  years: fc.boolean(),
});

/** Result with its block as one text, since it may be cut into different pieces. */
const encoded = (
  text: string | Buffer,
  rows: number,
  { types, fixed, onBadRow, years }: Form,
  kernel: boolean,
) => {
  const columns = types.map(
    (physical, i): EncodeColumn => ({ storageName: `c${i}`, physical, sourceIndex: i, fixed, years }),
  );
  const encoder = createChunkEncoder({ dialect: comma, fieldCount: types.length, columns, onBadRow, kernel });
  const result: EncodeResult = encoder.encode(
    Buffer.from(text),
    { firstRow: 7, rows, firstLine: 3 },
    { segment: 5n, uploadNumber: 2 },
  );
  if (result.kind !== 'encoded') return result;
  const { block, rows: written, badRows } = result;
  return { block: Buffer.concat(block).toString('latin1'), written, badRows };
};

const expectSame = (text: string | Buffer, rows: number, how: Form): void => {
  const plain = encoded(text, rows, how, false);
  // The text of a failed assertion would be as long as the block.
  expect(JSON.stringify(encoded(text, rows, how, true)) === JSON.stringify(plain)).toBe(true);
};

/** Fields that the kernel encodes, with an occasional one that it leaves to JavaScript. */
const mostlyPlain = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: -99_999, max: 99_999 }).map(String) },
  { weight: 30, arbitrary: fc.tuple(fc.nat(99_999), fc.nat(999)).map(([a, b]) => `${a}.${b}`) },
  { weight: 20, arbitrary: fc.constantFrom('', '2024-02-29', '1900-01-01', '-0', '-0.0', '0.10', 'word') },
  {
    weight: 5,
    arbitrary: fc.constantFrom('2023-02-29', '1899-12-31', '2300-01-01', '00', '1.', '.5', '1e3'),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      '999999999999999',
      '9007199254740993',
      '-12345678.12345677',
      '0.30000000000000004',
      '123456789012.3456',
      '99999999999999999999',
      '0.1234567890123',
    ),
  },
  { weight: 3, arbitrary: cell.filter((text) => !/[",\n\r]/.test(text)) },
  { weight: 2, arbitrary: cell.map((text) => `"${text.replaceAll('"', '""')}"`) },
);

describe('the kernel', () => {
  it('is compiled from its source', async () => {
    expect(await readFile('src/csv/kernel-code.ts', 'utf8')).toBe(await compileKernel());
  });

  it('returns the same bytes, bad rows and refusals as JavaScript for any text', () => {
    fc.assert(
      fc.property(csvText, form, (text, how) => {
        expectSame(text, parseReference(text).length, how);
      }),
      { numRuns: 3_000 },
    );
  });

  it('returns the same for well-formed files with all kinds of values', () => {
    fc.assert(
      fc.property(csvFile, form, ({ text, rows, header }, { types, ...how }) => {
        const all = header.map((_, i) => types[i % types.length]!);
        expectSame(text, rows.length + 1, { ...how, types: all });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([1, 2, 7])('returns the same for plain values mixed with others in %d columns', (columns) => {
    fc.assert(
      fc.property(
        fc.array(fc.array(mostlyPlain, { minLength: columns, maxLength: columns }), {
          minLength: 3_000,
          maxLength: 3_000,
          size: 'max',
        }),
        form,
        fc.constantFrom('\n', '\r\n', '\r'),
        (rows, { types, years }, lineEnd) => {
          // A record of one empty field is a blank line.
          const lines = rows.map((fields) => (fields.join() === '' ? '0' : fields.join()));
          const all = Array.from({ length: columns }, (_, i) => types[i % types.length]!);
          const how: Form = { types: all, fixed: true, onBadRow: 'collect', years };
          expectSame(`${lines.join(lineEnd)}${lineEnd}`, lines.length, how);
        },
      ),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it.each([-2, -1, 0, 1])(
    'returns the same for records that end %d bytes from the end of its memory',
    (more) => {
      const how: Form = { types: ['s', 'f'], fixed: false, onBadRow: 'fail', years: false };
      for (const [lineEnd, quote] of [
        ['\n', ''],
        ['\r\n', ''],
        ['\r', '"'],
        ['\r\n', '"'],
      ] as const) {
        const short = `a,1.5${lineEnd}`;
        const long = `${quote}${'x'.repeat(windowBytes + more - short.length * 40 - 4 - 2 * quote.length)}${quote},12${lineEnd}`;
        expectSame(`${short.repeat(40)}${long}${short.repeat(5_000)}${long}${long}`, 5_043, how);
      }
    },
  );

  it('returns the same for records larger than its memory, and for more columns than fit into it', () => {
    const how: Form = { types: ['s', 'f'], fixed: false, onBadRow: 'fail', years: false };
    expectSame(`"${'line\n""'.repeat(200_000)}",1\nb,2\n`, 2, how);
    const wide = Array.from({ length: 40_000 }, (_, i) => i % 10).join();
    expectSame(`${wide}\n${wide}\n`, 2, {
      ...how,
      types: Array.from({ length: 40_000 }, () => 'f' as const),
    });
  });
});
