import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../src/gateway/search/concepts.js';
import { partOf, title } from '../../../src/gateway/search/text-query.js';
import { wordsOf } from '../../../src/gateway/search/words.js';

const read = (text: string) => readQuery(wordsOf(text));
const names = (text: string): string[] =>
  read(text).subjects.flatMap(({ alternatives }) => alternatives.map((words) => words.join(' ')));

describe('queries', () => {
  it.each([
    ['CPI', 'consumer price index'],
    ['consumer price index', 'cpi'],
    ['HICP', 'harmonised index of consumer prices'],
    ['GDP', 'gross domestic product'],
    ['10y yield', '10 year'],
    ['10-year yield', '10y'],
    ['EURUSD', 'eur usd'],
    ['EUR/USD', 'eurusd'],
    ['EUR USD', 'euro dollar'],
  ])('for %s also look for %s', (text, other) => {
    expect(names(text)).toContain(other);
  });

  it.each([
    ['US CPI', 'US'],
    ['CPI USA', 'US'],
    ['CPI of the United States', 'US'],
    ['U.S. CPI', 'US'],
    ['UK CPI', 'GB'],
    ['CPI euro area', 'EA21'],
    ['CPI EA20', 'EA21'],
    ['Norwegian CPI', 'NO'],
  ])('have a region: %s', (text, code) => {
    expect(read(text).region?.region.codes[0]).toBe(code);
  });

  it('treat frequency, transformation, range and currency as wishes, unless there is no other subject', () => {
    const { subjects, wishes } = read('GDP monthly yoy since 1999 in USD');
    expect(subjects.map(({ text }) => text)).toEqual(['gdp']);
    expect(wishes.map(({ text }) => text)).toContain('usd');
    expect(read('daily').subjects.map(({ text }) => text)).toEqual(['daily']);
  });

  it('are limited in subjects and combinations, whatever their length', () => {
    const query = read(Array.from({ length: 200 }, (_, n) => `word${n}`).join(' '));
    const combinations =
      partOf(
        query,
        query.subjects.map(() => 1),
        title,
      ) ?? '';
    expect(query.subjects.length).toBe(8);
    expect(combinations.length).toBeLessThan(10_000);
  });
});
