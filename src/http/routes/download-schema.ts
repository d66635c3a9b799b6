import { z } from 'zod';
import { optionKeys, options } from '../../query/options/table.js';

const documented = (openapi: Record<string, unknown>): z.ZodType => z.string().optional().meta({ openapi });

const shared = Object.fromEntries(
  optionKeys.map((key) => {
    const { name, openapi, example } = options[key];
    const value: unknown = openapi.type === 'string' ? example : JSON.parse(example);
    return [name, documented({ ...openapi, example: value })];
  }),
);

const otherSpelling = (name: string): string => (name.startsWith('$') ? name.slice(1) : `$${name}`);

/** Every option with and without its dollar. */
const inBothSpellings = (shape: Record<string, z.ZodType>): Record<string, z.ZodType> => ({
  ...shape,
  ...Object.fromEntries(
    // Generated clients would make one name of both: the documents show one, and say in words that both are read.
    Object.keys(shape).map((name) => [
      otherSpelling(name),
      z.string().optional().meta({ undocumented: true }),
    ]),
  ),
});

/** Query parameters of a download. Their values are read by the query room, which knows what they mean. */
export const downloadQuery = z.object(inBothSpellings(shared));

/** The same as a JSON body: names with or without `$`, numbers and flags as such, `$select` also as a list. */
export const downloadBody = z.record(z.string(), z.unknown()).meta({
  openapi: {
    type: 'object',
    description:
      'The query parameters of the download as members, with or without `$`; `$select` may be a list of names and ids. `$filter` may be up to 1 MiB long, with up to 50,000 values in one `in`.',
    properties: Object.fromEntries(
      Object.entries(shared).map(([name, schema]) => [name, z.globalRegistry.get(schema)?.openapi ?? {}]),
    ),
  },
});
