/**
 * `$search` of OData: words and "phrases" with `AND` (the default), `OR`, `NOT` and parentheses. A row matches a term if
 * one of its text columns contains it, ignoring case. Compiled to the conditions of `$filter`.
 */
import { compileCondition, createEmitter } from './compiler.js';
import { createFailures, type Failures, requireWellFormed, type TextOwner } from './failure.js';
import type { CompiledFilter, FilterColumn } from './filter.js';
import { normalForm } from './normal-form.js';
import { createParameters } from './parameters.js';
import type { Condition } from './typed.js';

const searchText: TextOwner = {
  option: '$search',
  noun: 'search',
  codes: {
    syntax: 'search_syntax',
    type: 'search_syntax',
    unsupported: 'search_syntax',
    limit: 'too_complex',
  },
};

/** In characters. Also limits nesting and the number of terms. */
const maxLength = 1_000;

/** Most tests per row: terms times text columns. Also limits the length of the SQL. */
const maxTests = 20_000;

interface Token {
  readonly kind: 'term' | 'AND' | 'OR' | 'NOT' | '(' | ')';
  readonly value: string;
  readonly start: number;
}

/** A phrase, a parenthesis, or a word. Phrases escape quotes and backslashes with a backslash. */
const tokenPattern = /"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)/gsu;

const operators: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT']);

const isOperator = (word: string): word is 'AND' | 'OR' | 'NOT' => operators.has(word);

const tokensOf = (text: string, failures: Failures): Token[] => {
  const tokens: Token[] = [];
  let end = 0;
  const requireBlank = (until: number): void => {
    const gap = text.slice(end, until).search(/\S/u);
    if (gap >= 0) throw failures.type(end + gap, 'this double quote is never closed');
  };
  for (const match of text.matchAll(tokenPattern)) {
    const [whole, phrase, bracket, word = ''] = match;
    const start = match.index;
    requireBlank(start);
    end = start + whole.length;
    if (phrase === '') throw failures.syntax(start, 'a text between the quotes');
    if (phrase !== undefined)
      tokens.push({ kind: 'term', value: phrase.replaceAll(/\\(.)/gsu, '$1'), start });
    else if (bracket === '(' || bracket === ')') tokens.push({ kind: bracket, value: bracket, start });
    else tokens.push({ kind: isOperator(word) ? word : 'term', value: word, start });
  }
  requireBlank(text.length);
  return tokens;
};

/** Precedence of OData, highest first: `NOT`, `AND`, `OR`. */
const parse = (text: string, failures: Failures, termOf: (text: string) => Condition): Condition => {
  const tokens = tokensOf(text, failures);
  let at = 0;
  const fail = (expected: string) => failures.syntax(tokens[at]?.start ?? text.length, expected);
  const accept = (kind: Token['kind']): boolean => {
    if (tokens[at]?.kind !== kind) return false;
    at += 1;
    return true;
  };

  const readTerm = (): Condition => {
    if (accept('NOT')) return { kind: 'not', operand: readTerm() };
    if (accept('(')) {
      const inner = readOr();
      if (!accept(')')) throw fail("')', AND or OR");
      return inner;
    }
    const token = tokens[at];
    if (token?.kind !== 'term') throw fail('a word or a "phrase"');
    at += 1;
    return termOf(token.value);
  };
  const joined = (kind: 'and' | 'or', items: readonly Condition[]): Condition =>
    items.length === 1 ? items[0]! : { kind, items };
  const readAnd = (): Condition => {
    const items = [readTerm()];
    while (at < tokens.length && tokens[at]?.kind !== 'OR' && tokens[at]?.kind !== ')') {
      accept('AND');
      items.push(readTerm());
    }
    return joined('and', items);
  };
  const readOr = (): Condition => {
    const items = [readAnd()];
    while (accept('OR')) items.push(readAnd());
    return joined('or', items);
  };

  const condition = readOr();
  if (at < tokens.length) throw fail('the end of the search');
  return condition;
};

/** A null contains nothing, so `NOT` matches its row. */
const columnContains = (column: FilterColumn, value: string): Condition => ({
  kind: 'and',
  items: [
    { kind: 'not', operand: { kind: 'isNull', operand: { type: 'text', node: { kind: 'column', column } } } },
    {
      kind: 'contains',
      left: { kind: 'tolower', operand: { kind: 'column', column } },
      right: { kind: 'tolower', operand: { kind: 'text', value } },
    },
  ],
});

/** Most columns that get one condition each, which is faster for dictionary-encoded columns. */
const maxConditions = 64;

const anyContains = (columns: readonly FilterColumn[], value: string): Condition => {
  if (columns.length === 0) return { kind: 'constant', value: false };
  const each: Condition = { kind: 'or', items: columns.map((column) => columnContains(column, value)) };
  return columns.length > maxConditions ? { kind: 'anyContains', columns, value, each } : each;
};

/** @throws AppError `invalid` with the position of the mistake. */
export const compileSearch = (text: string, columns: readonly FilterColumn[]): CompiledFilter => {
  const failures = createFailures(text, searchText);
  if (text.length > maxLength) throw failures.limit(0, `the search is longer than ${maxLength} characters`);
  requireWellFormed(text, failures);
  const texts = columns.filter(({ dataType }) => dataType === 'String');
  let tests = 0;
  const condition = parse(text, failures, (value) => {
    tests += texts.length;
    if (tests > maxTests)
      throw failures.limit(
        0,
        `more than ${maxTests} tests of each row: the terms times the ${texts.length} text columns`,
      );
    return anyContains(texts, value);
  });
  const parameters = createParameters('s');
  const sql = compileCondition(condition, createEmitter(parameters));
  return { sql, params: parameters.values(), normalized: normalForm(condition) };
};
