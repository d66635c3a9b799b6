import { expect, it } from 'vitest';
import { fieldEnd } from '../../../src/csv/field-end.js';
import { createFieldIndex } from '../../../src/csv/field-index.js';
import { comma } from './reference.js';

const { classes, topByte } = createFieldIndex(comma, 1, false);

const endIn = (text: string, from: number, end: number): number =>
  fieldEnd(Buffer.from(text), from, end, classes, topByte);

it.each([',', '"', '\n', '\r'])('a field ends at the first %j', (special) => {
  // Some texts have bytes below the special ones.
  for (const text of ['x'.repeat(12), ' !#+'.repeat(3), 'é-/ x'.repeat(3)]) {
    for (let from = 0; from < 4; from++) {
      for (let at = from; at < 12; at++) {
        const bytes = Buffer.from(text);
        bytes[at] = special.charCodeAt(0);
        bytes[at + 2] = 0x2c;
        expect(fieldEnd(bytes, from, bytes.length, classes, topByte)).toBe(at);
      }
    }
  }
});

it('a field without a special byte ends at the given end', () => {
  for (let end = 0; end <= 12; end++) {
    for (let from = 0; from <= end; from++) {
      expect(endIn('x !#+-/é12ab', from, end)).toBe(end);
      expect(endIn('x'.repeat(end).padEnd(20, ','), from, end)).toBe(end);
    }
  }
});
