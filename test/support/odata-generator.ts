/** Arbitraries of tables and of filters as typed trees. */
import fc from 'fast-check';
import { testColumns } from './odata-columns.js';
import type {
  Bool,
  Cell,
  Day,
  Num,
  Op,
  Operand,
  PeriodStart,
  Str,
  TestColumn,
  TestTable,
} from './odata-tree.js';

const strings = [
  '',
  'a',
  'A',
  'ab',
  'Äß',
  'é',
  ' a ',
  '\u00a0b\u3000',
  '😀a',
  "it's",
  '\\',
  'a\tb',
  'x\ny',
  '%_',
  '10',
  'null',
];
const stringArb = fc.oneof(
  fc.constantFrom(...strings),
  fc
    .array(fc.constantFrom('a', 'B', 'ä', ' ', "'", '\\', '😀', '1', '\t'), { maxLength: 5 })
    .map((parts) => parts.join('')),
);

const doubleTexts = [
  '0',
  '1',
  '-1',
  '0.1',
  '0.2',
  '0.3',
  '2.5',
  '-2.5',
  '0.5',
  '100',
  '1e16',
  '1e22',
  '1.5e300',
  '1e-7',
  '2.5e-300',
  '123456789.12345678',
  '9007199254740993',
  '0.1000000000000000055',
];
const doubleArb = fc
  .oneof(
    { arbitrary: fc.constantFrom(...doubleTexts).map(Number), weight: 5 },
    { arbitrary: fc.integer({ min: -50, max: 50 }).map((n) => n / 10), weight: 3 },
    { arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }), weight: 1 },
  )
  .map((value) => String(value === 0 ? 0 : value));

const decimalArb = (precision: number, scale: number): fc.Arbitrary<string> => {
  const largest = 10n ** BigInt(precision) - 1n;
  const small = fc.bigInt({ min: -200n, max: 200n });
  const unit = 10n ** BigInt(Math.min(scale, precision - 3));
  const units = fc.oneof(
    small,
    small.map((n) => (n > 99n || n < -99n ? n : n * unit)),
    fc.bigInt({ min: -largest, max: largest }),
  );
  return units.map((value) => {
    if (scale === 0) return value.toString();
    const text = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
    return `${value < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
  });
};

const dayText = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);
const dayArb = fc.oneof(
  fc.constantFrom('2020-01-01', '2020-02-29', '1900-01-01', '2299-12-31', '1969-12-31', '2020-04-01'),
  fc.integer({ min: -25_000, max: 100_000 }).map(dayText),
);
const farDayArb = fc.oneof(dayArb, fc.constantFrom('1066-10-14', '0001-01-01', '9999-12-31', '2300-01-01'));

const cellArb = (column: TestColumn): fc.Arbitrary<Cell> => {
  const shape = /^n(\d+)_(\d+)$/.exec(column.physical);
  const value = shape
    ? decimalArb(Number(shape[1]), Number(shape[2]))
    : { s: stringArb, f: doubleArb, d: dayArb, t: farDayArb }[column.physical as 's' | 'f' | 'd' | 't'];
  return fc.option(value, { freq: 6 });
};

export const tableArb: fc.Arbitrary<TestTable> = fc
  .array(fc.tuple(...testColumns.map(cellArb)), { minLength: 12, maxLength: 24 })
  .map((rows) => ({ columns: testColumns, rows }));

const columnOf = (dataType: TestColumn['dataType']) =>
  fc
    .constantFrom(...testColumns.flatMap((column, at) => (column.dataType === dataType ? [at] : [])))
    .map((at) => ({ k: 'col' as const, at }));

const numberText = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      ...doubleTexts,
      '0.30',
      '1E2',
      '-0.0',
      '+7',
      '1e400',
      '-1e400',
      '1e-400',
      '0.10000000000000000001',
      '2.50000000000000000000001',
    ),
    weight: 3,
  },
  { arbitrary: fc.integer({ min: -30, max: 30 }).map(String), weight: 3 },
  { arbitrary: decimalArb(38, 2), weight: 1 },
  { arbitrary: decimalArb(76, 70), weight: 1 },
  { arbitrary: decimalArb(76, 0), weight: 1 },
);

/** Operands of arithmetic, without 1e400, which would make every row undecided. */
const termText = numberText.filter(
  (text) => Math.abs(Number(text)) < 1e300 && (Number(text) !== 0 || /^[-+]?0(\.0)?$/.test(text)),
);

const periods = (day: string): string[] => {
  const [year = '', month = '', dayOfMonth = ''] = day.split('-');
  if (dayOfMonth !== '01') return [];
  const quarter = (Number(month) + 2) / 3;
  return [
    `${year}-${month}`,
    ...(Number.isInteger(quarter) ? [`${year}Q${quarter}`, `${year}-Q${quarter}`] : []),
    ...(month === '01' && Number(year) > 999 ? [year] : []),
  ];
};

const dayLiteral = farDayArb.chain((day) =>
  fc
    .constantFrom(day, `'${day}'`, ...periods(day).flatMap((text) => [text, `'${text}'`]))
    .map((text): Day => ({ k: 'lit', day, text })),
);

const periodStartArb = fc.constantFrom<PeriodStart>(
  'startofyear',
  'startofquarter',
  'startofmonth',
  'startofweek',
);

/** A Date column in up to two period functions. */
const storedDay: fc.Arbitrary<Day> = fc
  .tuple(columnOf('Date'), fc.array(periodStartArb, { maxLength: 2 }))
  .map(([column, periods]) => periods.reduce<Day>((d, k) => ({ k, d }), column));

const opArb = fc.constantFrom<Op>('eq', 'ne', 'gt', 'ge', 'lt', 'le');

const trees = fc.letrec<{ num: Num; str: Str; bool: Bool; leaf: Bool }>((tie) => ({
  num: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    { arbitrary: columnOf('Decimal'), weight: 4 },
    { arbitrary: termText.map((text) => ({ k: 'lit' as const, text })), weight: 3 },
    {
      arbitrary: fc.record({
        k: fc.constantFrom('add', 'sub', 'mul', 'div', 'mod'),
        a: tie('num'),
        b: tie('num'),
      }) as fc.Arbitrary<Num>,
      weight: 4,
    },
    {
      arbitrary: fc.record({
        k: fc.constantFrom('neg', 'round', 'floor', 'ceiling'),
        a: tie('num'),
      }) as fc.Arbitrary<Num>,
      weight: 2,
    },
    { arbitrary: fc.record({ k: fc.constant('length'), s: tie('str') }) as fc.Arbitrary<Num>, weight: 1 },
    {
      arbitrary: fc.record({ k: fc.constant('indexof'), s: tie('str'), t: tie('str') }) as fc.Arbitrary<Num>,
      weight: 1,
    },
    {
      arbitrary: fc.record({
        k: fc.constantFrom('year', 'quarter', 'month', 'week', 'day'),
        d: storedDay,
      }) as fc.Arbitrary<Num>,
      weight: 1,
    },
  ),
  str: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    { arbitrary: columnOf('String'), weight: 4 },
    { arbitrary: stringArb.map((text) => ({ k: 'lit' as const, text })), weight: 3 },
    {
      arbitrary: fc.record({ k: fc.constant('concat'), a: tie('str'), b: tie('str') }) as fc.Arbitrary<Str>,
      weight: 1,
    },
    {
      arbitrary: fc.record({
        k: fc.constantFrom('tolower', 'toupper', 'trim'),
        a: tie('str'),
      }) as fc.Arbitrary<Str>,
      weight: 3,
    },
    {
      arbitrary: fc.record({
        k: fc.constant('substring'),
        a: tie('str'),
        from: fc
          .oneof(
            fc.nat(4).map((n) => ({ k: 'lit', text: String(n) })),
            tie('num'),
          )
          .filter(isCount),
        length: fc.option(
          fc.nat(4).map((n) => ({ k: 'lit', text: String(n) })),
          { nil: undefined },
        ),
      }) as fc.Arbitrary<Str>,
      weight: 2,
    },
  ),
  leaf: fc.oneof(
    {
      arbitrary: fc.record({
        k: fc.constant('num'),
        op: opArb,
        a: columnOf('Decimal'),
        b: numberText.map((text) => ({ k: 'lit', text })),
      }) as fc.Arbitrary<Bool>,
      weight: 4,
    },
    {
      arbitrary: fc.record({
        k: fc.constant('num'),
        op: opArb,
        a: columnOf('Decimal'),
        b: columnOf('Decimal'),
      }) as fc.Arbitrary<Bool>,
      weight: 3,
    },
    {
      arbitrary: fc
        .record({
          k: fc.constant('num'),
          op: opArb,
          a: tie('num'),
          b: tie('num'),
        })
        .filter(readsColumn) as fc.Arbitrary<Bool>,
      weight: 4,
    },
    {
      arbitrary: fc
        .record({
          k: fc.constant('str'),
          op: opArb,
          a: tie('str'),
          b: tie('str'),
        })
        .filter(readsColumn) as fc.Arbitrary<Bool>,
      weight: 4,
    },
    {
      arbitrary: fc.record({
        k: fc.constant('day'),
        op: opArb,
        a: storedDay,
        b: fc.oneof(dayLiteral, storedDay),
      }) as fc.Arbitrary<Bool>,
      weight: 3,
    },
    {
      arbitrary: fc.record({
        k: fc.constant('test'),
        f: fc.constantFrom('contains', 'startswith', 'endswith'),
        a: tie('str'),
        b: tie('str'),
      }) as fc.Arbitrary<Bool>,
      weight: 3,
    },
    {
      arbitrary: fc
        .record({
          k: fc.constant('null'),
          op: opArb,
          of: operandArb(tie('num'), tie('str'), tie('bool')),
          nullFirst: fc.boolean(),
        })
        .filter(readsColumn) as fc.Arbitrary<Bool>,
      weight: 2,
    },
    { arbitrary: membershipArb(tie('num'), tie('str')).filter(readsColumn), weight: 3 },
    { arbitrary: fc.boolean().map((value): Bool => ({ k: 'const', value })), weight: 1 },
  ),
  bool: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    { arbitrary: tie('leaf'), weight: 6 },
    {
      arbitrary: fc.record({
        k: fc.constantFrom('and', 'or'),
        items: fc.array(tie('bool'), { minLength: 2, maxLength: 3 }),
      }) as fc.Arbitrary<Bool>,
      weight: 4,
    },
    { arbitrary: tie('bool').map((a): Bool => ({ k: 'not', a })), weight: 3 },
    {
      arbitrary: fc
        .record({
          k: fc.constant('bool'),
          op: opArb,
          a: tie('bool'),
          b: tie('bool'),
        })
        .filter(readsColumn) as fc.Arbitrary<Bool>,
      weight: 1,
    },
  ),
}));

/** Filters out comparisons of literals only, which the service rejects. */
function readsColumn(e: unknown): boolean {
  if (typeof e !== 'object' || e === null) return false;
  return ('k' in e && e.k === 'col') || Object.values(e).some(readsColumn);
}

/** Literals in `substring` must be non-negative integers; calculated arguments may have any value. */
function isCount(e: unknown): boolean {
  const { k, text } = e as { k: string; text?: string };
  return k === 'col' || (k === 'lit' ? /^\d+$/.test(text ?? '') : k !== 'neg' && !isFolded(e as Num));
}

/** An expression of literals only. The binder folds it and validates it like a literal. */
function isFolded(e: Num): boolean {
  if (e.k === 'lit') return true;
  if ('b' in e) return isFolded(e.a) && isFolded(e.b);
  return 'a' in e && isFolded(e.a);
}

function operandArb(
  num: fc.Arbitrary<Num>,
  str: fc.Arbitrary<Str>,
  bool: fc.Arbitrary<Bool>,
): fc.Arbitrary<Operand> {
  return fc.oneof(
    num.map((e): Operand => ({ t: 'num', e })),
    str.map((e): Operand => ({ t: 'str', e })),
    storedDay.map((e): Operand => ({ t: 'day', e })),
    bool.map((e): Operand => ({ t: 'bool', e })),
  );
}

function membershipArb(num: fc.Arbitrary<Num>, str: fc.Arbitrary<Str>): fc.Arbitrary<Bool> {
  const items = <T extends string>(arb: fc.Arbitrary<T>) =>
    fc.array(fc.option(arb, { freq: 8 }), { maxLength: 5 });
  return fc
    .oneof(
      fc.record({
        of: fc.oneof(columnOf('Decimal'), num).map((e) => ({ t: 'num' as const, e })),
        items: items(numberText),
      }),
      fc.record({ of: str.map((e) => ({ t: 'str' as const, e })), items: items(stringArb) }),
      fc.record({ of: storedDay.map((e) => ({ t: 'day' as const, e })), items: items(farDayArb) }),
    )
    .map((parts): Bool => ({ k: 'in', ...parts }));
}

export const filterArb: fc.Arbitrary<Bool> = trees.bool;

export const choicesArb = fc.array(fc.nat(99), { minLength: 17, maxLength: 17 });
