import { expect, it } from 'vitest';
import { applyPipeline } from '../../../../src/query/apply/apply.js';
import { versionSource } from '../../../../src/rows/source.js';
import { versionOf } from './plain-version.js';

const version = versionOf({ Amount: 'f', Name: 's' }, 1_000);
const rows = versionSource('db', version);

const sqlOf = (text: string): string => {
  const { from } = applyPipeline({ text, version, rows, ranges: new Map() }).rows;
  return from.replaceAll(rows.from, 'ROWS').replaceAll(rows.where, 'CONDITION');
};

/** Steps whose results have conditions, limits or orders. */
const before = [
  'identity',
  'top(9)',
  'skip(3)',
  'skip(2)/top(7)/skip(1)/top(9)',
  'top(2)/skip(3)',
  'orderby(Amount desc,Name)',
  'orderby(length(Name))/orderby(Amount)/top(4)',
  'compute(Amount mul 2 as Twice)/filter(Twice gt 5)',
  'filter(Amount gt 1)/filter(Amount lt 9)',
  'groupby((Name,Amount),aggregate($count as Rows))',
];

const then = [
  'identity',
  'filter(Amount gt 3)',
  'compute(Amount mul 3 as Thrice)',
  'aggregate($count as N)',
  'groupby((Name))',
  'groupby((Name),aggregate(Amount with first as First,Amount with max as Most))',
  'aggregate(Amount with last as Last)/top(1)',
  'orderby(Name)',
  'orderby(Amount add 1 desc)/skip(1)',
];

it('the SQL of each pair of steps is that of its golden file', async () => {
  const pipelines = before.flatMap((first) => then.map((second) => `${first}/${second}`));
  const text = pipelines.map((pipeline) => `${pipeline}\n${sqlOf(pipeline)}\n\n`).join('');
  await expect(text).toMatchFileSnapshot('./sql/steps.txt');
});
