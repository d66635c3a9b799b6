import { describe, expect, it } from 'vitest';
import { bindFilter } from '../../../../src/query/filter/binder.js';
import { conditionSteps, createEmitter } from '../../../../src/query/filter/compiler.js';
import { createFailures } from '../../../../src/query/filter/failure.js';
import { defaultLimits } from '../../../../src/query/filter/limits.js';
import { createNameIndex } from '../../../../src/query/filter/names.js';
import { createParameters } from '../../../../src/query/filter/parameters.js';
import { parseFilter } from '../../../../src/query/filter/parser.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ Speed: 'f' });
const byName = new Map(columns.map((column) => [column.name, column]));

/** The result, and the number of yields before it. */
const run = <T>(steps: Generator<void, T>): { result: T; breaks: number } => {
  for (let breaks = 0; ; breaks += 1) {
    const { done, value } = steps.next();
    if (done) return { result: value, breaks };
  }
};

const parsed = (text: string) => {
  const failures = createFailures(text);
  const { result, breaks } = run(parseFilter(text, createNameIndex(['Speed']), failures, defaultLimits));
  return { root: result.root, failures, breaks };
};

const bound = (text: string) => {
  const { root, failures } = parsed(text);
  return run(bindFilter(root, byName, failures, false));
};

const listOf = (values: number): string =>
  `Speed in (${Array.from({ length: values }, (_, at) => at).join()})`;
const chainOf = (terms: number): string => Array.from({ length: terms }, () => 'true').join(' or ');

describe('a long filter yields', () => {
  it('after each 100 operands and values that are parsed', () => {
    expect(parsed(chainOf(99)).breaks).toBe(0);
    expect(parsed(chainOf(100)).breaks).toBe(1);
    expect(parsed(chainOf(1_000)).breaks).toBe(10);
    expect(parsed(listOf(999)).breaks).toBe(10);
  });

  it('after each 200 values of a list that are bound, and after each list', () => {
    expect(bound('true').breaks).toBe(0);
    expect(bound(listOf(199)).breaks).toBe(1);
    expect(bound(listOf(200)).breaks).toBe(2);
    expect(bound(listOf(1_000)).breaks).toBe(6);
    expect(bound(`${listOf(1)} or ${listOf(2)}`).breaks).toBe(2);
  });

  it('after each 100 conditions that are compiled', () => {
    const breaks = (text: string): number =>
      run(conditionSteps(bound(text).result, createEmitter(createParameters()))).breaks;
    expect(breaks(chainOf(99))).toBe(0);
    expect(breaks(chainOf(100))).toBe(1);
    expect(breaks(chainOf(250))).toBe(2);
    expect(breaks(`(${chainOf(100)}) and (${chainOf(100)})`)).toBe(2);
  });
});
