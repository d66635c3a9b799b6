import { invalid } from './errors.js';

export interface JsonBounds {
  /** Maximum depth of nested arrays and objects. */
  readonly maxDepth: number;
  /** Maximum number of values, nested ones included. */
  readonly maxElements: number;
  /** Name of the text in messages. @default The body */
  readonly name?: string;
}

/** Checks the bytes of a JSON text as they arrive, before it is parsed. Stores none of them. */
interface JsonGuard {
  /** @throws AppError 400 for bytes that are not UTF-8, and for a text that is nested too deeply or has too many values. */
  push(chunk: Buffer): void;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The parser checks whether the text is JSON; for any other text these counts are not exact. */
export const createJsonGuard = ({ maxDepth, maxElements, name = 'The body' }: JsonBounds): JsonGuard => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let depth = 0;
  let elements = 0;
  let inString = false;
  let escaped = false;

  /** A character that is incomplete at the end of the text is in a string without its closing quote. */
  const decode = (chunk: Buffer): void => {
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      throw invalid('invalid_encoding', `${name} is not valid UTF-8.`);
    }
  };

  const structure = (byte: number): void => {
    if (byte === openBracket || byte === openBrace) {
      depth += 1;
      elements += 1;
    } else if (byte === comma) elements += 1;
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > maxDepth)
      throw invalid('too_deep', `${name} is nested more than ${maxDepth} levels deep.`, { limit: maxDepth });
    if (elements > maxElements)
      throw invalid('too_many_elements', `${name} has more than ${maxElements} values.`, {
        limit: maxElements,
      });
  };

  return {
    push(chunk) {
      decode(chunk);
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] ?? 0;
        if (escaped) escaped = false;
        else if (byte === quote) inString = !inString;
        else if (!inString) structure(byte);
        else if (byte === backslash) escaped = true;
      }
    },
  };
};
