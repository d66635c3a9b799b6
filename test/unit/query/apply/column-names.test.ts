import { expect, it } from 'vitest';
import { runAtOnce } from '../../../../src/lib/time-slicing.js';
import { columnNames } from '../../../../src/query/apply/column-names.js';
import { createFailures } from '../../../../src/query/filter/failure.js';
import { defaultLimits } from '../../../../src/query/filter/limits.js';
import { createNameIndex } from '../../../../src/query/filter/names.js';
import { parseFilter } from '../../../../src/query/filter/parser.js';

const names = createNameIndex(['A', 'B', 'C', '2020']);

it.each<[string, string[]]>([
  ['A', ['A']],
  ['A eq B', ['A', 'B']],
  ['B add A mul C gt B', ['B', 'A', 'C']],
  ['not (A gt 1)', ['A']],
  ['-A lt round(-B)', ['A', 'B']],
  ['concat(A,concat(B,C)) eq null', ['A', 'B', 'C']],
  ['A in (1,2) and B gt 2 or C lt 3', ['A', 'B', 'C']],
  ['2020 gt 2021', ['2020']],
  ['A in (2020)', ['A']],
  ["1 eq 'x'", []],
])('the columns that %s reads are %j', (text, expected) => {
  const { root } = runAtOnce(parseFilter(text, names, createFailures(text), defaultLimits));
  expect(columnNames(root)).toEqual(expected);
});
