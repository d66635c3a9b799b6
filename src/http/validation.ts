import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { invalid } from '../lib/errors.js';
import { firstItems, listed } from '../lib/listing.js';
import { nearest } from '../lib/nearest.js';

const article = (word: string): string => (/^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`);

const quoted = (name: unknown): string => JSON.stringify(String(name).slice(0, 64));

/** Names of types that differ from those of zod. */
const typeNames: ReadonlyMap<string, string> = new Map([
  ['int', 'integer'],
  ['record', 'object'],
]);

/** Messages that follow the name of a field: "name is required", "id must be an integer". */
const wording = (issue: {
  code?: string;
  input?: unknown;
  expected?: unknown;
  values?: unknown;
  keys?: unknown;
  origin?: unknown;
  maximum?: unknown;
  minimum?: unknown;
  /** False: the limit itself is refused. */
  inclusive?: unknown;
}) => {
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type')
    return `must be ${article(typeNames.get(String(issue.expected)) ?? String(issue.expected))}`;
  if (issue.code === 'invalid_value' && Array.isArray(issue.values))
    return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'unrecognized_keys' && Array.isArray(issue.keys))
    return `unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${listed(issue.keys.slice(0, 5).map(quoted), 5, ', ', issue.keys.length)}`;
  if (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) return 'must be below 2^53';
  if (issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER) return 'must be above -2^53';
  if (issue.origin === 'string' && issue.code === 'too_big')
    return `must have at most ${issue.maximum} characters`;
  if (issue.origin === 'string' && issue.code === 'too_small')
    return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`;
  if (issue.origin !== 'number' && issue.origin !== 'int') return undefined;
  if (issue.code === 'too_big')
    return `must be ${issue.inclusive === false ? 'below' : 'at most'} ${issue.maximum}`;
  if (issue.code !== 'too_small') return undefined;
  return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`;
};

/**
 * Parses with a schema of a route.
 * @throws AppError `invalid` that names every invalid field.
 */
export const parseWith = (schema: z.ZodType, value: unknown, where: string): unknown => {
  // `safeParse` formats every error and joins them all as one JSON text, which can take seconds. Only the first ones are formatted here.
  const parsed = schema._zod.run({ value, issues: [] }, { async: false });
  if (parsed instanceof Promise) throw new Error('schemas of routes are synchronous');
  const { issues: all } = parsed;
  if (all.length === 0) return parsed.value;
  const issues = firstItems(all)
    .map((issue) => z.core.util.finalizeIssue(issue, { error: wording }, z.config()))
    .map(({ path, message }) => ({ field: path.map(String).join('.'), message }));
  const texts = issues.map(({ field, message }) => (field === '' ? message : `${field} ${message}`));
  const text = listed(texts, texts.length, '; ', all.length);
  throw invalid('invalid_request', `${where}: ${text}`, { issues });
};

/** NUL cannot be stored, and has no meaning in a name, a filter or a text. */
const refuseNul = (name: string, value: string): void => {
  if (value.includes('\0')) throw invalid('invalid_request', `${name} must not contain a NUL character`);
};

/** Maximum parameters of a query. Known parameters may not be repeated. */
export const maxParameters = 1_000;

/** A query without the parameters above the maximum number; `checkQuerySize` refuses those. */
export const firstParameters = (query: string): string => {
  let end = -1;
  for (let count = 0; count < maxParameters; count += 1) {
    end = query.indexOf('&', end + 1);
    if (end < 0) return query;
  }
  return query.slice(0, end);
};

/** @throws AppError 400 for a query with too many parameters. */
export const checkQuerySize = (query: string): void => {
  if (firstParameters(query).length < query.length)
    throw invalid('too_many_parameters', `query: more than ${maxParameters} parameters`, {
      limit: maxParameters,
    });
};

const encodedBytes = /(?:%[\da-f]{2})+/gi;

/**
 * Percent-encoded bytes of a query must be UTF-8. Others (usually Latin-1) would be read as replacement characters, and a filter would
 * silently match nothing.
 */
export const checkQueryEncoding = (query: string): void => {
  for (const [run] of query.matchAll(encodedBytes)) {
    if (isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex'))) continue;
    throw invalid('invalid_request', `query: ${run.slice(0, 60)} is not UTF-8`);
  }
};

/** Path parameters as the router decoded them. */
export const parseParams = (schema: z.ZodObject | undefined, given: Record<string, string>): unknown => {
  for (const [name, value] of Object.entries(given)) refuseNul(name, value);
  return schema === undefined ? {} : parseWith(schema, given, 'path');
};

/**
 * Parses query parameters: each at most once, none unknown, so that a typo never widens the answer. Names that start with `_` are for
 * caches and tracers; `apiKey` is read elsewhere.
 */
export const parseQuery = (schema: z.ZodObject | undefined, given: URLSearchParams): unknown => {
  const known = Object.keys(schema?.shape ?? {});
  const values: Record<string, string> = {};
  for (const [name, value] of given) {
    if (name === 'apiKey' || name.startsWith('_')) continue;
    if (!known.includes(name)) throw unknownParameter(name, known);
    if (Object.hasOwn(values, name))
      throw invalid('repeated_parameter', `query parameter ${name} is given more than once`, {
        parameter: name,
      });
    refuseNul(`query parameter ${name}`, value);
    values[name] = value;
  }
  return schema === undefined ? {} : parseWith(schema, values, 'query');
};

const unknownParameter = (name: string, known: readonly string[]) => {
  const meant = nearest(name, [...known, 'apiKey']);
  const shown = JSON.stringify(name.slice(0, 64));
  return invalid(
    'unknown_parameter',
    `unknown query parameter ${shown}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    { parameter: name.slice(0, 64), ...(meant === undefined ? {} : { didYouMean: meant }), known },
  );
};

const holdsNul = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, item]) => name.includes('\0') || holdsNul(item));
};

/**
 * Parses a JSON body. NUL is refused in members of the schema; other members are ignored and may contain anything. The limit of the body
 * and the JSON parser limit the depth.
 */
export const parseBody = (schema: z.ZodType, body: unknown): unknown => {
  const parsed = parseWith(schema, body, 'body');
  if (holdsNul(parsed)) throw invalid('invalid_request', 'body: must not contain a NUL character');
  return parsed;
};
