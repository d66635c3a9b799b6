import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ City: 's', Speed: 'f', Day: 'd' });

const outcome = (text: string): string => {
  try {
    return compileFilter(text, columns).normalized;
  } catch (error) {
    return (error as Error).message.replace('$filter, character ', '');
  }
};

/** Compares messages with a golden file, so that every change is deliberate. */
const expectMessages = (name: string, filters: readonly string[]): Promise<void> =>
  expect(`${filters.map((text) => `${text}\n  ${outcome(text)}`).join('\n')}\n`).toMatchFileSnapshot(
    `./messages/${name}.txt`,
  );

describe('the messages', () => {
  it('about OData beyond the language are those of their golden file', async () => {
    await expectMessages('unsupported', [
      '$it eq 1',
      "$this/City eq 'x'",
      '$itx eq 1',
      '@p.x eq 1',
      'geo.distance(City, City) gt 1',
      'geo.distance gt 1',
      "binary'00' eq City",
      "X'00' eq City",
      "Day eq datetimeoffset'2020'",
      "NS.Color'Red' eq City",
      'isof(City) ',
      "cast (City, 'x')",
      'any(x: x eq 1)',
      'ALL (x:x)',
      'City/any(x: x eq 1)',
      'case (true:1)',
      'now() gt Day',
      'totaloffsetminutes(Day) eq 1',
      'FRACTIONALSECONDS (Day) eq 1',
      'hassubset(City, City)',
      "matchesPattern(City, 'a')",
      "substringof('a', City)",
      'Speed eq INF',
      'Speed eq -INF',
      'Speed eq NaN',
      'Speed eq NaNx',
      'NS.f(1) eq 1',
      '{a eq 1',
      'City eq 12345678-1234-1234-1234-123456789abc',
      'Day eq 2020-01-01T00:00',
      'Day eq 2020-01-01+01:00',
      'Day eq -2020-01-01',
      'Day eq 12020-01-01T00:00:00Z',
      'Day eq P1D',
      'Day eq -PT1H2M3S',
      'Day eq P1DX',
      'Day eq 12:30',
      'Day eq 1:30:00',
      'Speed eq 5.5m',
      'Speed eq 5mx',
      'City/Name eq 1',
      'a.b/c/$count eq 1',
      "City eq 'x' has 'y'",
      'Speed / 2 eq 1',
      'Speed eq 5/2',
    ]);
  });

  it('about texts that break the grammar are those of their golden file', async () => {
    await expectMessages('syntax', [
      'foo(City) eq 1',
      'Foo bar(City) eq 1',
      'City eq "x"',
      'Speed eq -.5',
      'Speed eq +.5',
      'Day eq 2020-13-01',
      'Day eq 2020-W54',
      "City eq 'a'b",
      'Speed eq 5abc',
      "City eq 'it''s",
      'contains()',
      'contains(City)',
      "contains(City, 'a', 'b')",
      'substring(City)',
      'substring(City, 1, 2, 3)',
      'length(City, City)',
      'trim() eq City',
      'Speed in',
      'Speed in 5',
      'Speed in [1, 2]',
      "City eq ['a', 'b']",
      'City eq ["a"]',
      'Speed in (City)',
      'Speed in (1 add 2)',
      'Speed in (1,)',
      'Speed in (1',
      'Speed in (1, "2")',
      'Speed in (1, [City])',
      'Speed in (1, -(2))',
      'Speed in (1,,2)',
      'Speed in (-1, +2, null, true)',
      '(Speed gt 1',
      'Speed gt 1)',
      'Speed gt 1, 2',
      'Speed gt 1 Speed',
      'Speed gt',
      'and',
      'Speed gt and',
      'Speed gt1',
      '(Speed)gt 1',
      '[Speed]gt 1',
      "trim(City)eq 'x'",
      'true or',
      'not',
      'not (true',
      "City eq 'x' and and true",
    ]);
  });
});
