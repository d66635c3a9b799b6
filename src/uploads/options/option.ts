import { type AppError, invalid } from '../../lib/errors.js';
import { parseFlag } from '../../lib/flag.js';
import type { UploadMode } from '../../model/process.js';
import type { StoredOptions } from './stored-options.js';

/** Everything there is to know about one option of an upload. `Options` are all of them, complete. */
export type UploadOption<T, Options> = Parser<T> & {
  /** Value when the option was not given. */
  readonly absent: T;
  /**
   * JSON Schema of the value for the documents, type `string` unless it says otherwise. Defaults are in the description alone:
   * generated clients send those of the schema, also where they do not apply.
   */
  readonly openapi: { readonly description: string } & Readonly<Record<string, unknown>>;
  /** Name in the documents, where clients cannot be generated with the name itself. */
  readonly shownAs?: string;
  /** Problem of a given value with the other options; undefined: none. */
  readonly problem?: (value: T, options: Options) => string | undefined;
  /** Its value in the layout, for workers. Options without it take effect while the file is received. */
  readonly stored?: (value: T, options: Options) => StoredOptions;
};

type Parser<T> =
  | {
      /** Parses a given text. @throws AppError that names the option. */
      readonly parse: (text: string, name: string) => T;
    }
  | {
      /** The same for long texts, step by step. */
      readonly parseInSteps: (text: string) => Generator<void, T>;
    };

export const wrongOption = (name: string, message: string): AppError =>
  invalid('invalid_option', `Option ${name}: ${message}.`, { option: name });

/** Parser and schema of an option with a few values. */
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

/** Problem of an option that means something in these modes only. */
export const onlyIn =
  (...modes: [UploadMode, ...UploadMode[]]) =>
  (_value: unknown, { mode }: { readonly mode: UploadMode }): string | undefined =>
    modes.includes(mode)
      ? undefined
      : `applies to mode ${modes.join(', ').replace(/, (\w+)$/, ' or $1')} only, the mode is ${mode}`;
