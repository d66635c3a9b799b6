import { describe, expect, test } from 'vitest';
import { changeOf } from '../../../bench/support/compare.js';
import { type Figure, verdictOf } from '../../../bench/support/figure.js';
import { parseOptions } from '../../../bench/support/options.js';
import { type BenchResult, mergeResults, type Report } from '../../../bench/support/report.js';
import { median, percentile } from '../../../bench/support/statistics.js';
import { renderSummary, renderTable } from '../../../bench/support/table.js';

const result = (bench: string, figures: readonly Figure[], failure?: string): BenchResult => ({
  bench,
  at: '2026-01-31T12:00:00.000Z',
  seconds: 1,
  figures,
  ...(failure === undefined ? {} : { failure }),
});

const report = (...results: BenchResult[]): Report => ({
  mode: 'full',
  node: 'v20.19.0',
  cpu: '2 × x',
  results,
});

const ratio: Figure = {
  name: 'time of ClickHouse alone',
  value: 2.2,
  unit: '×',
  goal: { atMost: 2.3 },
  yardstick: { name: 'ClickHouse alone', value: 5.35, unit: 's' },
};

describe('goals', () => {
  test.each([
    [2.3, { atMost: 2.3 }, 'met'],
    [2.31, { atMost: 2.3 }, 'missed'],
    [0.9, { atLeast: 0.9 }, 'met'],
    [0.89, { atLeast: 0.9 }, 'missed'],
    [Number.NaN, { atMost: 1 }, 'missed'],
    [5, undefined, ''],
  ] as const)('%d against %o is "%s"', (value, goal, verdict) => {
    expect(verdictOf(goal === undefined ? { value } : { value, goal })).toBe(verdict);
  });
});

describe('comparison with an earlier run', () => {
  const change = (before: number, now: number, more: Partial<Figure> = {}) =>
    changeOf(report(result('upload', [{ name: 'x', value: before, unit: 's' }])), 'upload', {
      name: 'x',
      value: now,
      unit: 's',
      ...more,
    });

  test.each([
    ['a lower value is better where a goal sets an upper bound', 10, 8, { goal: { atMost: 1 } }, 'better'],
    ['a higher value is worse where a goal sets an upper bound', 10, 12, { goal: { atMost: 1 } }, 'worse'],
    ['a higher value is better where a goal sets a lower bound', 10, 12, { goal: { atLeast: 1 } }, 'better'],
    ['without a goal the stated direction counts', 10, 12, { better: 'lower' }, 'worse'],
    ['without a direction a change is not judged', 10, 20, {}, 'same'],
    ['a change of less than a tenth is noise', 10, 10.9, { better: 'lower' }, 'same'],
  ] as const)('%s', (_title, before, now, more, verdict) => {
    expect(change(before, now, more)).toMatchObject({ before, verdict });
  });

  test('a figure that was zero has no relative change', () => {
    expect(change(0, 5, { better: 'lower' })).toEqual({ before: 0, by: undefined, verdict: 'same' });
  });

  test('a figure is compared with its own name, unit and bench only', () => {
    const earlier = report(result('upload', [{ ...ratio, unit: 's' }]), result('other', [ratio]));
    expect(changeOf(earlier, 'upload', ratio)).toBeUndefined();
    expect(changeOf(undefined, 'upload', ratio)).toBeUndefined();
  });
});

describe('the table', () => {
  test('shows value, goal, yardstick and change in aligned columns', () => {
    const earlier = report(result('upload', [{ ...ratio, value: 4.4 }]));
    const memory: Figure = { name: 'peak memory', value: 1234.6, unit: 'MB' };
    expect(renderTable([result('upload', [ratio, memory])], earlier)).toBe(
      [
        '| bench  | figure                   |    value |    goal |     | yardstick                | before | change       |',
        '|--------|--------------------------|---------:|--------:|-----|--------------------------|-------:|--------------|',
        '| upload | time of ClickHouse alone |    2.2 × | ≤ 2.3 × | met | ClickHouse alone: 5.35 s |  4.4 × | -50 % better |',
        '| upload | peak memory              | 1,235 MB |         |     |                          |        |              |',
      ].join('\n'),
    );
  });

  test('shows a failed bench with the first line of the reason', () => {
    const table = renderTable([result('wide', [], 'Error: no room\n    at somewhere')]);
    expect(table).toContain('| wide  | the bench itself |');
    expect(table).toContain('| failed | Error: no room |');
    expect(table).not.toContain('somewhere');
  });

  test('the summary counts goals and names what failed', () => {
    const missed = { ...ratio, name: 'y', value: 3 };
    const open: Figure = { name: 'z', value: 3, unit: 's' };
    expect(renderSummary([result('a', [ratio, missed, open]), result('b', [], 'Error: x')])).toBe(
      '1 of 2 goals met; failed: b',
    );
    expect(renderSummary([result('a', [ratio])])).toBe('1 of 1 goals met');
  });
});

test('a run of some benches keeps the results of the others', () => {
  const [first, second, newer] = [result('a', []), result('b', []), result('a', [ratio])];
  expect(mergeResults([first, second], [newer])).toEqual([second, newer]);
});

describe('options', () => {
  const names = ['upload', 'download'];

  test('a full run keeps its results apart from a quick one', () => {
    expect(parseOptions([], names)).toEqual({
      help: false,
      quick: false,
      only: undefined,
      compare: undefined,
      out: 'bench/results/full.json',
    });
    expect(parseOptions(['--', '--quick'], names).out).toBe('bench/results/quick.json');
  });

  test('--only selects benches, and an unknown name is refused with the list of benches', () => {
    expect(parseOptions(['--only', 'download, upload'], names).only).toEqual(['download', 'upload']);
    expect(parseOptions(['--help'], names).help).toBe(true);
    expect(() => parseOptions(['--only', 'upload,nope'], names)).toThrow(
      'no bench is named nope; there are upload, download',
    );
    expect(() => parseOptions(['--fast'], names)).toThrow("Unknown option '--fast'");
  });
});

test('percentiles are measured values, without interpolation', () => {
  const values = [5, 1, 4, 2, 3];
  expect(median(values)).toBe(3);
  expect([0.01, 0.2, 0.21, 0.95, 1].map((share) => percentile(values, share))).toEqual([1, 1, 2, 5, 5]);
  expect(percentile([], 0.5)).toBeNaN();
});
