/**
 * Reference evaluator of filters, written from OData 4.01 part 2, 5.1.1 and the documented arithmetic, independent
 * of the compiler. Slow and simple on purpose: decimals are BigInt fractions of powers of ten.
 *
 * Where ClickHouse may calculate in double (operands outside the exact range, or a result that could need more than
 * 76 digits), both results are computed. If they differ, the row is undecided.
 */
import { partOf, startOf } from './odata-calendar.js';
import { type Dec, dec, order, pow, shortened, whole } from './odata-decimal.js';
import type { Bool, Cell, Day, Num, Op, Operand, Str, TestColumn } from './odata-tree.js';

/** Maximum number of digits before and after the decimal point of an expression. */
interface Room {
  readonly whole: number;
  readonly scale: number;
}

export interface NumValue {
  readonly dec: Dec;
  readonly double: number;
  /** False if the value may be calculated in double. */
  readonly exact: boolean;
}

export class Undecided extends Error {}

const digits = 76;
const holds = (op: Op, sign: number): boolean =>
  ({ eq: sign === 0, ne: sign !== 0, lt: sign < 0, le: sign <= 0, gt: sign > 0, ge: sign >= 0 })[op];

const roundAway = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export type Outcome = boolean | null;

/** @param inexact indexes of columns that are always calculated in double. */
export const createEvaluator = (columns: readonly TestColumn[], inexact: ReadonlySet<number> = new Set()) => {
  const columnAt = (at: number): TestColumn => {
    const column = columns[at];
    if (!column) throw new RangeError(`no column ${at}`);
    return column;
  };

  /** @returns undefined if a value may need more than 76 digits. */
  const room = (e: Num): Room | undefined => {
    const roomFor = (wholeDigits: number, scale: number): Room | undefined =>
      wholeDigits + scale <= digits ? { whole: wholeDigits, scale } : undefined;
    switch (e.k) {
      case 'lit': {
        const { units, scale } = shortened(dec(e.text));
        return roomFor(Math.max(0, units.toString().replace('-', '').length - scale), scale);
      }
      case 'col': {
        const shape = /^n(\d+)_(\d+)$/.exec(columnAt(e.at).physical);
        return shape
          ? roomFor(Number(shape[1]) - Number(shape[2]), Number(shape[2]))
          : { whole: 16, scale: 22 };
      }
      case 'neg':
        return room(e.a);
      case 'round':
      case 'floor':
      case 'ceiling': {
        const inner = room(e.a);
        return inner && roomFor(inner.whole + 1, inner.scale);
      }
      case 'add':
      case 'sub':
      case 'mul':
      case 'div':
      case 'mod': {
        const [a, b] = [room(e.a), room(e.b)];
        if (!a || !b) return undefined;
        const [most, scale] = [Math.max(a.whole, b.whole), Math.max(a.scale, b.scale)];
        if (e.k === 'mul') return roomFor(a.whole + b.whole, a.scale + b.scale);
        if (e.k === 'div') return roomFor(a.whole + b.scale + 1, Math.max(a.scale, 22));
        if (e.k === 'mod' && most + 2 * scale > digits) return undefined;
        return roomFor(most + 1, scale);
      }
      default:
        return { whole: 18, scale: 0 };
    }
  };

  const num = (e: Num, row: readonly Cell[]): NumValue | null => {
    switch (e.k) {
      case 'lit':
        return { dec: dec(e.text), double: Number(e.text), exact: room(e) !== undefined };
      case 'col': {
        const text = row[e.at] ?? null;
        if (text === null) return null;
        const size = Math.abs(Number(text));
        const stored = columnAt(e.at).physical !== 'f' || size === 0 || (size >= 1e-6 && size < 1e16);
        const exact = stored && !inexact.has(e.at);
        return { dec: dec(text), double: Number(text), exact };
      }
      case 'neg': {
        const a = num(e.a, row);
        return a && { dec: { units: -a.dec.units, scale: a.dec.scale }, double: -a.double, exact: a.exact };
      }
      case 'round':
      case 'floor':
      case 'ceiling': {
        const a = num(e.a, row);
        if (!a) return null;
        const exact = a.exact && room(e) !== undefined;
        const double = { round: roundAway, floor: Math.floor, ceiling: Math.ceil }[e.k](a.double);
        return { dec: whole(a.dec, ({ round: 0, floor: -1, ceiling: 1 } as const)[e.k]), double, exact };
      }
      case 'add':
      case 'sub':
      case 'mul':
      case 'div':
      case 'mod':
        return arithmetic(e, row);
      case 'length': {
        const s = str(e.s, row);
        return s === null ? null : integer([...s].length);
      }
      case 'indexof': {
        const [s, t] = [str(e.s, row), str(e.t, row)];
        if (s === null || t === null) return null;
        const at = s.indexOf(t);
        return integer(at < 0 ? -1 : [...s.slice(0, at)].length);
      }
      case 'year':
      case 'quarter':
      case 'month':
      case 'week':
      case 'day': {
        const day = dayOf(e.d, row);
        return day === null ? null : integer(partOf(e.k, day));
      }
      default:
        return e satisfies never;
    }
  };

  const integer = (value: number): NumValue => ({ dec: dec(String(value)), double: value, exact: true });

  const arithmetic = (e: Extract<Num, { a: Num; b: Num }>, row: readonly Cell[]): NumValue | null => {
    const [a, b] = [num(e.a, row), num(e.b, row)];
    if (!a || !b) return null;
    const exact = a.exact && b.exact && room(e) !== undefined;
    const scale = Math.max(a.dec.scale, b.dec.scale);
    const [au, bu] = [a.dec.units * pow(scale - a.dec.scale), b.dec.units * pow(scale - b.dec.scale)];
    const divides = e.k === 'div' || e.k === 'mod';
    const zero = divides && bu === 0n;
    // In double, the divisor may be zero although the decimal is not, or the other way round.
    if (zero !== (divides && b.double === 0)) throw new Undecided('divisor near 0');
    if (zero) return null;
    if (!exact && !(Number.isFinite(a.double) && Number.isFinite(b.double))) {
      throw new Undecided('infinity as an operand');
    }
    switch (e.k) {
      case 'add':
        return { dec: { units: au + bu, scale }, double: a.double + b.double, exact };
      case 'sub':
        return { dec: { units: au - bu, scale }, double: a.double - b.double, exact };
      case 'mul': {
        const units = a.dec.units * b.dec.units;
        return { dec: { units, scale: a.dec.scale + b.dec.scale }, double: a.double * b.double, exact };
      }
      case 'mod': {
        // The remainder of doubles of very different size is meaningless.
        if (!exact && Math.abs(a.double / b.double) > 1e6)
          throw new Undecided('remainder of distant doubles');
        return { dec: { units: au % bu, scale }, double: a.double % b.double, exact };
      }
      case 'div': {
        const places = Math.max(22, room(e.a)?.scale ?? 22);
        return { dec: { units: (au * pow(places)) / bu, scale: places }, double: a.double / b.double, exact };
      }
      default:
        return e.k satisfies never;
    }
  };

  const count = (e: Num, row: readonly Cell[]): number | null => {
    const value = num(e, row);
    if (!value) return null;
    const cut = Math.trunc(value.double);
    const exactCut = value.dec.units / pow(value.dec.scale);
    if (!Number.isFinite(value.double) || (Number(exactCut) !== cut && Math.abs(cut) < 1e9)) {
      throw new Undecided('near a whole number');
    }
    return Math.max(0, cut);
  };

  const str = (e: Str, row: readonly Cell[]): string | null => {
    switch (e.k) {
      case 'lit':
        return e.text;
      case 'col':
        return row[e.at] ?? null;
      case 'concat': {
        const [a, b] = [str(e.a, row), str(e.b, row)];
        return a === null || b === null ? null : a + b;
      }
      case 'tolower':
        return str(e.a, row)?.toLowerCase() ?? null;
      case 'toupper':
        return str(e.a, row)?.toUpperCase() ?? null;
      case 'trim':
        return str(e.a, row)?.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '') ?? null;
      case 'substring': {
        const [a, from] = [str(e.a, row), count(e.from, row)];
        const length = e.length === undefined ? Number.POSITIVE_INFINITY : count(e.length, row);
        if (a === null || from === null || length === null) return null;
        return [...a].slice(from, from + length).join('');
      }
      default:
        return e satisfies never;
    }
  };

  const dayOf = (e: Day, row: readonly Cell[]): string | null => {
    if (e.k === 'lit') return e.day;
    if (e.k === 'col') return row[e.at] ?? null;
    const day = dayOf(e.d, row);
    return day === null ? null : startOf(e.k, day);
  };

  const isStored = (e: Num): boolean => e.k === 'lit' || e.k === 'col';

  const isInfinite = (value: NumValue | null): boolean =>
    value !== null && !value.exact && !Number.isFinite(value.double);

  const compareNum = (op: Op, a: Num, b: Num, row: readonly Cell[]): boolean => {
    const [left, right] = [num(a, row), num(b, row)];
    if ((!isStored(a) && isInfinite(left)) || (!isStored(b) && isInfinite(right))) {
      throw new Undecided('not finite');
    }
    if (!left || !right) return op === 'eq' ? !left && !right : op === 'ne' ? !left !== !right : false;
    const exactly = holds(op, order(left.dec, right.dec));
    if (isStored(a) && isStored(b)) return exactly;
    const [ra, rb] = [room(a), room(b)];
    const together = ra && rb && Math.max(ra.whole, rb.whole) + Math.max(ra.scale, rb.scale) <= digits;
    if (left.exact && right.exact && together) return exactly;
    const doubly = holds(op, Math.sign(left.double - right.double));
    if (!(Number.isFinite(left.double) && Number.isFinite(right.double)) || doubly !== exactly) {
      throw new Undecided('double or exact');
    }
    return exactly;
  };

  const compareValues = <T>(op: Op, a: T | null, b: T | null, sign: (a: T, b: T) => number): boolean => {
    if (a === null || b === null) return op === 'eq' ? a === b : op === 'ne' ? a !== b : false;
    return holds(op, sign(a, b));
  };

  const isNull = (operand: Operand, row: readonly Cell[]): boolean => {
    switch (operand.t) {
      case 'num': {
        const value = num(operand.e, row);
        if (isInfinite(value)) throw new Undecided('not finite');
        return value === null;
      }
      case 'str':
        return str(operand.e, row) === null;
      case 'day':
        return dayOf(operand.e, row) === null;
      case 'bool':
        return bool(operand.e, row) === null;
      default:
        return operand satisfies never;
    }
  };

  const belongs = (operand: Operand, items: readonly (string | null)[], row: readonly Cell[]): boolean => {
    const results = items.map((item): boolean => {
      if (item === null) return isNull(operand, row);
      if (operand.t === 'num') return compareNum('eq', operand.e, { k: 'lit', text: item }, row);
      if (operand.t === 'str') return str(operand.e, row) === item;
      return operand.t === 'day' && dayOf(operand.e, row) === item;
    });
    return results.includes(true);
  };

  const bool = (e: Bool, row: readonly Cell[]): Outcome => {
    switch (e.k) {
      case 'const':
        return e.value;
      case 'and': {
        const results = e.items.map((item) => bool(item, row));
        return results.includes(false) ? false : results.includes(null) ? null : true;
      }
      case 'or': {
        const results = e.items.map((item) => bool(item, row));
        return results.includes(true) ? true : results.includes(null) ? null : false;
      }
      case 'not': {
        const a = bool(e.a, row);
        return a === null ? null : !a;
      }
      case 'num':
        return compareNum(e.op, e.a, e.b, row);
      case 'str':
        return compareValues(e.op, str(e.a, row), str(e.b, row), compareText);
      case 'day':
        return compareValues(e.op, dayOf(e.a, row), dayOf(e.b, row), compareText);
      case 'bool':
        return compareValues(e.op, bool(e.a, row), bool(e.b, row), (a, b) => Number(a) - Number(b));
      case 'null': {
        const missing = isNull(e.of, row);
        return e.op === 'eq' ? missing : e.op === 'ne' ? !missing : false;
      }
      case 'test': {
        const [a, b] = [str(e.a, row), str(e.b, row)];
        if (a === null || b === null) return null;
        return { contains: a.includes(b), startswith: a.startsWith(b), endswith: a.endsWith(b) }[e.f];
      }
      case 'in':
        return belongs(e.of, e.items, row);
      default:
        return e satisfies never;
    }
  };

  return {
    /** @throws Undecided, as do `text` and `day`. */
    number: num,
    text: str,
    day: dayOf,
    room,
    /** @returns undefined if the row is undecided. */
    keeps: (filter: Bool, row: readonly Cell[]): boolean | undefined => {
      try {
        return bool(filter, row) === true;
      } catch (error) {
        if (error instanceof Undecided) return undefined;
        throw error;
      }
    },
  };
};
