import { type Binding, bindSide, countChosen, describe } from './binding.js';
import { firstDayOf } from './date-literal.js';
import { datePartOf, periodStartOf } from './date-parts.js';
import { exactOf, isInteger } from './number-literal.js';
import { readingsOf } from './readings.js';
import { type FunctionName, type SyntaxNode, signatures } from './syntax.js';
import type { DateNode, DatePart, NumberNode, Operand, PeriodStart, TextNode } from './typed.js';

type Call = Extract<SyntaxNode, { kind: 'call' }>;

const nouns = { text: 'a text', number: 'a number', date: 'a date' } as const;

const bindArgument = (name: FunctionName, node: SyntaxNode, index: number, binding: Binding): Operand => {
  // The parser checks the number of arguments.
  const wanted = signatures[name][index]!;
  // The first argument is usually a column, the others are usually values.
  const before = binding.columnsRead;
  const readings = readingsOf(node, index === 0).map((reading) => bindSide(reading, binding));
  const fitting =
    readings.find(({ operand }) => operand.type === wanted) ??
    readings.find(({ operand }) => operand.type === 'null');
  if (fitting !== undefined) {
    countChosen([fitting], before, binding);
    return fitting.operand;
  }
  const day = wanted === 'date' && node.kind === 'string' ? firstDayOf(node.value) : undefined;
  if (day !== undefined) return { type: 'date', node: { kind: 'date', value: day } };
  throw binding.failures.type(
    node.start,
    `${name} needs ${nouns[wanted]} as argument ${index + 1}, found ${describe(node, readings[0]!.operand)}`,
  );
};

/** OData 4.01: a negative length is a bad request; support for a negative start is optional. */
const checkSubstring = (call: Call, binding: Binding): void => {
  for (const node of call.args.slice(1)) {
    if (node.kind !== 'number') continue;
    if (!isInteger(node.value) || node.value.digits < 0n) {
      throw binding.failures.type(node.start, `substring counts in whole numbers from 0, found ${node.text}`);
    }
  }
};

const datePart = (part: DatePart, day: DateNode): Operand => {
  const node: NumberNode =
    day.kind === 'date'
      ? { kind: 'number', value: exactOf(datePartOf(part, day.value)) }
      : { kind: part, operand: day };
  return { type: 'number', node };
};

/** Most functions startof… in one another: SQL for days outside 1900 to 2299 writes its operand several times. */
const maxPeriodStarts = 8;

const periodStartsIn = (day: DateNode): number => ('operand' in day ? 1 + periodStartsIn(day.operand) : 0);

const periodStart = (start: PeriodStart, day: DateNode, call: Call, { failures }: Binding): Operand => {
  if (day.kind === 'date')
    return { type: 'date', node: { kind: 'date', value: periodStartOf(start, day.value) } };
  if (periodStartsIn(day) === maxPeriodStarts)
    throw failures.limit(call.start, `more than ${maxPeriodStarts} functions startof… in one another`);
  return { type: 'date', node: { kind: start, operand: day } };
};

interface Nodes {
  readonly text: TextNode;
  readonly number: NumberNode;
  readonly date: DateNode;
}

const argument = <Type extends keyof Nodes>(operand: Operand | undefined, type: Type): Nodes[Type] => {
  if (operand?.type !== type) throw new RangeError('an argument has the type of the signature');
  return operand.node as Nodes[Type];
};

/** A call with a null argument is null. */
export const bindCall = (call: Call, binding: Binding): Operand => {
  const args = call.args.map((node, index) => bindArgument(call.name, node, index, binding));
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
        node: { kind: call.name, left: argument(first, 'text'), right: argument(second, 'text') },
      };
    case 'tolower':
    case 'toupper':
    case 'trim':
      return { type: 'text', node: { kind: call.name, operand: argument(first, 'text') } };
    case 'concat':
      return {
        type: 'text',
        node: { kind: 'concat', left: argument(first, 'text'), right: argument(second, 'text') },
      };
    case 'substring': {
      const length = third === undefined ? undefined : argument(third, 'number');
      const from = argument(second, 'number');
      return { type: 'text', node: { kind: 'substring', operand: argument(first, 'text'), from, length } };
    }
    case 'length':
      return { type: 'number', node: { kind: 'length', operand: argument(first, 'text') } };
    case 'indexof':
      return {
        type: 'number',
        node: { kind: 'indexof', left: argument(first, 'text'), right: argument(second, 'text') },
      };
    case 'year':
    case 'quarter':
    case 'month':
    case 'week':
    case 'day':
      return datePart(call.name, argument(first, 'date'));
    case 'startofyear':
    case 'startofquarter':
    case 'startofmonth':
    case 'startofweek':
      return periodStart(call.name, argument(first, 'date'), call, binding);
    case 'round':
    case 'floor':
    case 'ceiling':
      return { type: 'number', node: { kind: call.name, operand: argument(first, 'number') } };
    default:
      return call.name satisfies never;
  }
};
