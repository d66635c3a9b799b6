/**
 * `$apply`: text → steps, by OData Data Aggregation 4.0. The parser of `$filter` reads the expressions.
 *
 * The set of column names changes with each step: `groupby` keeps only its keys and aggregates, `compute` adds columns.
 * Unknown names are collected and reported in one error.
 */
import { runAtOnce } from '../../lib/time-slicing.js';
import { excerpt, type Failures } from '../filter/failure.js';
import type { FilterLimits } from '../filter/limits.js';
import { createNameIndex, type NameIndex, type UnknownName, unknownColumns } from '../filter/names.js';
import { type ParsedExpression, parseExpression } from '../filter/parser.js';
import { readingsOf } from '../filter/readings.js';
import { createScanner, type Scanner } from './scanner.js';
import {
  type AggregateItem,
  applyLimits,
  type MethodName,
  methodNames,
  type NamedExpression,
  type OrderItem,
  type Step,
} from './syntax.js';

interface PipelineInput {
  readonly text: string;
  /** Names of the dataset's columns. */
  readonly names: readonly string[];
  readonly failures: Failures;
  readonly limits: FilterLimits;
}

const { maxSteps, maxItems } = applyLimits;

/** Transformations of the standard that are not supported. */
const unsupported =
  /^(?:concat|expand|search|topcount|topsum|toppercent|bottomcount|bottomsum|bottompercent|addnested|nest|join|outerjoin|ancestors|descendants|traverse)$/i;

const stepNames = 'filter, compute, groupby, aggregate, orderby, top, skip or identity';

/** The standard requires a namespace for methods that it does not define; here it is optional. */
const methodAt = /(?:tabulary\.)?[A-Za-z]+(?:\.[A-Za-z]+)*/y;

const isMethodName = (word: string): word is MethodName => (methodNames as readonly string[]).includes(word);

interface Context {
  readonly text: string;
  readonly failures: Failures;
  readonly limits: FilterLimits;
  readonly scan: Scanner;
  /** Column names before the current step. */
  names: NameIndex;
  readonly known: Set<string>;
  readonly unknown: UnknownName[];
  items: number;
}

const expression = (context: Context, stops: readonly string[]): ParsedExpression => {
  const { text, failures, limits, names, scan } = context;
  const parsed = runAtOnce(parseExpression({ text, names, failures, limits, start: scan.at(), stops }));
  context.unknown.push(...parsed.unknown);
  // A literal alone that is spelled like a column (2020) is the column.
  const [root = parsed.root] = readingsOf(parsed.root, true);
  return { ...parsed, root };
};

const countItem = (context: Context, start: number): void => {
  context.items += 1;
  if (context.items > maxItems)
    throw context.failures.limit(start, `more than ${maxItems} keys, aggregates and computed columns`);
};

/** Reads `item, item, …)`; the opening bracket is already read. */
const list = <T>(context: Context, item: () => T): T[] => {
  const items: T[] = [];
  for (;;) {
    countItem(context, context.scan.at());
    items.push(item());
    if (context.scan.accept(')')) return items;
    context.scan.expect(',', "',' or ')'");
  }
};

const namesOf = (items: readonly { readonly name: string }[]): string[] => items.map(({ name }) => name);

const rename = (context: Context, names: readonly string[]): void => {
  for (const name of names) context.known.add(name);
  context.names = createNameIndex(names);
};

const requireNewNames = (
  { failures }: Context,
  taken: readonly string[],
  items: readonly { readonly name: string; readonly start: number }[],
): void => {
  const names = new Set(taken);
  for (const { name, start } of items) {
    if (names.has(name))
      throw failures.type(
        start,
        `there is a column ${excerpt(name)} already; choose another name behind 'as'`,
      );
    names.add(name);
  }
};

/** Moves the scanner to the end of an expression. */
const resume = (context: Context, { next }: ParsedExpression): void => context.scan.move(next.start);

const namedExpression = (context: Context): NamedExpression => {
  const parsed = expression(context, ['as']);
  const { root, next } = parsed;
  if (next.kind !== 'stop') throw context.failures.syntax(next.start, "'as' and a name for the result");
  context.scan.move(next.end);
  const { name } = context.scan.name();
  return { node: root, name, start: root.start };
};

const groupKey = (context: Context): NamedExpression => {
  const { scan, failures, text } = context;
  const start = scan.skipSpace();
  if (/^rollup(?:recursive)?\s*\(/i.test(text.slice(start, start + 20)))
    throw failures.unsupported(start, 'rollup is', 'ask for each level on its own');
  const parsed = expression(context, ['as']);
  const { root, next } = parsed;
  if (next.kind === 'stop') {
    scan.move(next.end);
    return { node: root, name: scan.name().name, start };
  }
  resume(context, parsed);
  // A key without `as` is named by its text: year(Date).
  const name = root.kind === 'column' ? root.name : text.slice(start, next.start).trim();
  return { node: root, name, start };
};

const quantileLevel = ({ scan, failures }: Context): number => {
  scan.expect('(', "'(' and a level from 0 to 1");
  const start = scan.skipSpace();
  const text = scan.match(/\d+(?:\.\d+)?/y);
  const level = Number(text ?? Number.NaN);
  if (!(level >= 0 && level <= 1)) throw failures.syntax(start, 'a level from 0 to 1, such as 0.9');
  scan.expect(')', "')'");
  return level;
};

const method = (context: Context): { method: MethodName; level: number | undefined } => {
  const { scan, failures } = context;
  const start = scan.skipSpace();
  const word = scan.match(methodAt) ?? '';
  const name = word.toLowerCase().replace(/^tabulary\./, '');
  if (name === 'count') throw failures.syntax(start, "'$count as Name' without 'with'", `'${word}'`);
  if (!isMethodName(name))
    throw failures.syntax(
      start,
      `a method (${methodNames.join(', ')})`,
      word === '' ? undefined : `'${excerpt(word)}'`,
    );
  return { method: name, level: name === 'quantile' ? quantileLevel(context) : undefined };
};

const alias = (context: Context): string => {
  const { scan, failures } = context;
  const start = scan.skipSpace();
  if (scan.acceptWord('from')) throw failures.unsupported(start, "'from' is", 'use two groupby steps');
  if (!scan.acceptWord('as')) throw failures.syntax(start, "'as' and a name for the result");
  return scan.name().name;
};

const aggregateItem = (context: Context): AggregateItem => {
  const { scan, failures } = context;
  const start = scan.skipSpace();
  if (scan.match(/\$count(?![\w$])/y) !== undefined) return { kind: 'count', name: alias(context), start };
  const { root, next } = expression(context, ['with', 'as', 'from']);
  if (next.kind !== 'stop' || next.word !== 'with')
    throw failures.syntax(next.start, "'with' and a method, such as 'with sum'");
  scan.move(next.end);
  const called = method(context);
  return { kind: 'method', ...called, operand: root, name: alias(context), start };
};

const aggregates = (context: Context, keys: readonly NamedExpression[]): AggregateItem[] => {
  const items = list(context, () => aggregateItem(context));
  requireNewNames(context, namesOf(keys), items);
  return items;
};

const groupBy = (context: Context): Step => {
  const { scan, failures } = context;
  scan.expect('(', "'(' and the columns to group by");
  const keys = list(context, () => groupKey(context));
  requireNewNames(context, [], keys);
  let items: AggregateItem[] = [];
  if (scan.accept(',')) {
    const start = scan.skipSpace();
    const word = scan.match(/[A-Za-z]+/y)?.toLowerCase();
    if (word === undefined) throw failures.syntax(start, "'aggregate(' and what to calculate");
    if (word !== 'aggregate')
      throw failures.unsupported(start, `'${excerpt(word)}' inside of groupby is`, 'only aggregate(…) is');
    scan.expect('(', "'('");
    items = aggregates(context, keys);
    if (scan.accept('/'))
      throw failures.unsupported(scan.at() - 1, 'several steps inside of groupby are', 'put them behind it');
  }
  scan.expect(')', "')'");
  rename(context, namesOf([...keys, ...items]));
  return { kind: 'group', keys, items };
};

const orderItem = (context: Context): OrderItem => {
  const parsed = expression(context, ['asc', 'desc']);
  const { root, next } = parsed;
  if (next.kind !== 'stop') resume(context, parsed);
  else context.scan.move(next.end);
  return { node: root, descending: next.kind === 'stop' && next.word === 'desc' };
};

const rowCount = ({ scan, failures }: Context): number => {
  const start = scan.skipSpace();
  const text = scan.match(/\d{1,15}(?!\d)/y);
  if (text === undefined) throw failures.syntax(start, 'a whole number from 0');
  scan.expect(')', "')'");
  return Number(text);
};

const filterStep = (context: Context): Step => {
  const parsed = expression(context, []);
  resume(context, parsed);
  context.scan.expect(')', "an operator or ')'");
  return { kind: 'filter', condition: parsed.root };
};

const step = (context: Context): Step | undefined => {
  const { scan, failures } = context;
  const start = scan.skipSpace();
  const word = scan.match(/[A-Za-z]+/y) ?? '';
  const name = word.toLowerCase();
  if (name === 'identity') return undefined;
  if (unsupported.test(name))
    throw failures.unsupported(start, `the transformation ${word} is`, `there are ${stepNames}`);
  if (!/^(?:filter|compute|groupby|aggregate|orderby|top|skip)$/.test(name))
    throw failures.syntax(start, stepNames, word === '' ? undefined : `'${excerpt(word)}'`);
  scan.expect('(', `'(' after ${word}`);
  switch (name) {
    case 'filter':
      return filterStep(context);
    case 'compute': {
      const items = list(context, () => namedExpression(context));
      requireNewNames(context, context.names.names, items);
      rename(context, [...context.names.names, ...namesOf(items)]);
      return { kind: 'compute', items };
    }
    case 'groupby':
      return groupBy(context);
    case 'aggregate': {
      const items = aggregates(context, []);
      rename(context, namesOf(items));
      return { kind: 'group', keys: undefined, items };
    }
    case 'orderby':
      return { kind: 'orderby', items: list(context, () => orderItem(context)) };
    default:
      return { kind: name === 'top' ? 'top' : 'skip', count: rowCount(context) };
  }
};

/** @throws AppError `invalid` with the position of the mistake. */
export const parsePipeline = ({ text, names, failures, limits }: PipelineInput): Step[] => {
  const context: Context = {
    text,
    failures,
    limits,
    scan: createScanner(text, failures),
    names: createNameIndex(names),
    known: new Set(names),
    unknown: [],
    items: 0,
  };
  const steps: Step[] = [];
  for (let read = 1; ; read += 1) {
    if (read > maxSteps) throw failures.limit(context.scan.at(), `more than ${maxSteps} steps`);
    const parsed = step(context);
    if (parsed !== undefined) steps.push(parsed);
    const end = context.scan.skipSpace();
    if (end >= text.length) break;
    context.scan.expect('/', "'/' and another step, or the end");
  }
  if (context.unknown.length > 0)
    throw unknownColumns(text, context.unknown, [...context.known], failures.owner.option);
  return steps;
};
