/**
 * Splits the text into tokens, one at a time. The meaning of a word depends on its position (`Speed in knots` may be a
 * name, `in` may be an operator), so the parser asks either for an operand or for the token that follows one.
 *
 * For an operand the longest match wins: a known column name against a literal, keyword or function. A literal that is
 * spelled exactly like a column keeps both readings; the binder, which knows its neighbours, chooses.
 */
import { maxColumnNameBytes } from '../../model/column.js';
import { quotedEnd } from '../quoted-end.js';
import { bareDate, firstDayOf } from './date-literal.js';
import type { Failures } from './failure.js';
import type { NameIndex } from './names.js';
import { maxLiteralDigits, parseExact } from './number-literal.js';
import { isSpaceAt } from './space.js';
import { createSteps } from './steps.js';
import { isFunctionName, type LiteralNode } from './syntax.js';
import type { FollowingToken, LiteralToken, OperandToken } from './tokens.js';
import { diagnoseOperand } from './unsupported.js';
import { matchAt, operatorWordAt, stopWordAt, wordAt } from './words.js';

const numberAt = /[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Longest unknown name that is read. No column name is as long. */
const longestUnknown = 2 * maxColumnNameBytes;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type LiteralValue = DistributiveOmit<LiteralNode, 'start' | 'height'>;

export interface Lexer {
  operand(offset: number): OperandToken;
  /** The next value of a list, or undefined if the next token is not a value. */
  literal(offset: number): LiteralToken | undefined;
  following(offset: number): FollowingToken;
  skipSpace(offset: number): number;
}

/** Fast path for lists: a text without quotes in it, or a number, followed by `,` or `)`. */
const listedAt = /(?:'([^']*)'|([+-]?\d{1,30}(?:\.\d{1,30})?))(?=\s{0,9}[,)])/y;

// Cost of a token in steps of `maxWork`. The operands that fit into the default take some 50 ms to read, bind and compile.
const stepsPerOperand = 100;
const stepsPerListed = 10;
/** `not`, `(` and a minus sign cost nothing after the lexer. */
const stepsPerPrefix = 10;

const operandExpected = "a column, a value, a function, 'not' or '('";

/** @param stops words that end an expression, in lower case */
export const createLexer = (
  text: string,
  names: NameIndex,
  failures: Failures,
  maxWork: number,
  stops: readonly string[] = [],
): Lexer => {
  const ending = `none before the end of the ${failures.owner.noun}`;

  const spend = createSteps(maxWork, failures.tooComplex);

  const skipSpace = (offset: number): number => {
    let at = offset;
    while (isSpaceAt(text, at)) at += 1;
    return at;
  };

  /** Only a space, `)`, `,` or the end may follow a literal: `5abc` and `'a'b` are mistakes, not two tokens. */
  const checkLiteralEnd = (start: number, end: number): void => {
    if (end >= text.length || /[\s),]/.test(text[end] ?? '')) return;
    throw (
      diagnoseOperand(text, start, failures) ?? failures.syntax(end, "a space, ',' or ')' after the value")
    );
  };

  const literal = (start: number, end: number, value: LiteralValue): LiteralToken => ({
    kind: 'literal',
    node: { ...value, start, height: 1 },
    end,
  });

  const named = (token: LiteralToken, name: string): LiteralToken => ({
    ...token,
    node: { ...token.node, name },
  });

  const string = (start: number): LiteralToken => {
    const quote = quotedEnd(text, start, "'");
    if (quote < 0) throw failures.syntax(start, "a closing quote (') for this text", ending);
    checkLiteralEnd(start, quote + 1);
    const value = text.slice(start + 1, quote).replaceAll("''", "'");
    const token = literal(start, quote + 1, { kind: 'string', value });
    const written = names.hasQuoted ? text.slice(start, quote + 1) : '';
    return names.has(written) ? named(token, written) : token;
  };

  const bracketed = (start: number): OperandToken => {
    const bracket = quotedEnd(text, start, ']');
    if (bracket < 0) throw failures.syntax(start, "a closing bracket (']') for this column name", ending);
    const written = text.slice(start, bracket + 1);
    const inner = written.slice(1, -1).replaceAll(']]', ']');
    // The brackets may be part of the column name.
    const name = !names.has(inner) && names.has(written) ? written : inner;
    const known = names.has(name);
    if (!known && /^\s*["[{]/.test(name))
      throw failures.unsupported(start, 'collections (JSON arrays) are', "write lists as in ('a', 'b')");
    return { kind: 'column', name, known, start, end: bracket + 1 };
  };

  /** Keyword, function, number or date at the offset. Does not check what follows a literal. */
  const plain = (start: number): OperandToken | undefined => {
    const first = text.charCodeAt(start);
    // The first character decides: a number never begins with a letter, nor a word with a digit.
    return first <= 0x39 ? numeric(start) : keyword(start);
  };

  const numeric = (start: number): OperandToken | undefined => {
    const date = matchAt(bareDate, text, start);
    if (date !== undefined) {
      const value = firstDayOf(date);
      if (value === undefined) return undefined;
      return literal(start, start + date.length, { kind: 'date', value, text: date });
    }
    const number = matchAt(numberAt, text, start);
    if (number === undefined) return undefined;
    if (number.length > maxLiteralDigits)
      throw failures.limit(start, `a number of more than ${maxLiteralDigits} characters`);
    const value = parseExact(number);
    return value && literal(start, start + number.length, { kind: 'number', value, text: number });
  };

  const keyword = (start: number): OperandToken | undefined => {
    const word = wordAt(text, start);
    if (word === undefined) return undefined;
    const end = start + word.length;
    const lower = word.toLowerCase();
    const open = skipSpace(end);
    if (text[open] === '(' && isFunctionName(lower))
      return { kind: 'function', name: lower, start, end: open + 1 };
    const whole = end >= text.length || /[\s),([]/.test(text[end] ?? '');
    if (!whole) return undefined;
    if (lower === 'not') return { kind: 'not', start, end };
    // As in the ABNF: true and false in any case, null in lower case only.
    if (lower === 'true' || lower === 'false')
      return literal(start, end, { kind: 'boolean', value: lower === 'true' });
    return word === 'null' ? literal(start, end, { kind: 'null' }) : undefined;
  };

  const stopAt = (offset: number): string | undefined => stopWordAt(text, offset, stops);

  const endsUnknown = (offset: number): boolean =>
    operatorWordAt(text, offset) !== undefined ||
    stopAt(offset) !== undefined ||
    /^has\s/i.test(text.slice(offset, offset + 4));

  /** An unknown name ends before the next operator, parenthesis, comma or quote. */
  const unknown = (start: number): OperandToken => {
    if (text[start] === '"')
      throw failures.syntax(start, "a text in single quotes ('…') or a column name in brackets ([…])");
    let end = start;
    while (end < text.length && end - start < longestUnknown && !/[(),']/.test(text[end] ?? '')) {
      const next = skipSpace(end);
      if (next > end && endsUnknown(next)) break;
      end = next > end ? next : end + 1;
    }
    const name = text.slice(start, end).trimEnd();
    if (name === '' || operatorWordAt(text, start) !== undefined)
      throw failures.syntax(start, operandExpected);
    if (text[end] === '(' && /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name)) {
      throw failures.syntax(start, 'a function that exists', `the unknown function '${name}'`);
    }
    return { kind: 'column', name, known: false, start, end: start + name.length };
  };

  const badDate = (start: number): void => {
    const date = matchAt(bareDate, text, start);
    if (date !== undefined && firstDayOf(date) === undefined) {
      throw failures.syntax(start, 'a day of the calendar', `'${date}', which is none`);
    }
  };

  /** True if an operand may end here. Distinguishes a column named `not` from the operator. */
  const endsOperand = (offset: number): boolean => {
    const at = skipSpace(offset);
    const next = text[at];
    if (next === undefined || next === ')' || next === ',') return true;
    const operator = operatorWordAt(text, at);
    if (operator === undefined) return false;
    return operator.word !== 'in' || text[skipSpace(at + operator.length)] === '(';
  };

  /** Resolves a column name that is as long as the other reading of the same text. */
  const eitherReading = (reading: OperandToken, name: string, start: number): OperandToken => {
    if (reading.kind === 'literal') return named(reading, name);
    const isColumn = reading.kind === 'not' && endsOperand(reading.end);
    return isColumn ? { kind: 'column', name, known: true, start, end: reading.end } : reading;
  };

  const operand = (offset: number): OperandToken => {
    const token = operandAt(offset);
    const isPrefix = token.kind === 'not' || token.kind === 'open' || token.kind === 'minus';
    spend(isPrefix ? stepsPerPrefix : stepsPerOperand);
    return token;
  };

  const operandAt = (offset: number): OperandToken => {
    const start = skipSpace(offset);
    const first = text[start];
    if (first === "'") return string(start);
    if (first === '[') return bracketed(start);
    const reading = plain(start);
    const name = names.longestAt(text, start, spend);
    if (name !== undefined && start + name.length > (reading?.end ?? start)) {
      return { kind: 'column', name, known: true, start, end: start + name.length };
    }
    if (reading && start + (name?.length ?? 0) === reading.end)
      return eitherReading(reading, name ?? '', start);
    if (reading) {
      if (reading.kind === 'literal') checkLiteralEnd(start, reading.end);
      return reading;
    }
    if (first === '(') return { kind: 'open', start, end: start + 1 };
    badDate(start);
    if (/^[+-]?\.\d/.test(text.slice(start, start + 3))) {
      throw failures.syntax(start, 'a digit before the decimal point');
    }
    const refused = diagnoseOperand(text, start, failures);
    if (refused) throw refused;
    if (first === '-') return { kind: 'minus', start, end: start + 1 };
    return unknown(start);
  };

  const plainLiteralAt = (start: number): LiteralToken | undefined => {
    listedAt.lastIndex = start;
    const [whole, string, number] = listedAt.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const end = start + whole.length;
    if (string !== undefined)
      return names.hasQuoted ? undefined : literal(start, end, { kind: 'string', value: string });
    const value = parseExact(number ?? '');
    return value && number ? literal(start, end, { kind: 'number', value, text: number }) : undefined;
  };

  const literalAt = (offset: number): LiteralToken | undefined => {
    spend(stepsPerListed);
    const start = skipSpace(offset);
    const quick = plainLiteralAt(start);
    if (quick !== undefined) return quick;
    const reading = text[start] === "'" ? string(start) : plain(start);
    if (reading?.kind !== 'literal') return undefined;
    checkLiteralEnd(start, reading.end);
    return reading;
  };

  const following = (offset: number): FollowingToken => {
    const start = skipSpace(offset);
    const next = text[start];
    if (next === undefined) return { kind: 'end', start, end: start };
    if (next === ')') return { kind: 'close', start, end: start + 1 };
    if (next === ',') return { kind: 'comma', start, end: start + 1 };
    const operator = operatorWordAt(text, start);
    const separated = start > offset || /[)\]]/.test(text[start - 1] ?? '');
    if (operator && separated)
      return { kind: 'operator', word: operator.word, start, end: start + operator.length };
    const stop = separated ? stopAt(start) : undefined;
    if (stop !== undefined) {
      return { kind: 'stop', word: stop.toLowerCase(), start, end: start + stop.length };
    }
    if (/^has\s/i.test(text.slice(start, start + 4)))
      throw failures.unsupported(start, "the operator 'has' is");
    if (next === '/') throw failures.unsupported(start, 'navigation paths are');
    throw failures.syntax(start, "an operator (eq, ne, gt, ge, lt, le, and, or, in, add, …), ')' or the end");
  };

  return { operand, literal: literalAt, following, skipSpace };
};
