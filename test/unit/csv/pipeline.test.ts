import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkEncoder } from '../../../src/csv/encoder.js';
import { headerNames, headerSteps } from '../../../src/csv/header.js';
import { joinProfiles, noProfile, physicalOf } from '../../../src/csv/profile.js';
import type { EncodeColumn, EncodePhysical } from '../../../src/csv/types.js';
import { runAtOnce } from '../../../src/lib/time-slicing.js';
import { profilesOf, untypedLayout } from '../../support/profiles.js';
import { csvFile, csvText } from './arbitraries.js';
import { comma, decodeBlock, parseReference, splitAll } from './reference.js';

interface Loaded {
  readonly physicals: EncodePhysical[];
  readonly rowNumbers: string[];
  readonly values: (string | null)[][];
}

/** Loads a file: splits it, profiles every chunk, and encodes every chunk with the joined types. */
const load = (text: string, chunkBytes: number): Loaded => {
  const { header, chunks } = splitAll(Buffer.from(text), { chunkBytes });
  const names = runAtOnce(headerNames(runAtOnce(headerSteps(header, 1, comma))));
  const profiles = chunks.map((chunk) => profilesOf(chunk.bytes, untypedLayout(comma, names.length)));
  const physicals = names.map((_, i): EncodePhysical => {
    const joined = profiles.map((list) => list[i]!).reduce(joinProfiles, noProfile);
    return physicalOf(joined);
  });
  const columns = physicals.map(
    (physical, i): EncodeColumn => ({ storageName: `c${i}`, physical, sourceIndex: i }),
  );
  const encoder = createChunkEncoder({ dialect: comma, fieldCount: names.length, columns });
  const values: (string | null)[][] = names.map(() => []);
  const rowNumbers: string[] = [];
  for (const chunk of chunks) {
    const result = encoder.encode(chunk.bytes, chunk, { segment: 3n, uploadNumber: 0 });
    if (result.kind !== 'encoded') throw new Error(JSON.stringify(result));
    const block = decodeBlock(result.block);
    rowNumbers.push(...(block.columns[1]!.values as string[]));
    values.forEach((list, i) => {
      list.push(...block.columns[i + 2]!.values);
    });
  }
  return { physicals, rowNumbers, values };
};

const markers = new Set(['NA', 'N/A', 'n/a', 'null', 'NULL', 'NaN', '-', '.', '..', ':']);

/** Sign, digits and exponent of a number text: equal for equal values. */
const canonical = (text: string): string => {
  const match = /^(-?)(\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) throw new TypeError(`Not a number: ${text}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const stripped = digits.replace(/0+$/, '');
  if (stripped === '') return '0';
  return `${sign}${stripped}e${Number(exponent) - fraction.length + digits.length - stripped.length}`;
};

const expectSame = (physical: EncodePhysical, source: string, stored: string | null): void => {
  if (source === '') expect(stored).toBeNull();
  else if (physical === 's' || physical === 'u') expect(stored).toBe(source);
  else if (markers.has(source)) expect(stored).toBeNull();
  else if (physical === 'd' || physical === 't') expect(stored).toBe(source);
  else expect(canonical(stored!)).toBe(canonical(source));
};

describe('splitting, profiling and encoding a file', () => {
  it('keeps every value for any chunk sizes', () => {
    fc.assert(
      fc.property(csvFile, ({ rows, text }) => {
        const whole = load(text, 1 << 20);
        expect(load(text, 64)).toEqual(whole);
        expect(load(text, 700)).toEqual(whole);
        expect(whole.rowNumbers).toEqual(rows.map((_, i) => String(i)));
        rows.forEach((fields, row) => {
          fields.forEach((field, column) => {
            expectSame(whole.physicals[column]!, field, whole.values[column]![row]!);
          });
        });
      }),
      { numRuns: 500 },
    );
  });

  it('reads any text like the reference parser, and refuses the records that it calls malformed', () => {
    fc.assert(
      fc.property(csvText, fc.integer({ min: 1, max: 60 }), (text, chunkBytes) => {
        let file: ReturnType<typeof splitAll>;
        try {
          file = splitAll(Buffer.from(text), { chunkBytes });
        } catch (error) {
          expect(String(error)).toMatch(/quote is opened/);
          return;
        }
        const [header, ...records] = parseReference(text);
        const fieldCount = header!.fields.length;
        const columns = header!.fields.map(
          (_, i): EncodeColumn => ({ storageName: `c${i}`, physical: 's', sourceIndex: i }),
        );
        const encoder = createChunkEncoder({ dialect: comma, fieldCount, columns, onBadRow: 'collect' });
        let row = 0;
        for (const chunk of file.chunks) {
          const result = encoder.encode(chunk.bytes, chunk, { segment: 1, uploadNumber: 0 });
          if (result.kind !== 'encoded') throw new Error(result.kind);
          const expected = records
            .slice(row, row + chunk.rows)
            .map((record, i) => ({ ...record, row: row + i }));
          const isGood = (record: (typeof expected)[number]) =>
            !record.malformed && record.fields.length === fieldCount;
          const good = expected.filter(isGood);
          const block = decodeBlock(result.block);
          expect(block.columns[1]!.values).toEqual(good.map((record) => String(record.row)));
          block.columns.slice(2).forEach(({ values }, i) => {
            expect(values).toEqual(good.map(({ fields }) => fields[i] || null));
          });
          const bad = expected.filter((record) => !isGood(record));
          expect(result.badRows.map(({ row: at, line }) => ({ row: at, line }))).toEqual(
            bad.map(({ row: at, line }) => ({ row: at, line })),
          );
          row += chunk.rows;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
