import { z } from 'zod';
import { recordsOf, uploadOptions } from '../../uploads/options/table.js';
import { type GivenOption, requireOption } from '../../uploads/options/upload-options.js';
import { queryId, queryText } from '../parameters.js';

/** Options as fields of the form, each documented once. */
export const formOf = (table: object) =>
  z.object(
    Object.fromEntries(
      recordsOf(table).flatMap(([name, { openapi, shownAs }]): [string, z.ZodType][] => {
        const text = queryText(openapi.description, { maxLength: 1_000_000 }).optional();
        const also = shownAs === undefined ? '' : ` Also accepted as \`${name}\`.`;
        const shown = text.meta({
          openapi: { type: 'string', ...openapi, description: `${openapi.description}${also}` },
        });
        return shownAs === undefined
          ? [[name, shown]]
          : [
              [shownAs, shown],
              [name, text.meta({ undocumented: true })],
            ];
      }),
    ),
  );

export const uploadForm = formOf(uploadOptions);

export const uploadQuery = z.object({
  processId: queryId(
    'A reserved process of the same account that the upload fills (`POST /datasets/{id}/processes`).',
  ).optional(),
  ...uploadForm.shape,
});

/** The reserved process in the address; undefined: none. */
export const reservedIdOf = (query: object): number | undefined => {
  const id: unknown = Reflect.get(query, 'processId');
  return typeof id === 'number' ? id : undefined;
};

/** Real name of an option by its documented name. */
const nameOf = (given: string): string =>
  recordsOf(uploadOptions).find(([, { shownAs }]) => shownAs === given)?.[0] ?? given;

/** @throws AppError 400 for a field of the form that is not an option. */
export const requireOptionField = (name: string): void => requireOption(nameOf(name));

/** Options of the address and the form, with their real names. */
export const givenOptions = (query: object, fields: readonly GivenOption[]): GivenOption[] =>
  [...Object.entries(query), ...fields.map(({ name, value }) => [name, value] as const)].flatMap(
    ([name, value]) => (typeof value === 'string' ? [{ name: nameOf(name), value }] : []),
  );
