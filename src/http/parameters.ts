import { z } from 'zod';
import { parseFlag } from '../lib/flag.js';
import { instantForm, instantPattern, parseInstant } from '../lib/instant.js';

/** Replaces the generated JSON Schema of a parameter by a documented one. */
const documented = <T extends z.ZodType>(
  schema: T,
  openapi: Record<string, unknown>,
  description: string,
): T => schema.meta({ openapi: { ...openapi, description } });

/** Represents every id that is out of range; no real id has this value. */
const beyondIds = Number.MAX_SAFE_INTEGER;
const idBeyond = new RegExp(`-?${beyondIds}`, 'g');

const idText = z
  .string()
  .regex(/^(0|[1-9]\d*)$/, 'must be a whole number')
  .max(40, 'is too long for an id')
  .transform((text) => Math.min(Number(text), beyondIds));

const idSchema = (description: string) =>
  documented(idText, { type: 'integer', minimum: 0, example: 12 }, description);

/** An id in a path. Malformed text is a 400; a whole number that is out of range is an unknown id, a 404. */
export const pathId = idSchema;

/** An id in a query, parsed like one in a path. */
export const queryId = idSchema;

/** An id in a JSON body: any whole number; one that is out of range is an unknown id. */
export const bodyId = (description: string) =>
  documented(
    z
      .number()
      .refine(Number.isInteger, 'must be an integer')
      .transform((id) => Math.max(-beyondIds, Math.min(id, beyondIds))),
    { type: 'integer', example: 7 },
    description,
  );

/** Strings and numbers of a JSON text; only numbers are in the capturing group. */
const jsonTokens = /"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/g;

const isBeyondIds = (text: string): boolean => Math.abs(Number(text)) > beyondIds;

/**
 * Lets a message quote an id that is out of range as it was sent: in the path, the query, or a JSON body.
 * @param body Text of the body; undefined: none.
 */
export const quoteSentId = (
  message: string,
  params: Readonly<Record<string, string>>,
  body?: string,
): string => {
  if (!message.includes(String(beyondIds))) return message;
  const inPath = Object.values(params).filter((text) => /^\d+$/.test(text));
  const inBody = Array.from((body ?? '').matchAll(jsonTokens), ([, text = '']) => text);
  const sent = [...inPath, ...inBody].find(isBeyondIds);
  return sent === undefined ? message : message.replaceAll(idBeyond, sent);
};

export const queryInteger = (description: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) =>
  documented(
    z
      .string()
      .regex(/^-?\d+$/, 'must be a whole number')
      .transform(Number)
      .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)),
    { type: 'integer', minimum: min, ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }) },
    description,
  );

export const queryFlag = (description: string) =>
  documented(
    z.string().transform((text, context) => {
      const flag = parseFlag(text);
      if (flag !== undefined) return flag;
      context.addIssue({ code: 'custom', message: 'must be true or false' });
      return z.NEVER;
    }),
    { type: 'boolean' },
    description,
  );

/** One of a fixed set of words, in any case. */
export const queryChoice = <const T extends string>(description: string, choices: readonly T[]) =>
  documented(
    z.string().transform((text, context): T => {
      const choice = choices.find((item) => item === text.toLowerCase());
      if (choice !== undefined) return choice;
      context.addIssue({ code: 'custom', message: `must be one of ${choices.join(', ')}` });
      return z.NEVER;
    }),
    { type: 'string', enum: choices },
    description,
  );

export const queryText = (description: string, { maxLength = 1000 } = {}) =>
  documented(
    z.string().max(maxLength, `must have at most ${maxLength} characters`),
    { type: 'string', maxLength, pattern: withoutNul },
    description,
  );

/** No parameter may contain NUL. */
const withoutNul = '^[^\\u0000]*$';

const instantText = z.string().transform((text, context) => {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  context.addIssue({ code: 'custom', message: instantForm });
  return z.NEVER;
});

/** A point in time in a query or a body. A day means its first moment. */
export const timeParameter = (description: string) =>
  documented(
    instantText.transform(({ start }) => start),
    { type: 'string', pattern: instantPattern.source, example: '2026-01-31T00:00:00' },
    `${description} A day (its start) or a time; UTC unless it has a zone.`,
  );

/** A point in time at which a version was current. */
export const queryInstant = (description: string) =>
  documented(
    instantText,
    { type: 'string', pattern: instantPattern.source, example: '2099-12-31' },
    `${description} A day (its end) or a time; UTC unless it has a zone.`,
  );

/** A version in a path: its id, or a point in time at which it was current. */
export const pathVersion = (description: string) =>
  documented(
    z.string().transform((text, context) => {
      const instant = parseInstant(text);
      if (instant !== undefined) return instant;
      const id = idSchema(description).safeParse(text);
      if (id.success) return id.data;
      context.addIssue({
        code: 'custom',
        message: 'must be the id of a version, or a day or time such as 2026-03-31 or 2026-03-31T12:00:00',
      });
      return z.NEVER;
    }),
    { type: 'string', example: '1' },
    `${description}: its id, or a day (its end) or a time at which it was current; UTC unless it has a zone.`,
  );

/** A name in a path, such as a team's. */
export const pathName = (description: string) =>
  documented(
    z.string().min(1).max(255),
    { type: 'string', minLength: 1, maxLength: 255, pattern: withoutNul },
    description,
  );
