/**
 * The SQL of conditions, by the type and range of their columns, so that every change is deliberate. The rows that ClickHouse
 * returns are checked by test/integration/query/filter.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { compileFilter, type FilterColumn } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

const columns: readonly FilterColumn[] = columnsOf({
  Double: 'f',
  Other: 'f',
  Cents: 'n38_2',
  Fine: 'n38_20',
  Vast: 'n76_0',
  Deep: 'n76_70',
  Small: 'n38_2',
  Text: 's',
  Name: 's',
  Day: 'd',
  End: 'd',
  Moment: 't',
}).map((column) => (column.name === 'Small' ? { ...column, units: 999n } : column));

const outcome = (text: string): string => {
  try {
    const { sql, params } = compileFilter(text, columns);
    return `${sql}\n${JSON.stringify(params)}`;
  } catch (error) {
    return `${error}`;
  }
};

const expectSql = (name: string, filters: readonly string[]): Promise<void> =>
  expect(`${filters.map((text) => `${text}\n${outcome(text)}`).join('\n\n')}\n`).toMatchFileSnapshot(
    `./sql/${name}.txt`,
  );

const numbers = ['Double', 'Cents', 'Fine', 'Vast', 'Deep', 'Small'];
const comparisons = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

describe('the SQL', () => {
  it('of numbers compared with values is that of its golden file', async () => {
    const values = ['0', '5', '-5', '0.005', '9.99', '10', '-9.99', '-10', '1e36', '-1e36', '1e76', '-1e400'];
    await expectSql(
      'numbers-and-values',
      numbers.flatMap((name) =>
        values.flatMap((value) => comparisons.map((operator) => `${name} ${operator} ${value}`)),
      ),
    );
  });

  it('of numbers compared with each other is that of its golden file', async () => {
    await expectSql(
      'numbers',
      ['Other', ...numbers].flatMap((left) =>
        numbers.flatMap((right) => ['eq', 'lt', 'gt'].map((operator) => `${left} ${operator} ${right}`)),
      ),
    );
  });

  it('of calculations is that of its golden file', async () => {
    await expectSql(
      'calculations',
      ['Double', 'Cents', 'Vast', 'Deep'].flatMap((name) => [
        ...['add', 'sub', 'mul', 'div', 'mod'].flatMap((operator) => [
          `${name} ${operator} 3 gt 7`,
          `${name} ${operator} 0.125 eq 7`,
          `7 ${operator} ${name} le Double`,
          `${name} ${operator} Other lt Cents`,
          `${name} ${operator} Cents ne Vast`,
          `${name} ${operator} Deep ge Small`,
        ]),
        ...['round', 'floor', 'ceiling', '-'].flatMap((rounding) => [
          `${rounding}(${name}) gt 7`,
          `${rounding}(${name} mul 2) eq Double`,
          `${rounding}(${name} div Double) eq null`,
          `(${rounding}(${name})) in (1, 2.5, 1e90)`,
        ]),
        `(${name} add 1) mul (${name} sub 1) gt Double`,
        `${name} mul 1e30 mul 1e30 gt 1`,
        `${name} add 1e80 gt 1`,
        `${name} add 1e400 gt 1`,
        `length(Text) add ${name} gt 1`,
        `year(Day) mul ${name} gt 1`,
        `indexof(Text, 'a') lt ${name}`,
        `${name} add 1 eq null`,
        `${name} div 2 ne null`,
        `${name} mul 0.1 lt 1e400`,
        `${name} le Other`,
      ]),
    );
  });

  it('of lists of numbers is that of its golden file', async () => {
    const lists = [
      '()',
      '(null)',
      '(0)',
      '(5, null)',
      '(1, 1.0, 2)',
      '(0.005, 10)',
      '(9.99, -9.99, 10, -10)',
    ];
    const longer = ['(1e36, 1e400)', '(0.1, 0.10000000000000000001)', '(123456789012345678, 1e300, 1e-300)'];
    const operands = [
      ...numbers,
      'Double add 1',
      'Cents mul 2',
      'Vast mul Double',
      'length(Text)',
      'year(Day)',
    ];
    await expectSql(
      'lists-of-numbers',
      operands.flatMap((operand) =>
        [...lists, ...longer].flatMap((list) => [`(${operand}) in ${list}`, `not ((${operand}) in ${list})`]),
      ),
    );
  });

  it('of dates is that of its golden file', async () => {
    const starts = ['startofyear', 'startofquarter', 'startofmonth', 'startofweek'];
    const days = ['Day', 'Moment', ...starts.flatMap((start) => [`${start}(Day)`, `${start}(Moment)`])];
    const nested = ['startofweek(startofyear(Moment))', 'startofmonth(startofweek(Day))'];
    const values = [
      '0001-01-01',
      '1899-12-31',
      '1900-01-01',
      '2020-02-29',
      '2299-12-31',
      '2300-01-01',
      '9999-12-31',
    ];
    await expectSql('dates', [
      ...[...days, ...nested].flatMap((day) => [
        `${day} eq 2020-01-31`,
        `2020-01-31 lt ${day}`,
        `${day} ge End`,
        `${day} ne Moment`,
        `${day} eq null`,
        `${day} in (2020Q1, 2020-W05, 2020-01-01)`,
        ...['year', 'quarter', 'month', 'week', 'day'].map((part) => `${part}(${day}) eq 1`),
      ]),
      ...['Day', 'Moment'].flatMap((day) =>
        values.flatMap((value) => [
          ...comparisons.map((operator) => `${day} ${operator} ${value}`),
          `${day} in (${value})`,
          `${value} le ${day}`,
        ]),
      ),
      ...comparisons.map((operator) => `startofmonth(2020-05-17) ${operator} Day`),
      'Day in () or Moment in (null, 2020)',
    ]);
  });

  it('of texts is that of its golden file', async () => {
    const texts = [
      'Text',
      'tolower(Text)',
      'toupper(Text)',
      'trim(Text)',
      "concat(Text, 'x')",
      "concat('x', Name)",
    ];
    const parts = [
      ...[
        '0',
        '1, 2',
        '4000000000',
        '1e400',
        '0, 4000000001',
        'Double',
        'Cents',
        'length(Name)',
        'Double div 2',
      ],
      ...['1, Cents mul 2', 'Double, length(Name)', '3999999999, 1e9'],
    ];
    const operands = [...texts, ...parts.map((part) => `substring(Text, ${part})`)];
    await expectSql('texts', [
      ...operands.flatMap((text) => [
        `${text} eq 'a'`,
        `${text} ne Name`,
        `'a' ge ${text}`,
        `${text} eq null`,
        `${text} in ('a', null, 'a', 'b')`,
        `contains(${text}, 'a') and not startswith(${text}, Name)`,
        `endswith(${text}, Text) eq true`,
        `length(${text}) gt 1`,
        `indexof(${text}, Name) eq -1`,
      ]),
      'Text in () or not (Text in ())',
      "concat('a', 'b') eq Text",
      "substring('abc', 1) eq Text",
      "substring('abc', Double, 1) eq Text",
      "substring('abc', 1, Cents) eq Text",
      'Text in (null) or not (Text in (null))',
    ]);
  });

  it('of conditions that are compared or may be null is that of its golden file', async () => {
    const conditions = [
      'Double gt 1',
      'Cents eq null',
      "contains(Text, 'a')",
      "startswith(Text, 'a')",
      'Day in (2020)',
      'Text in (null)',
      'not (Text eq Name)',
      "Text eq 'a' and Double gt 1",
      "Text eq 'a' or null",
      'contains(Text, null)',
      'Double gt null',
    ];
    await expectSql(
      'conditions',
      conditions
        .flatMap((condition) => [
          condition,
          `not (${condition})`,
          `(${condition}) and Double lt 9`,
          `not ((${condition}) or Double lt 9)`,
          `not ((${condition}) and Double lt 9)`,
          `(${condition}) eq true`,
          `(${condition}) ne contains(Name, 'b')`,
          `(${condition}) gt contains(Name, 'b')`,
          `(${condition}) eq null`,
          `not ((${condition}) lt (Double gt 2))`,
          `((${condition}) and contains(Name, 'b')) eq null`,
          `(not (${condition})) eq (Double gt 2)`,
          `((${condition}) or Name eq 'x') eq ((${condition}) lt true)`,
        ])
        .concat(
          'true or Double gt 1',
          'concat(Text, null) eq 2020-01-31',
          'not (true and (false or null))',
          '(true eq contains(Name, null)) eq (false ne (Double gt 1))',
        ),
    );
  });
});
