/**
 * The SQL of every aggregate and calculation, by type and range of its column, so that every change is deliberate. The results
 * are checked by test/integration/query/apply-results.test.ts.
 */
import { describe, expect, it } from 'vitest';
import type { PhysicalType } from '../../../../src/model/column.js';
import { applyPipeline } from '../../../../src/query/apply/apply.js';
import type { NumberRange } from '../../../../src/query/apply/number-range.js';
import { methodNames } from '../../../../src/query/apply/syntax.js';
import { versionSource } from '../../../../src/rows/source.js';
import { versionOf } from './plain-version.js';

interface Kind {
  readonly physical: PhysicalType;
  readonly range?: NumberRange;
}

const kinds: Readonly<Record<string, Kind>> = {
  Text: { physical: 's' },
  Day: { physical: 'd' },
  Moment: { physical: 't' },
  Whole: { physical: 'f', range: { scale: 0, units: 999n } },
  Cents: { physical: 'f', range: { scale: 2, units: 99_999n } },
  // Sums beyond the digits of a double, of an Int64, and of a fast unit.
  Large: { physical: 'f', range: { scale: 2, units: 10n ** 14n } },
  Larger: { physical: 'f', range: { scale: 2, units: 10n ** 17n } },
  Fine: { physical: 'f', range: { scale: 15, units: 10n ** 15n } },
  Vast: { physical: 'f', range: { scale: 0, units: 10n ** 40n } },
  // Both sides of the limits of doubles, Int64, fast units, and decimals of 38 and 76 digits.
  BelowDouble: { physical: 'f', range: { scale: 2, units: 10n ** 14n, total: 2n ** 53n - 1n } },
  AtDouble: { physical: 'f', range: { scale: 2, units: 10n ** 14n, total: 2n ** 53n } },
  BelowInt64: { physical: 'f', range: { scale: 2, units: 10n ** 14n, total: 2n ** 63n - 1n } },
  AtInt64: { physical: 'f', range: { scale: 2, units: 10n ** 14n, total: 2n ** 63n } },
  Scale22: { physical: 'f', range: { scale: 22, units: 10n ** 5n } },
  Scale23: { physical: 'f', range: { scale: 23, units: 10n ** 5n } },
  Digits38: { physical: 'f', range: { scale: 0, units: 10n ** 37n, total: 10n ** 37n } },
  Digits39: { physical: 'f', range: { scale: 0, units: 10n ** 38n, total: 10n ** 38n } },
  Digits76: { physical: 'n76_0', range: { scale: 0, units: 10n ** 75n, total: 10n ** 75n } },
  // The counted total is smaller than the largest number times the rows.
  Counted: { physical: 'f', range: { scale: 2, units: 10n ** 14n, total: 10n ** 15n } },
  Unbounded: { physical: 'f' },
  Decimal: { physical: 'n38_4' },
  Narrow: { physical: 'n38_4', range: { scale: 4, units: 10n ** 6n } },
  Long: { physical: 'n76_30' },
};

const physicals = Object.fromEntries(Object.entries(kinds).map(([name, { physical }]) => [name, physical]));
const version = versionOf(physicals, 1_000_000);

const rows = versionSource('db', version);

const ranges = new Map(
  Object.values(kinds).flatMap(({ range }, index) =>
    range === undefined ? [] : [[index + 1, range] as const],
  ),
);

/** The types of the result columns and the statement, or the error. */
const outcome = (text: string): string => {
  try {
    const {
      columns: result,
      rows: applied,
      keepsRows,
      normalized,
    } = applyPipeline({ text, version, rows, ranges });
    const types = result.map(({ name, physical, isEntity, id }) => `${name} ${physical} ${isEntity} ${id}`);
    const values = JSON.stringify(applied.values, (_, value) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    return `${types.join(', ')}\nkeeps rows: ${keepsRows}\n${normalized}\n${applied.from.replace(rows.from, 'ROWS').replace(rows.where, 'CONDITION')}\n${values}`;
  } catch (error) {
    return `${error}`;
  }
};

const expectText = (name: string, pipelines: readonly string[]): Promise<void> =>
  expect(`${pipelines.map((text) => `${text}\n${outcome(text)}`).join('\n\n')}\n`).toMatchFileSnapshot(
    `./sql/${name}.txt`,
  );

const numbers = ['Whole', 'Cents', 'Larger', 'Digits38', 'Digits39', 'Unbounded', 'Decimal', 'Long'];

describe('the SQL', () => {
  it.each(methodNames)('of %s is that of its golden file, for each kind of column', async (method) => {
    const call = method === 'quantile' ? 'quantile(0.9)' : method;
    await expectText(
      method,
      Object.keys(kinds).map((name) => `groupby((Text),aggregate(${name} with ${call} as Result))`),
    );
  });

  it('of calculations is that of its golden file', async () => {
    await expectText(
      'calculations',
      numbers.flatMap((name) => [
        `compute(${name} mul 2 as Twice)`,
        `compute(${name} add 0.25 as More, ${name} div 4 as Less, ${name} mod 3 as Rest, -${name} as Minus)`,
        `compute(round(${name}) as Round, floor(${name}) as Floor, ceiling(${name}) as Ceiling)`,
        `aggregate(${name} mul 3 with sum as Sum, ${name} mul 3 with average as Mean, ${name} div 3 with sum as Third)`,
        `aggregate(round(${name}) with sum as Sum, ${name} mul 3 with max as Most, ${name} add 1 with countdistinct as Kinds)`,
      ]),
    );
  });

  it('of texts and dates is that of its golden file', async () => {
    await expectText('texts-and-dates', [
      'compute(toupper(Text) as Upper, length(Text) as Length, year(Day) as Year, month(Moment) as Month)',
      "compute(concat(Text,'x') as Longer, substring(Text,1,2) as Part)",
      'compute(date(Moment) as OfMoment)/groupby((OfMoment),aggregate($count as Rows))',
      'groupby((year(Day) as Year,Text),aggregate(Day with max as Last,Moment with first as First))/orderby(Last desc,Text)/top(3)',
      'groupby((Day))',
      'compute(2020-01-31 as Fixed,Day as Same)/aggregate(Fixed with min as First,Same with last as Last)',
      "filter(contains(Text,'a') and Cents gt 1)/groupby((Text),aggregate($count as Rows))/filter(Rows gt 2)/skip(1)/top(2)",
      'orderby(Cents desc)/skip(2)/top(3)',
      'aggregate(length(Text) with average as Length,year(Day) with median as Year)',
      'compute(Cents mul 2 as Twice)/compute(Twice mul Twice as Square)/aggregate(Square with sum as Sum)',
      'groupby((Cents,Unbounded,Decimal),aggregate(Whole with sum as Sum))',
    ]);
  });
});
