/**
 * Reference evaluator of `$apply` pipelines, written from OData Data Aggregation 4.0 and the documented arithmetic,
 * independent of the compiler. Decimals are BigInt fractions of powers of ten; double results carry a tolerance.
 * If the tolerance decides a filter or an order, the pipeline is undecided.
 */
import type { ApplyColumn, ApplyTable, TestAggregate, TestStep } from './apply-tree.js';
import { type Dec, dec, order, pow, shortened } from './odata-decimal.js';
import { createEvaluator, Undecided } from './odata-evaluator.js';
import type { Bool, Cell, Operand } from './odata-tree.js';

/** A cell and the tolerance of a double. */
export interface Near {
  readonly text: Cell;
  readonly tolerance: number;
}

export interface ApplyResult {
  readonly columns: readonly ApplyColumn[];
  readonly rows: readonly (readonly Near[])[];
}

type Row = readonly Near[];

const exactly = (text: Cell): Near => ({ text, tolerance: 0 });

export const textOfDec = (value: Dec): string => {
  const { units, scale } = shortened(value);
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return units < 0n ? `-${text}` : text;
};

const add = (a: Dec, b: Dec): Dec => {
  const scale = Math.max(a.scale, b.scale);
  return { units: a.units * pow(scale - a.scale) + b.units * pow(scale - b.scale), scale };
};

/** The nearest double of a quotient of a decimal and a whole number. */
const divided = ({ units, scale }: Dec, by: number): number => {
  const negative = units < 0n;
  const wide = ((negative ? -units : units) * pow(40)) / BigInt(by);
  return Number(`${negative ? '-' : ''}${wide}e-${40 + scale}`);
};

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const compareCells = (column: ApplyColumn, a: Near, b: Near): number => {
  if (a.text === null || b.text === null) return 0;
  if (column.dataType !== 'Decimal') return compareTexts(a.text, b.text);
  const sign = order(dec(a.text), dec(b.text));
  if (a.tolerance + b.tolerance > 0 && Math.abs(Number(a.text) - Number(b.text)) <= a.tolerance + b.tolerance)
    throw new Undecided('an order of doubles');
  return sign;
};

/** Sorts nulls last in both directions. */
const compareNullsLast = (column: ApplyColumn, a: Near, b: Near, descending: boolean): number => {
  if (a.text === null || b.text === null) return Number(a.text === null) - Number(b.text === null);
  return compareCells(column, a, b) * (descending ? -1 : 1);
};

/** Equal cells have equal keys. */
const keyOf = (column: ApplyColumn, { text, tolerance }: Near): string => {
  if (tolerance > 0) throw new Undecided('a key of doubles');
  if (text === null) return 'null';
  return column.dataType === 'Decimal' ? `n${textOfDec(dec(text))}` : `t${text}`;
};

const sumOf = (values: readonly Near[]): { sum: Dec; tolerance: number } => {
  let sum: Dec = { units: 0n, scale: 0 };
  let tolerance = 0;
  let size = 0;
  for (const value of values) {
    sum = add(sum, dec(value.text ?? '0'));
    tolerance += value.tolerance;
    size += Math.abs(Number(value.text));
  }
  if (!Number.isFinite(size)) throw new Undecided('a sum beyond doubles');
  return { sum, tolerance: tolerance + size * 1e-12 };
};

/** Interpolates linearly, like PERCENTILE.INC of spreadsheets and numpy. */
const quantile = (values: readonly Near[], level: number): Near => {
  const sorted = values.map(({ text }) => Number(text)).sort((a, b) => a - b);
  const place = level * (sorted.length - 1);
  const [low = 0, high = low] = sorted.slice(Math.floor(place));
  const value = low + (place - Math.floor(place)) * (high - low);
  if (!Number.isFinite(value)) throw new Undecided('a quantile beyond doubles');
  const size = Math.max(Math.abs(low), Math.abs(high));
  return { text: String(value), tolerance: Math.max(...values.map((v) => v.tolerance)) + size * 1e-12 };
};

const deviation = (values: readonly Near[]): Near => {
  if (values.length < 2) return exactly(null);
  const numbers = values.map(({ text }) => Number(text));
  const mean = numbers.reduce((sum, value) => sum + value / numbers.length, 0);
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const value = Math.sqrt(squares / (numbers.length - 1));
  const size = Math.max(...numbers.map(Math.abs));
  if (!Number.isFinite(value) || size > 1e150 || (size < 1e-150 && size > 0))
    throw new Undecided('squares beyond doubles');
  return { text: String(value), tolerance: size * 1e-7 + Math.max(...values.map((v) => v.tolerance)) * 2 };
};

interface EvaluatedColumn {
  readonly column: ApplyColumn;
  readonly cells: readonly Near[];
}

const scaleOf = ({ physical }: ApplyColumn): number => Number(/^n\d+_(\d+)$/.exec(physical)?.[1] ?? 22);

export const createApplyEvaluator = (table: ApplyTable) => {
  const evaluate = (
    e: Operand,
    columns: readonly ApplyColumn[],
    rows: readonly Row[],
    name: string,
  ): EvaluatedColumn => {
    const places = columns.flatMap(({ inexact, approximate }, at) => (inexact || approximate ? [at] : []));
    const evaluator = createEvaluator(columns, new Set(places));
    const base = { id: 0, name };
    if (e.t === 'bool') throw new RangeError('no column is a condition');
    if (e.t === 'num' && e.e.k === 'col') {
      const { at } = e.e;
      return { column: { ...columns[at]!, ...base }, cells: rows.map((row) => row[at]!) };
    }
    if (e.t === 'str') {
      const cells = rows.map((row) =>
        exactly(
          evaluator.text(
            e.e,
            row.map(({ text }) => text),
          ),
        ),
      );
      return {
        column: { ...base, dataType: 'String', physical: 's', approximate: false, inexact: false },
        cells,
      };
    }
    if (e.t === 'day') {
      const cells = rows.map((row) =>
        exactly(
          evaluator.day(
            e.e,
            row.map(({ text }) => text),
          ),
        ),
      );
      return {
        column: { ...base, dataType: 'Date', physical: 't', approximate: false, inexact: false },
        cells,
      };
    }
    const { e: number } = e;
    const at = (cells: readonly Cell[]) => {
      const value = evaluator.number(number, cells);
      if (value !== null && !(Number.isFinite(value.double) && Number.isFinite(Number(textOfDec(value.dec)))))
        throw new Undecided('beyond doubles');
      return value;
    };
    const divides = JSON.stringify(number).includes('"div"');
    const results = rows.map((row) => {
      const texts = row.map(({ text }) => text);
      const value = at(texts);
      if (value === null) return { near: exactly(null), exact: true };
      const exact = value.exact && !divides;
      if (exact) return { near: exactly(textOfDec(value.dec)), exact };
      const text = textOfDec(value.dec);
      // Adds the change of the result if each double changes by its tolerance.
      let tolerance = Math.abs(Number(text) - value.double) + Math.abs(Number(text)) * 1e-9;
      for (const [place, cell] of row.entries()) {
        if (cell.tolerance === 0 || cell.text === null) continue;
        const moved = at(
          texts.map((own, index) => (index === place ? String(Number(cell.text) + cell.tolerance) : own)),
        );
        if (moved === null) throw new Undecided('null or a value');
        tolerance += 2 * Math.abs(Number(textOfDec(moved.dec)) - Number(text));
      }
      return { near: { text, tolerance }, exact };
    });
    const approximate =
      divides ||
      places.some((place) => JSON.stringify(number).includes(`"at":${place}`)) ||
      results.some(({ exact }) => !exact);
    const room = evaluator.room(number);
    const physical = approximate || room === undefined ? 'f' : (`n76_${room.scale}` as const);
    return {
      column: { ...base, dataType: 'Decimal', physical, approximate, inexact: approximate },
      cells: approximate
        ? results.map(({ near }) => ({
            ...near,
            tolerance: near.tolerance + Math.abs(Number(near.text ?? 0)) * 1e-12,
          }))
        : results.map(({ near }) => near),
    };
  };

  const keeps = (e: Bool, columns: readonly ApplyColumn[], row: Row): boolean => {
    const inexact = new Set(
      columns.flatMap((column, at) => (column.inexact || column.approximate ? [at] : [])),
    );
    const evaluator = createEvaluator(columns, inexact);
    const texts = row.map(({ text }) => text);
    const kept = evaluator.keeps(e, texts);
    if (kept === undefined) throw new Undecided('a filter');
    for (const [place, cell] of row.entries()) {
      if (cell.tolerance === 0 || cell.text === null) continue;
      for (const sign of [-1, 1]) {
        const moved = String(Number(cell.text) + sign * cell.tolerance);
        if (
          evaluator.keeps(
            e,
            texts.map((own, index) => (index === place ? moved : own)),
          ) !== kept
        )
          throw new Undecided('a filter of doubles');
      }
    }
    return kept;
  };

  const number = (name: string, over: Partial<ApplyColumn> = {}): ApplyColumn => ({
    id: 0,
    name,
    dataType: 'Decimal',
    physical: 'f',
    approximate: false,
    inexact: false,
    ...over,
  });
  const double = (name: string): ApplyColumn => number(name, { approximate: true, inexact: true });

  const aggregate = (
    item: TestAggregate,
    columns: readonly ApplyColumn[],
    groups: readonly (readonly Row[])[],
  ): EvaluatedColumn => {
    const { name } = item;
    if (item.method === '$count')
      return {
        column: number(name, { physical: 'n38_0' }),
        cells: groups.map((rows) => exactly(String(rows.length))),
      };
    const { method } = item;
    const made = groups.map((rows) => evaluate(item.of, columns, rows, name));
    // A calculated column is exact only if all of its rows are.
    const whole = evaluate(item.of, columns, groups.flat(), name).column;
    const each = (of: (values: readonly Near[]) => Near): Near[] =>
      made.map(({ cells }) => {
        const values = cells.filter(({ text }) => text !== null);
        return values.length === 0 ? exactly(null) : of(values);
      });
    switch (method) {
      case 'sum': {
        const loose = whole.approximate || whole.inexact;
        const cells = each((values) => {
          const { sum, tolerance } = sumOf(values);
          return { text: textOfDec(sum), tolerance: loose ? tolerance : 0 };
        });
        return { column: loose ? double(name) : number(name, { physical: `n76_${scaleOf(whole)}` }), cells };
      }
      case 'average': {
        const cells = each((values) => {
          const { sum, tolerance } = sumOf(values);
          return { text: String(divided(sum, values.length)), tolerance: tolerance / values.length };
        });
        return { column: double(name), cells };
      }
      case 'median':
        return { column: double(name), cells: each((values) => quantile(values, 0.5)) };
      case 'quantile':
        return { column: double(name), cells: each((values) => quantile(values, Number(item.level))) };
      case 'stddev':
        return { column: double(name), cells: each(deviation) };
      case 'first':
        return { column: { ...whole, name }, cells: each((values) => values[0]!) };
      case 'last':
        return { column: { ...whole, name }, cells: each((values) => values.at(-1)!) };
      case 'min':
      case 'max': {
        const sign = method === 'min' ? 1 : -1;
        const pick = (values: readonly Near[]): Near =>
          values.reduce((best, value) => (looseOrder(whole, value, best) * sign < 0 ? value : best));
        return { column: { ...whole, name }, cells: each(pick) };
      }
      case 'countdistinct': {
        const cells = made.map(({ cells: all }) => {
          const keys = all.filter(({ text }) => text !== null).map((cell) => keyOf(whole, cell));
          return exactly(String(new Set(keys).size));
        });
        return { column: number(name, { physical: 'n38_0' }), cells };
      }
      default:
        return method satisfies never;
    }
  };

  /** Order for min and max, which do not depend on the order of nearly equal doubles. */
  const looseOrder = (column: ApplyColumn, a: Near, b: Near): number =>
    column.dataType === 'Decimal'
      ? order(dec(a.text ?? '0'), dec(b.text ?? '0'))
      : compareTexts(a.text ?? '', b.text ?? '');

  const transposed = (made: readonly EvaluatedColumn[], rows: number): Row[] =>
    Array.from({ length: rows }, (_, row) => made.map(({ cells }) => cells[row]!));

  const group = (step: Extract<TestStep, { k: 'group' }>, { columns, rows }: ApplyResult): ApplyResult => {
    if (step.keys === undefined) {
      const made = step.aggregates.map((item) => aggregate(item, columns, [rows]));
      return { columns: made.map(({ column }) => column), rows: transposed(made, 1) };
    }
    const keys = step.keys.map(({ e, name }) => evaluate(e, columns, rows, name));
    const groups = new Map<string, { key: Row; rows: Row[] }>();
    for (const [at, row] of rows.entries()) {
      const key = keys.map(({ cells }) => cells[at]!);
      const id = JSON.stringify(key.map((cell, index) => keyOf(keys[index]!.column, cell)));
      const known = groups.get(id) ?? { key, rows: [] };
      known.rows.push(row);
      groups.set(id, known);
    }
    const sorted = [...groups.values()].sort((a, b) => {
      for (const [index, { column }] of keys.entries()) {
        const sign = compareNullsLast(column, a.key[index]!, b.key[index]!, false);
        if (sign !== 0) return sign;
      }
      return 0;
    });
    const made = step.aggregates.map((item) =>
      aggregate(
        item,
        columns,
        sorted.map((entry) => entry.rows),
      ),
    );
    const aggregates = transposed(made, sorted.length);
    return {
      columns: [...keys, ...made].map(({ column }) => column),
      rows: sorted.map(({ key }, at) => [...key, ...aggregates[at]!]),
    };
  };

  const apply = (step: TestStep, { columns, rows }: ApplyResult): ApplyResult => {
    switch (step.k) {
      case 'filter':
        return { columns, rows: rows.filter((row) => keeps(step.e, columns, row)) };
      case 'compute': {
        const made = step.items.map(({ e, name }) => evaluate(e, columns, rows, name));
        return {
          columns: [...columns, ...made.map(({ column }) => column)],
          rows: rows.map((row, at) => [...row, ...made.map(({ cells }) => cells[at]!)]),
        };
      }
      case 'group':
        return group(step, { columns, rows });
      case 'orderby': {
        const terms = step.items.map(({ e, descending }) => ({
          ...evaluate(e, columns, rows, ''),
          descending,
        }));
        const places = rows.map((_, at) => at);
        places.sort((a, b) => {
          for (const { column, cells, descending } of terms) {
            const sign = compareNullsLast(column, cells[a]!, cells[b]!, descending);
            if (sign !== 0) return sign;
          }
          return a - b;
        });
        return { columns, rows: places.map((at) => rows[at]!) };
      }
      case 'top':
        return { columns, rows: rows.slice(0, step.count) };
      case 'skip':
        return { columns, rows: rows.slice(step.count) };
      default:
        return step satisfies never;
    }
  };

  const start: ApplyResult = { columns: table.columns, rows: table.rows.map((row) => row.map(exactly)) };
  return {
    start,
    apply,
    /** @returns undefined if the pipeline is undecided. */
    run(steps: readonly TestStep[]): ApplyResult | undefined {
      try {
        return steps.reduce((result, step) => apply(step, result), start);
      } catch (error) {
        if (error instanceof Undecided) return undefined;
        throw error;
      }
    },
  };
};
