import { z } from 'zod';
import { formats } from '../../query/formats.js';

const documented = (schema: z.ZodType, openapi: Record<string, unknown>, description: string): z.ZodType =>
  schema.optional().meta({ openapi: { ...openapi, description } });

const text = (description: string, openapi: Record<string, unknown> = {}) =>
  documented(z.string(), { type: 'string', ...openapi }, description);
const flag = (description: string) =>
  documented(z.string(), { type: 'boolean', default: false }, description);
const count = (description: string) => documented(z.string(), { type: 'integer', minimum: 0 }, description);

const shared = {
  $format: text('Format of the rows. Without it csv, unless `Accept` names other types and no wildcard.', {
    enum: formats,
    default: 'csv',
  }),
  $select: text(
    'Columns by name or id, separated by commas; `"…"` or `[…]` around a name that holds commas. Entity columns are prepended.',
  ),
  $filter: text("OData condition, such as `Country eq 'France' and Date ge 2020-01-01`."),
  $orderby: text('Columns with `asc` or `desc`, separated by commas. Nulls last, ties in upload order.'),
  $top: count('First N rows; the header `Row-Count` then says how many match `$filter`.'),
  $skip: count('Leave out the first N rows.'),
  $last: count('Rows of the last N distinct dates; `Row-Count` then says how many rows the dataset has.'),
  $count: flag('Answer the number of rows only.'),
  $distinct: flag('Each combination of the selected columns once; needs `$select`, prepends nothing.'),
  $decimals: text('JSON numbers as numbers or as strings.', {
    enum: ['number', 'string'],
    default: 'number',
  }),
  combineEntities: flag('One column with the values of all entity columns.'),
  includeIds: flag('Names in the header as `name [id]`.'),
  dropNA: flag('Leave out rows whose value columns are all null.'),
  transpose: flag('Dates become column headers, columns become rows.'),
  versionId: text('Id of a version; without it the current data.'),
};

const otherSpelling = (name: string): string => (name.startsWith('$') ? name.slice(1) : `$${name}`);

/** Every option with and without its dollar. */
const inBothSpellings = (shape: Record<string, z.ZodType>): Record<string, z.ZodType> => ({
  ...shape,
  ...Object.fromEntries(
    Object.keys(shape).map((name) => [otherSpelling(name), text(`The same as \`${name}\`.`)]),
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
