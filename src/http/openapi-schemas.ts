import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Removes bounds that every whole number of JavaScript satisfies: readers would take them for examples. */
const withoutNumberBounds = (schema: Json): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) Reflect.deleteProperty(schema, 'minimum');
  if (schema.maximum === Number.MAX_SAFE_INTEGER) Reflect.deleteProperty(schema, 'maximum');
};

/** Renders schemas as JSON Schema; those with an id become components. */
export const createSchemas = (components: Json) => {
  const render = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const {
      $schema: _dialect,
      $defs: definitions = {},
      ...rendered
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const shown = z.globalRegistry.get(zodSchema)?.openapi;
        if (shown === undefined) return withoutNumberBounds(jsonSchema);
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, shown);
      },
    }) as Json;
    Object.assign(components, hoisted(definitions as Json));
    return hoisted(rendered);
  };
  const hoisted = (schema: Json): Json =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  return render;
};

export type Render = ReturnType<typeof createSchemas>;

/** Members of an object, without those that are accepted but not documented. */
export const documentedItems = (schema: z.ZodObject | undefined): [string, z.ZodType][] =>
  Object.entries(schema?.shape ?? {})
    .map(([name, item]): [string, z.ZodType] => [name, item as z.ZodType])
    .filter(([, item]) => z.globalRegistry.get(item)?.undocumented !== true);
