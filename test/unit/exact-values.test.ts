import { expect, it } from 'vitest';
import { comparable } from '../support/exact-values.js';

it('comparable writes a number in one form and keeps all its digits', () => {
  const canonical = (text: string) => comparable([['d', 't', text]])[0]?.[2];
  expect(
    ['1.50', '0150e-2', '+1.5', '-0.0', '1e-7', '1.7e+3', '.5', '00', '-12.30', '0.10'].map(canonical),
  ).toEqual(['1.5', '1.5', '1.5', '0', '0.0000001', '1700', '0.5', '0', '-12.3', '0.1']);
  expect(canonical('123456789012345678901234567890.250')).toBe('123456789012345678901234567890.25');
});
