/** Random tables and pipelines from a seed. */
import type { Random } from '../harness/random.js';
import type {
  ApplyColumn,
  ApplyTable,
  TestAggregate,
  TestMethod,
  TestNamed,
  TestStep,
} from './apply-tree.js';
import type { Bool, Cell, Day, Num, Op, Operand, Str } from './odata-tree.js';

const column = (
  id: number,
  name: string,
  physical: ApplyColumn['physical'],
  inexact = false,
): ApplyColumn => {
  const dataType = { s: 'String', d: 'Date', t: 'Date' }[physical as string] ?? 'Decimal';
  return { id, name, physical, dataType: dataType as ApplyColumn['dataType'], approximate: false, inexact };
};

export const applyColumns: readonly ApplyColumn[] = [
  column(1, 'City', 's'),
  column(2, 'Land [or] sea', 's'),
  column(3, 'Amount', 'f'),
  column(4, 'Pieces', 'f'),
  column(5, 'Wild', 'f', true),
  column(6, 'Long', 'f'),
  column(7, 'Price', 'n38_2'),
  column(8, 'Total', 'n76_0'),
  column(9, 'Fine', 'n76_70'),
  column(10, 'Day', 'd'),
  column(11, `O'Neil "x"`, 't'),
];

const wild = ['1e300', '-1e300', '1e-7', '2.5e-300', '0.1', '1e22', '123456789.12345678', '0', '-7'];
const texts = ['', 'a', 'A', 'Äß', ' a ', "it's", '😀', '10'];
const days = [
  '2020-01-31',
  '2020-02-29',
  '2020-03-01',
  '2019-12-30',
  '1900-01-01',
  '2299-12-31',
  '2021-01-03',
];
const farDays = [...days, '0001-01-01', '9999-12-31', '1066-10-14'];

const cellOf = ({ name }: ApplyColumn, { below, pick }: Random): Cell => {
  if (below(8) === 0) return null;
  switch (name) {
    case 'City':
      return pick(texts);
    case 'Land [or] sea':
      return pick(['land', 'sea']);
    case 'Amount':
      return String((below(20_001) - 10_000) / 100);
    case 'Pieces':
      return String(below(7) - 3 || 0);
    case 'Wild':
      return String(Number(pick(wild)));
    case 'Long':
      // Up to 17 digits, as in national accounts.
      return String((below(2 ** 31) * 1_000 + below(1_000)) / 997);
    case 'Price':
      return `${below(2_000) - 1_000}.${below(90) + 10}`;
    case 'Total':
      return `${pick(['', '-'])}${below(9) + 1}${'7'.repeat(below(72))}`;
    case 'Fine':
      return `${below(30) - 10}.${'0'.repeat(below(68))}${below(90) + 10}`.slice(0, 73);
    case 'Day':
      return pick(days);
    default:
      return pick(farDays);
  }
};

export const generateTable = (random: Random): ApplyTable => ({
  columns: applyColumns,
  rows: Array.from({ length: random.below(45) }, () => applyColumns.map((one) => cellOf(one, random))),
});

const ops: readonly Op[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'];
const literals = ['0', '1', '2', '-1', '0.5', '10', '99.99', '1000', '-0.01', '3.333'];

/** Random expressions over the input columns of a step. */
const createExpressions = (columns: readonly ApplyColumn[], random: Random) => {
  const { below, pick } = random;
  const placesOf = (dataType: ApplyColumn['dataType']): number[] =>
    columns.flatMap((one, at) => (one.dataType === dataType ? [at] : []));
  const [numbers, strings, dates] = [placesOf('Decimal'), placesOf('String'), placesOf('Date')];

  const num = (depth: number): Num => {
    const leaf = below(3) > 0 && numbers.length > 0;
    if (depth === 0 || below(3) === 0)
      return leaf ? { k: 'col', at: pick(numbers) } : { k: 'lit', text: pick(literals) };
    const kind = numbers.length === 0 ? 9 : below(10);
    // An expression of literals only is folded into a literal and may be null, so one operand is a column.
    const own: Num = { k: 'col', at: numbers[below(numbers.length)] ?? 0 };
    if (kind < 6)
      return { k: pick(['add', 'sub', 'mul', 'mul', 'div', 'mod'] as const), a: own, b: num(depth - 1) };
    if (kind < 8) return { k: pick(['neg', 'round', 'floor', 'ceiling'] as const), a: num(depth - 1) };
    if (kind === 8 && dates.length > 0)
      return { k: pick(['year', 'quarter', 'month', 'week', 'day'] as const), d: day() };
    return { k: 'length', s: str(depth - 1) };
  };
  const str = (depth: number): Str => {
    if (depth === 0 || below(2) === 0)
      return strings.length > 0 && below(4) > 0
        ? { k: 'col', at: pick(strings) }
        : { k: 'lit', text: pick(texts) };
    if (below(2) === 0) return { k: 'concat', a: str(depth - 1), b: str(depth - 1) };
    return { k: pick(['tolower', 'toupper', 'trim'] as const), a: str(depth - 1) };
  };
  const day = (): Day => {
    if (dates.length === 0) return { k: 'lit', day: '2020-01-31', text: '2020-01-31' };
    const own: Day = { k: 'col', at: pick(dates) };
    return below(2) === 0
      ? own
      : { k: pick(['startofyear', 'startofquarter', 'startofmonth', 'startofweek'] as const), d: own };
  };
  const bool = (depth: number): Bool => {
    if (depth > 0 && below(3) === 0)
      return { k: pick(['and', 'or'] as const), items: [bool(depth - 1), bool(depth - 1)] };
    if (depth > 0 && below(4) === 0) return { k: 'not', a: bool(depth - 1) };
    return comparison();
  };
  /** At least one operand reads a column: the service rejects comparisons of literals only. */
  const comparison = (): Bool => {
    const of = own();
    if (below(6) === 0) return { k: 'null', op: pick(['eq', 'ne']), of, nullFirst: false };
    if (of.t === 'str') return { k: 'str', op: pick(ops), a: of.e, b: str(1) };
    if (of.t === 'day') {
      const text = pick(farDays);
      return { k: 'day', op: pick(ops), a: of.e, b: { k: 'lit', day: text, text } };
    }
    return of.t === 'num'
      ? { k: 'num', op: pick(ops), a: below(2) === 0 ? of.e : { k: 'add', a: of.e, b: num(1) }, b: num(0) }
      : { k: 'const', value: true };
  };
  const value = (): Operand => {
    const kind = below(6);
    if (kind < 4) return { t: 'num', e: num(2) };
    return kind === 4 ? { t: 'str', e: str(1) } : { t: 'day', e: day() };
  };
  /** A plain column. */
  const own = (): Operand => {
    const at = below(columns.length);
    const { dataType } = columns[at]!;
    return dataType === 'Decimal'
      ? { t: 'num', e: { k: 'col', at } }
      : dataType === 'String'
        ? { t: 'str', e: { k: 'col', at } }
        : { t: 'day', e: { k: 'col', at } };
  };
  return { num, bool, value, own };
};

const anyMethods: readonly TestMethod[] = ['min', 'max', 'countdistinct', 'first', 'last'];
const numberMethods: readonly TestMethod[] = [
  'sum',
  'sum',
  'sum',
  'average',
  'average',
  'median',
  'quantile',
  'stddev',
  'min',
  'max',
];

export interface Names {
  next(): string;
}

const nameForms = [
  (n: number) => `N${n}`,
  (n: number) => `_x${n}`,
  (n: number) => `name ${n}`,
  (n: number) => `a]b${n}`,
  (n: number) => `Größe${n}`,
];

export const createNames = ({ pick }: Random): Names => {
  let last = 0;
  return { next: () => pick(nameForms)(++last) };
};

export const generateStep = (columns: readonly ApplyColumn[], random: Random, names: Names): TestStep => {
  const { below, pick } = random;
  const { bool, value, own, num } = createExpressions(columns, random);
  const named = (e: Operand): TestNamed => ({ name: names.next(), e, renamed: true });
  const key = (): TestNamed => {
    const e = below(3) > 0 ? own() : value();
    const plain = 'at' in e.e && e.e.k === 'col' ? columns[e.e.at] : undefined;
    return plain !== undefined && below(2) === 0 ? { name: plain.name, e, renamed: false } : named(e);
  };
  const aggregate = (): TestAggregate => {
    if (below(5) === 0) return { method: '$count', name: names.next() };
    const level = pick(['0', '0.25', '0.5', '0.9', '1']);
    const of = below(3) > 0 ? own() : below(2) === 0 ? value() : ({ t: 'num', e: num(2) } as const);
    return {
      method: pick(of.t === 'num' ? [...numberMethods, ...anyMethods] : anyMethods),
      name: names.next(),
      of,
      level,
    };
  };
  const aggregates = (least: number): TestAggregate[] => Array.from({ length: least + below(4) }, aggregate);
  switch (below(9)) {
    case 0:
    case 1:
      return { k: 'filter', e: bool(2) };
    case 2:
      return { k: 'compute', items: Array.from({ length: 1 + below(2) }, () => named(value())) };
    case 3:
    case 4:
    case 5: {
      const keys = Array.from({ length: 1 + below(2) }, key);
      const distinct = keys.filter(({ name }, at) => keys.findIndex((other) => other.name === name) === at);
      return { k: 'group', keys: distinct, aggregates: aggregates(0) };
    }
    case 6:
      return { k: 'group', keys: undefined, aggregates: aggregates(1) };
    case 7:
      return {
        k: 'orderby',
        items: Array.from({ length: 1 + below(2) }, () => ({
          e: below(2) === 0 ? own() : value(),
          descending: below(2) === 0,
        })),
      };
    default:
      return { k: pick(['top', 'skip'] as const), count: below(12) };
  }
};
