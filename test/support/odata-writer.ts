/** Writes a filter in one of its many spellings. */
import { needsBrackets, testColumns } from './odata-columns.js';
import type { Bool, Day, Num, Operand, Str } from './odata-tree.js';

/** Operator precedence of OData: an operand of lower precedence needs parentheses. */
const levels = {
  or: 0,
  and: 1,
  eq: 2,
  ne: 2,
  gt: 3,
  ge: 3,
  lt: 3,
  le: 3,
  add: 4,
  sub: 4,
  mul: 5,
  div: 5,
  mod: 5,
  not: 6,
  neg: 6,
  in: 7,
  top: 8,
} as const;

interface Written {
  readonly text: string;
  readonly level: number;
}

/** Writes expressions. `choices` (numbers from 0 to 99) select case, spaces, brackets and redundant parentheses. */
export const createWriter = (columns: readonly { readonly name: string }[], choices: readonly number[]) => {
  let turn = 0;
  const choose = (percent: number): boolean => {
    turn += 1;
    return (choices[turn % choices.length] ?? 0) < percent;
  };
  const word = (text: string): string => (choose(10) ? text.toUpperCase() : text);
  const gap = (): string => (choose(10) ? ' \t ' : ' ');
  const wrap = ({ text, level }: Written, needed: number): string =>
    level < needed || (level < 8 && choose(5)) ? `(${choose(20) ? ' ' : ''}${text})` : text;
  const infix = (op: keyof typeof levels, a: Written, b: Written): Written => {
    const level = levels[op];
    return { text: `${wrap(a, level)}${gap()}${word(op)}${gap()}${wrap(b, level + 1)}`, level };
  };
  const call = (name: string, ...args: Written[]): Written => ({
    text: `${word(name)}(${args.map((arg) => arg.text).join(choose(50) ? ', ' : ',')})`,
    level: levels.top,
  });
  const column = (at: number): Written => {
    const name = columns[at]?.name ?? '';
    const bracketed = needsBrackets.has(name) || choose(20);
    return { text: bracketed ? `[${name.replaceAll(']', ']]')}]` : name, level: levels.top };
  };
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

  const num = (e: Num): Written => {
    switch (e.k) {
      case 'lit':
        return { text: e.text, level: levels.top };
      case 'col':
        return column(e.at);
      case 'neg':
        return { text: `-${choose(30) ? ' ' : ''}${wrap(num(e.a), levels.neg)}`, level: levels.neg };
      case 'round':
      case 'floor':
      case 'ceiling':
        return call(e.k, num(e.a));
      case 'length':
        return call('length', str(e.s));
      case 'indexof':
        return call('indexof', str(e.s), str(e.t));
      case 'year':
      case 'quarter':
      case 'month':
      case 'week':
      case 'day':
        return call(e.k, day(e.d));
      default:
        return infix(e.k, num(e.a), num(e.b));
    }
  };
  const str = (e: Str): Written => {
    switch (e.k) {
      case 'lit':
        return { text: quote(e.text), level: levels.top };
      case 'col':
        return column(e.at);
      case 'concat':
        return call('concat', str(e.a), str(e.b));
      case 'substring':
        return call('substring', str(e.a), num(e.from), ...(e.length ? [num(e.length)] : []));
      default:
        return call(e.k, str(e.a));
    }
  };
  const day = (e: Day): Written => {
    if (e.k === 'lit') return { text: e.text, level: levels.top };
    return e.k === 'col' ? column(e.at) : call(e.k, day(e.d));
  };
  const operand = (of: Operand): Written => {
    switch (of.t) {
      case 'num':
        return num(of.e);
      case 'str':
        return str(of.e);
      case 'day':
        return day(of.e);
      case 'bool':
        return bool(of.e);
      default:
        return of satisfies never;
    }
  };
  const bool = (e: Bool): Written => {
    switch (e.k) {
      case 'const':
        return { text: word(String(e.value)), level: levels.top };
      case 'and':
      case 'or': {
        const level = levels[e.k];
        const separator = `${gap()}${word(e.k)}${gap()}`;
        return { text: e.items.map((item) => wrap(bool(item), level + 1)).join(separator), level };
      }
      case 'not':
        return { text: `${word('not')} ${wrap(bool(e.a), levels.not)}`, level: levels.not };
      case 'num':
        return infix(e.op, num(e.a), num(e.b));
      case 'str':
        return infix(e.op, str(e.a), str(e.b));
      case 'day':
        return infix(e.op, day(e.a), day(e.b));
      case 'bool':
        return infix(e.op, bool(e.a), bool(e.b));
      case 'null': {
        const literal = { text: 'null', level: levels.top };
        return e.nullFirst ? infix(e.op, literal, operand(e.of)) : infix(e.op, operand(e.of), literal);
      }
      case 'test':
        return call(e.f, str(e.a), str(e.b));
      case 'in': {
        const items = e.items.map((item) => (item === null ? 'null' : e.of.t === 'str' ? quote(item) : item));
        return {
          text: `${wrap(operand(e.of), levels.in)} ${word('in')} (${items.join(', ')})`,
          level: levels.in,
        };
      }
      default:
        return e satisfies never;
    }
  };
  return {
    filter: (filter: Bool): string => bool(filter).text,
    operand: (of: Operand): string => operand(of).text,
  };
};

export const writeFilter = (filter: Bool, choices: readonly number[]): string =>
  createWriter(testColumns, choices).filter(filter);
