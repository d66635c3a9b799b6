import { describe, expect, it } from 'vitest';
import { parseInstant } from '../../../src/lib/instant.js';

describe('parseInstant', () => {
  it.each([
    ['2026-03-31', '2026-04-01T00:00:00.000Z'],
    ['2024-02-29', '2024-03-01T00:00:00.000Z'],
    ['2026-03-31T12:00:00Z', '2026-03-31T12:00:00.001Z'],
    ['2026-03-31T12:00Z', '2026-03-31T12:00:00.001Z'],
    ['2026-03-31 12:00:00.123Z', '2026-03-31T12:00:00.124Z'],
    ['2026-03-31T12:00:00+02:00', '2026-03-31T10:00:00.001Z'],
    ['2026-03-31T12:00:00 02:00', '2026-03-31T10:00:00.001Z'],
    ['2026-03-31T12:00:00-0530', '2026-03-31T17:30:00.001Z'],
  ])('reads %s up to %s', (text, end) => {
    expect(parseInstant(text)).toEqual({ text, end: new Date(end) });
  });

  it.each([
    '',
    'yesterday',
    '2026',
    '2026-3-31',
    '2026-02-30',
    '2026-13-01',
    '2026-03-31T12:00:00',
    '2026-03-31T25:00Z',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
