import { z } from 'zod';
import {
  type GivenOption,
  requireOption,
  type UploadOptionName,
  uploadOptionNames,
  uploadOptionTexts,
} from '../../uploads/options/upload-options.js';
import { queryId, queryText } from '../parameters.js';

/**
 * Schemas of the values of options in the documents, in addition to their text; a text of any form unless it is listed.
 * Defaults stand in the text alone: generated clients send those of the schema, also where they do not apply.
 */
const shapes: Partial<Record<UploadOptionName, Record<string, unknown>>> = {
  mode: { enum: ['replace', 'append', 'upsert', 'delete', 'sync'] },
  onTypeConflict: { enum: ['fail', 'replace', 'widen'] },
  onDuplicateKey: { enum: ['fail', 'last', 'first'] },
  key: { example: 'Country,Year' },
  dryRun: { type: 'boolean' },
  onMissingColumn: { enum: ['null', 'fail'] },
  onNewColumn: { enum: ['add', 'fail', 'ignore'] },
  onBadRow: { enum: ['fail', 'quarantine'] },
  maxBadRows: { example: '5%' },
  async: { type: 'boolean' },
  wait: { type: 'integer', minimum: 0, maximum: 55 },
  delimiter: { example: ';' },
  quote: { example: 'none' },
  encoding: { enum: ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] },
  decimal: { enum: ['.', ','] },
  nullValues: { example: 'n/a,-' },
};

/**
 * A name that the documents show for an option. `quote` is also a function of Python that generated clients call, and
 * a parameter of that name hides it.
 */
const shownNames: Readonly<Partial<Record<UploadOptionName, string>>> = { quote: 'quoting' };

const textOf = (name: UploadOptionName) => queryText(uploadOptionTexts[name], { maxLength: 1_000_000 });

const shownOption = (name: UploadOptionName): z.ZodType => {
  const shown = shownNames[name];
  const description = `${uploadOptionTexts[name]}${shown === undefined ? '' : ` Also taken as \`${name}\`.`}`;
  return textOf(name)
    .optional()
    .meta({ openapi: { type: 'string', ...shapes[name], description } });
};

/** Options as fields of the form, each shown once. */
export const uploadForm = z.object(
  Object.fromEntries(
    uploadOptionNames.flatMap((name): [string, z.ZodType][] => {
      const shown = shownNames[name];
      return shown === undefined
        ? [[name, shownOption(name)]]
        : [
            [shown, shownOption(name)],
            [name, textOf(name).optional().meta({ undocumented: true })],
          ];
    }),
  ),
);

/** Query parameters of an upload. */
export const uploadQuery = z.object({
  processId: queryId(
    'A reserved process of the same account that the upload fills (`POST /datasets/{id}/processes`).',
  ).optional(),
  ...uploadForm.shape,
});

/** The process that the address names; undefined: none. */
export const reservedIdOf = (query: object): number | undefined => {
  const id: unknown = Reflect.get(query, 'processId');
  return typeof id === 'number' ? id : undefined;
};

const nameOf = (given: string): string =>
  uploadOptionNames.find((name) => shownNames[name] === given) ?? given;

/** @throws AppError 400 for a field of the form that is no option. */
export const requireOptionField = (name: string): void => requireOption(nameOf(name));

/** Options of the address and of the form, under the names that the upload knows. */
export const givenOptions = (query: object, fields: readonly GivenOption[]): GivenOption[] =>
  [...Object.entries(query), ...fields.map(({ name, value }) => [name, value] as const)].flatMap(
    ([name, value]) => (typeof value === 'string' ? [{ name: nameOf(name), value }] : []),
  );
