import { type Binding, describe } from './binding.js';
import { firstDayOf } from './date-literal.js';
import { datePartOf, periodStartOf } from './date-parts.js';
import { exactOf, isInteger } from './number-literal.js';
import { readingsOf } from './readings.js';
import type { FunctionName, SyntaxNode } from './syntax.js';
import type { DatePart, NumberNode, Operand, PeriodStart, TextNode } from './typed.js';

type Call = Extract<SyntaxNode, { kind: 'call' }>;

/** Types of the arguments. A function of null is null for all other arguments. */
const signatures: Readonly<Record<FunctionName, readonly Exclude<Operand['type'], 'null' | 'boolean'>[]>> = {
  contains: ['text', 'text'],
  startswith: ['text', 'text'],
  endswith: ['text', 'text'],
  tolower: ['text'],
  toupper: ['text'],
  trim: ['text'],
  length: ['text'],
  concat: ['text', 'text'],
  indexof: ['text', 'text'],
  substring: ['text', 'number', 'number'],
  year: ['date'],
  quarter: ['date'],
  month: ['date'],
  week: ['date'],
  day: ['date'],
  startofyear: ['date'],
  startofquarter: ['date'],
  startofmonth: ['date'],
  startofweek: ['date'],
  round: ['number'],
  floor: ['number'],
  ceiling: ['number'],
};

const nouns = { text: 'a text', number: 'a number', date: 'a date' } as const;

const bindArgument = (call: Call, index: number, binding: Binding): Operand => {
  const node = call.args[index];
  const wanted = signatures[call.name][index];
  if (node === undefined || wanted === undefined)
    throw new RangeError('the parser checks the number of arguments');
  // The first argument is the operand of the function; the others are mostly values.
  const readings = readingsOf(node, index === 0).map((reading) => binding.bind(reading));
  const fitting =
    readings.find(({ type }) => type === wanted) ?? readings.find(({ type }) => type === 'null');
  if (fitting !== undefined) return fitting;
  const operand = readings[0] ?? { type: 'null' };
  const day = wanted === 'date' && node.kind === 'string' ? firstDayOf(node.value) : undefined;
  if (day !== undefined) return { type: 'date', node: { kind: 'date', value: day } };
  throw binding.failures.type(
    node.start,
    `${call.name} needs ${nouns[wanted]} as argument ${index + 1}, found ${describe(node, operand)}`,
  );
};

/** 4.01: a negative length is a bad request; a negative start is optional, and not offered. */
const checkSubstring = (call: Call, binding: Binding): void => {
  for (const node of call.args.slice(1)) {
    if (node.kind !== 'number') continue;
    if (!isInteger(node.value) || node.value.digits < 0n) {
      throw binding.failures.type(node.start, `substring counts in whole numbers from 0, found ${node.text}`);
    }
  }
};

const datePart = (part: DatePart, operand: Operand): Operand => {
  if (operand.type !== 'date') return { type: 'null' };
  if (operand.node.kind !== 'date') return { type: 'number', node: { kind: part, operand: operand.node } };
  const value = exactOf(datePartOf(part, operand.node.value));
  return { type: 'number', node: { kind: 'number', value } };
};

const periodStart = (start: PeriodStart, operand: Operand): Operand => {
  if (operand.type !== 'date') return { type: 'null' };
  if (operand.node.kind !== 'date') return { type: 'date', node: { kind: start, operand: operand.node } };
  return { type: 'date', node: { kind: 'date', value: periodStartOf(start, operand.node.value) } };
};

const textArgument = (operand: Operand | undefined): TextNode => {
  if (operand?.type !== 'text') throw new RangeError('signatures promise a text');
  return operand.node;
};

const numberArgument = (operand: Operand | undefined): NumberNode => {
  if (operand?.type !== 'number') throw new RangeError('signatures promise a number');
  return operand.node;
};

export const bindCall = (call: Call, binding: Binding): Operand => {
  const args = call.args.map((_, index) => bindArgument(call, index, binding));
  if (call.name === 'substring') checkSubstring(call, binding);
  const isTest = call.name === 'contains' || call.name === 'startswith' || call.name === 'endswith';
  if (args.some((operand) => operand.type === 'null')) {
    return isTest ? { type: 'boolean', node: { kind: 'constant', value: null } } : { type: 'null' };
  }
  const [first, second, third] = args;
  switch (call.name) {
    case 'contains':
    case 'startswith':
    case 'endswith':
      return {
        type: 'boolean',
        node: { kind: call.name, left: textArgument(first), right: textArgument(second) },
      };
    case 'tolower':
    case 'toupper':
    case 'trim':
      return { type: 'text', node: { kind: call.name, operand: textArgument(first) } };
    case 'concat':
      return {
        type: 'text',
        node: { kind: 'concat', left: textArgument(first), right: textArgument(second) },
      };
    case 'substring': {
      const length = third === undefined ? undefined : numberArgument(third);
      const from = numberArgument(second);
      return { type: 'text', node: { kind: 'substring', operand: textArgument(first), from, length } };
    }
    case 'length':
      return { type: 'number', node: { kind: 'length', operand: textArgument(first) } };
    case 'indexof':
      return {
        type: 'number',
        node: { kind: 'indexof', left: textArgument(first), right: textArgument(second) },
      };
    case 'year':
    case 'quarter':
    case 'month':
    case 'week':
    case 'day':
      return datePart(call.name, first ?? { type: 'null' });
    case 'startofyear':
    case 'startofquarter':
    case 'startofmonth':
    case 'startofweek':
      return periodStart(call.name, first ?? { type: 'null' });
    case 'round':
    case 'floor':
    case 'ceiling':
      return { type: 'number', node: { kind: call.name, operand: numberArgument(first) } };
    default:
      return call.name satisfies never;
  }
};
