import { z } from 'zod';
import { optionKeys, options } from '../../query/options/table.js';

const documented = (openapi: Record<string, unknown>): z.ZodType => z.string().optional().meta({ openapi });

const shared = Object.fromEntries(
  optionKeys.map((key) => {
    // Without defaults, since generated clients would send them even where they do not apply.
    const { default: _default, ...openapi } = options[key].openapi;
    const { name, example } = options[key];
    const value: unknown = openapi.type === 'string' ? example : JSON.parse(example);
    return [name, documented({ ...openapi, example: value })];
  }),
);

const otherSpelling = (name: string): string => (name.startsWith('$') ? name.slice(1) : `$${name}`);

/** Every option with and without its dollar. The documents show each once, since generated clients would see two options. */
const inBothSpellings = (shape: Record<string, z.ZodType>): Record<string, z.ZodType> => ({
  ...shape,
  ...Object.fromEntries(
    // Generated clients would use the same name for both, so the documents show one, and mention both in words.
    Object.keys(shape).map((name) => [
      otherSpelling(name),
      z.string().optional().meta({ undocumented: true }),
    ]),
  ),
});

/** Query parameters of a download. The query room parses their values. */
export const downloadQuery = z.object({
  ...inBothSpellings(shared),
  // Undocumented: Python clients have a function `quote`, which a parameter of that name would hide.
  $quote: z.string().optional().meta({ undocumented: true }),
});

/** Selects the version. */
export const versionQuery = z.object(
  inBothSpellings(
    Object.fromEntries(Object.entries(shared).filter(([name]) => name === 'versionId' || name === 'asOf')),
  ),
);

/** Query parameters of a request with a body. The address of its next page has only the token. */
export const pageQuery = z.object(
  inBothSpellings(Object.fromEntries(Object.entries(shared).filter(([name]) => name === '$skiptoken'))),
);

/** A text, or a list of names and ids. */
const orList = ({ type, ...rest }: Record<string, unknown>): Record<string, unknown> => ({
  ...rest,
  anyOf: [{ type }, { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }],
});

/** The same options as a JSON body: names with or without `$`, numbers and booleans as such, `$select` also as a list. */
export const downloadBody = z.record(z.string(), z.unknown()).meta({
  openapi: {
    type: 'object',
    description:
      'The query parameters of the download as members, with or without `$`; `$select` may be a list of names and ids. `$filter` may be up to 1 MiB long, with up to 50,000 values in one `in`.',
    properties: Object.fromEntries(
      Object.entries(shared).map(([name, schema]) => {
        const shown = (z.globalRegistry.get(schema)?.openapi ?? {}) as Record<string, unknown>;
        return [name, name === '$select' ? orList(shown) : shown];
      }),
    ),
  },
});
