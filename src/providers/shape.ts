import { z } from 'zod';
import { parseDay } from './dates.js';
import { unexpectedReply } from './errors.js';
import type { Named } from './provider.js';

/** A value from `parseExactJson`: a number, the digits of one that JavaScript would alter, a text, or null. */
export const written = z.union([z.string(), z.number(), z.null()]);

/** A text without spaces at its ends. */
export const trimmed = z.string().transform((text) => text.trim());

/** A text without spaces at its ends; undefined if nothing is left. */
export const filled = (text: string | null | undefined): string | undefined => text?.trim() || undefined;

/** A text in which spaces and line ends are collapsed to single spaces. */
export const words = z.string().transform((text) => text.replace(/\s+/g, ' ').trim());

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A count as number or text (World Bank, EIA). */
export const count = z.union([z.number().int().nonnegative(), z.string().regex(/^\d+$/).transform(Number)]);

/** A list that may be missing or null, which means empty. */
export const listOf = <S extends z.ZodType>(entry: S) =>
  z
    .array(entry)
    .nullish()
    .transform((list) => list ?? []);

export const day = z.string().refine((text) => parseDay(text) !== undefined, 'not a day');

/** Nested schemas are recursive: too many levels exceed the stack. */
const parseNested = <S extends z.ZodType>(provider: Named, schema: S, payload: unknown) => {
  try {
    return schema.safeParse(payload);
  } catch (error) {
    if (error instanceof RangeError) throw unexpectedReply(provider, 'it is nested too deeply', error);
    throw error;
  }
};

/**
 * Parses the payload in its expected format. Throws `unexpectedReply` with the position that differs, so that a changed upstream is
 * detected and never misread.
 */
export const readShape = <S extends z.ZodType>(provider: Named, schema: S, payload: unknown): z.output<S> => {
  const result = parseNested(provider, schema, payload);
  if (result.success) return result.data;
  const place = result.error.issues[0]?.path.map(String).join('.') ?? '';
  throw unexpectedReply(
    provider,
    place === '' ? 'not the form it should have' : `'${place}' is not as expected`,
  );
};

/** Returns the value if it was parsed; otherwise throws `unexpectedReply` that names it. */
export const requireValue = <T>(provider: Named, what: string, value: T | undefined): T => {
  if (value === undefined) throw unexpectedReply(provider, `${what} is not as expected`);
  return value;
};
