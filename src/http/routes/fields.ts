import { z } from 'zod';
import { handleSyntaxProblem, maxHandleLength, ownHandleProblem } from '../../model/handles.js';
import {
  maxNameLength,
  maxSourceUrlLength,
  nameProblem,
  sourceUrlProblem,
  textProblem,
} from '../../model/names.js';
import { levels } from '../../model/permission.js';

/** Fields that several resources share, with the rules of the model and their documentation. */

/** A schema whose rule is a function of the model. */
const ruled = (problem: (text: string) => string | undefined, openapi: Record<string, unknown>) =>
  z
    .string()
    .superRefine((text, context) => {
      const message = problem(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ openapi: { type: 'string', ...openapi } });

/** Control and bidirectional control characters. */
const control = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

export const nameField = (description: string) =>
  ruled(nameProblem, {
    minLength: 1,
    maxLength: maxNameLength,
    pattern: `^[^${control}]*[^${control}\\s][^${control}]*$`,
    description: `${description} Kept exactly as given; at most ${maxNameLength} characters.`,
  });

const handle = (description: string) => ({
  minLength: 1,
  maxLength: maxHandleLength,
  pattern: '^[A-Za-z]([\\w .@-]*[\\w.@-])?$',
  description,
});

/** Name of an existing account or team. */
export const handleField = (description: string) => ruled(handleSyntaxProblem, handle(description));

/** New name of an account or team. */
export const newHandleField = (description: string) => ruled(ownHandleProblem, handle(description));

const nullable = (schema: z.ZodType<string>, openapi: Record<string, unknown>) =>
  schema
    .nullable()
    .optional()
    .meta({ openapi: { ...openapi, type: ['string', 'null'] } });

export const textField = (description: string, maxLength: number) =>
  nullable(
    ruled((text) => textProblem(text, maxLength), {}),
    { maxLength, pattern: '^[^\\u0000]*$', description },
  );

export const descriptionField = textField('Free text.', 10_000);

export const sourceUrlField = nullable(ruled(sourceUrlProblem, {}), {
  maxLength: maxSourceUrlLength,
  pattern: '^[^\\u0000]*$',
  description: `Address of the original source: any URL, a bare host or empty; at most ${maxSourceUrlLength} characters.`,
});

export const privacyField = z.enum(['Public', 'Private']);
export const levelField = z.enum(levels).meta({ description: "The caller's level." });
export const roleField = z.enum(['admin', 'member']);

/** A point in time in an answer. */
export const timeField = z
  .string()
  .meta({ description: 'ISO 8601 in UTC, without zone offset.', example: '2026-01-31T12:00:00.000' });

export const idField = (description: string) => z.int().positive().meta({ description });
export const countField = (description: string) => z.int().nonnegative().meta({ description });
