import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../../src/lib/errors.js';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

interface Expression {
  readonly filter: string;
  readonly columns: Readonly<Record<string, 'String' | 'Decimal' | 'Date'>>;
  readonly verdict: string;
  readonly scope: string;
}

const fixture = new URL('../../../fixtures/odata/expressions.jsonl', import.meta.url);
const expressions = readFileSync(fixture, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Expression);

const verdictOf = ({ filter, columns }: Expression, decimal: 'f' | 'n38_4'): string => {
  const physical = { String: 's', Decimal: decimal, Date: 'd' } as const;
  const types = Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, physical[type]]));
  try {
    compileFilter(filter, columnsOf(types));
    return 'accept';
  } catch (error) {
    if (isAppError(error) && error.kind === 'invalid') return error.code;
    throw error;
  }
};

describe('expressions of public test suites', () => {
  it('are complete', () => {
    expect(expressions).toHaveLength(756);
  });

  it.each(['f', 'n38_4'] as const)('have the recorded verdict with decimals stored as %s', (decimal) => {
    const different = expressions.flatMap((expression) => {
      const verdict = verdictOf(expression, decimal);
      return verdict === expression.verdict ? [] : [{ ...expression, verdict }];
    });
    expect(different).toEqual([]);
  });

  it('are rejected if they are valid OData beyond the language', () => {
    const beyond = expressions.filter(({ scope }) => scope === 'out');
    expect(beyond.length).toBeGreaterThan(100);
    expect(beyond.filter(({ verdict }) => verdict === 'accept')).toEqual([]);
  });
});
