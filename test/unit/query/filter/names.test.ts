import { describe, expect, it } from 'vitest';
import { createNameIndex, unknownColumns } from '../../../../src/query/filter/names.js';

const names = ['City', 'City of birth', 'Speed', 'Length (mm)', ' a]b'];
const longestAt: ReturnType<typeof createNameIndex>['longestAt'] = (...place) =>
  createNameIndex(names).longestAt(...place);
const ignore = (): void => undefined;

describe('the longest name at an offset', () => {
  it.each([
    ['City of birth eq', 'City of birth'],
    ['City of birthday', 'City'],
    ['City of', 'City'],
    ['City,', 'City'],
    ['City)', 'City'],
    ['City\teq', 'City'],
    ['Cityx', undefined],
    ['city', undefined],
    ['Length (mm) gt 5', 'Length (mm)'],
    ['Length', undefined],
    ['', undefined],
  ])('of %j is %j', (text, name) => {
    expect(longestAt(text, 0, ignore)).toBe(name);
    expect(longestAt(`x ${text}`, 2, ignore)).toBe(name);
  });

  it('costs a step per length of the names that begin with the same word, and per 16 characters', () => {
    const costOf = (text: string): number => {
      let steps = 0;
      longestAt(text, 0, (more) => {
        steps += more;
      });
      return steps;
    };
    expect(costOf('Speed')).toBe(5 / 16 + 1 + 5 / 16);
    expect(costOf('City x and soon')).toBe(4 / 16 + 2 + 4 / 16);
    expect(costOf('Nothing of these')).toBe(7 / 16);
    // A word is read only up to the length of the longest name.
    expect(costOf('x'.repeat(1_000))).toBe((6 + 1) / 16);
  });
});

describe('the message about unknown columns', () => {
  const messageOf = (...unknown: readonly string[]): string =>
    unknownColumns(
      'x'.repeat(100),
      unknown.map((name, at) => ({ name, start: at * 10 })),
      names,
    ).message;

  it('suggests a name for each of the first five', () => {
    expect(messageOf('Citi', 'Sped')).toBe(
      'Invalid column names: Citi, Sped ($filter, character 1); did you mean City instead of Citi, Speed instead of Sped?',
    );
    expect(messageOf('Cit', 'Citi', 'Ciy', 'Cty', 'Cita', 'Sped')).not.toContain('Speed');
    expect(messageOf('Quite another')).toBe('Invalid column names: Quite another ($filter, character 1)');
  });

  it('suggests a name with blanks at its ends in brackets', () => {
    expect(messageOf('a]b')).toContain('did you mean [ a]]b] instead of a]b?');
  });

  it('explains how texts are written if one of the names has quotes', () => {
    expect(messageOf('Citi', '\u201cx\u201d')).toMatch(/; write texts in single quotes \('…'\)$/);
    expect(messageOf("Ci'ty")).not.toContain('quotes');
  });

  it('lists each once, at its first position', () => {
    expect(
      unknownColumns(
        'ab',
        [
          { name: 'b', start: 1 },
          { name: 'b', start: 0 },
        ],
        [],
      ),
    ).toMatchObject({
      message: 'Invalid column names: b ($filter, character 2)',
      details: { position: 2, columns: ['b'], count: 1 },
    });
  });
});
