import { type AppError, invalid } from '../../lib/errors.js';
import { parseFlag } from '../../lib/flag.js';
import type { UploadMode } from '../../model/process.js';
import type { StoredOptions } from './stored-options.js';

/** Definition of one upload option. `Options` has the values of all options. */
export type UploadOption<T, Options> = Parser<T> & {
  /** Value if the option is not given. */
  readonly absent: T;
  /**
   * JSON Schema of the value for OpenAPI. @default type `string`. Default values are only in the description, since generated clients
   * would send a default of the schema even where the option does not apply.
   */
  readonly openapi: { readonly description: string } & Readonly<Record<string, unknown>>;
  /** Name in OpenAPI if generated clients cannot use the real name. */
  readonly shownAs?: string;
  /** Checks a given value against the other options. Returns the problem; undefined: none. */
  readonly problem?: (value: T, options: Options) => string | undefined;
  /** Value in the layout, for workers. Options without it only matter while the file is received. */
  readonly stored?: (value: T, options: Options) => StoredOptions;
};

type Parser<T> =
  | {
      /** Parses a given text. @throws AppError that names the option. */
      readonly parse: (text: string, name: string) => T;
    }
  | {
      /** Parses a long text in steps. */
      readonly parseInSteps: (text: string) => Generator<void, T>;
    };

export const wrongOption = (name: string, message: string): AppError =>
  invalid('invalid_option', `Option ${name}: ${message}.`, { option: name });

/** Parser and schema of an option with a fixed set of values. */
export const choice = <const T extends string>(choices: readonly T[], description: string) => ({
  parse(text: string, name: string): T {
    const chosen = choices.find((known) => known === text);
    if (chosen === undefined) throw wrongOption(name, `must be one of ${choices.join(', ')}`);
    return chosen;
  },
  openapi: { enum: choices, description },
});

/** Parser and schema of an option that is true or false. */
export const flag = (description: string) => ({
  parse(text: string, name: string): boolean {
    const value = parseFlag(text);
    if (value === undefined) throw wrongOption(name, 'must be one of true, false');
    return value;
  },
  openapi: { type: 'boolean', description },
});

/** @param text A JSON array of strings, or strings separated by commas. */
export const parseTexts = (text: string, name: string): readonly string[] => {
  if (!text.startsWith('[')) return text.split(',').filter((value) => value !== '');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw wrongOption(name, 'is not valid JSON');
  }
  if (!Array.isArray(list) || !list.every((value): value is string => typeof value === 'string'))
    throw wrongOption(name, 'must be an array of strings');
  return list.filter((value) => value !== '');
};

/** Check of an option that applies only to these modes. */
export const onlyIn =
  (...modes: [UploadMode, ...UploadMode[]]) =>
  (_value: unknown, { mode }: { readonly mode: UploadMode }): string | undefined =>
    modes.includes(mode)
      ? undefined
      : `applies to mode ${modes.join(', ').replace(/, (\w+)$/, ' or $1')} only, the mode is ${mode}`;
