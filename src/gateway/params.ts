import { invalid } from '../lib/errors.js';
import { nearest } from '../lib/nearest.js';
import { parsePeriod } from '../providers/dates.js';
import type { Parameter, ParameterValue, Params } from '../providers/parameter.js';
import type { Provider } from '../providers/provider.js';
import { regionOf, regions } from './search/regions.js';
import { wordsOf } from './search/words.js';

const refuse = (provider: Provider, parameter: Parameter, wanted: string, hint?: string) =>
  invalid(
    'invalid_parameter',
    `Parameter '${parameter.key}' of ${provider.name} must be ${hint === undefined ? `${wanted}.` : `one of its codes: ${hint}`}`,
    {
      parameter: parameter.key,
      ...(parameter.values === undefined ? {} : { allowed: parameter.values.map(({ code }) => code) }),
    },
  );

const longestListed = 30;

const listed = (values: readonly ParameterValue[]): string => {
  const codes = values.slice(0, longestListed).map(({ code }) => code);
  const more = values.length - codes.length;
  return more === 0 ? codes.join(', ') : `${codes.join(', ')} and ${more} more`;
};

/** Longest text that is sent to an upstream as a parameter. */
const longestText = 500;

const fold = (text: string): string => wordsOf(text).join(' ');

/** The matching value: by its code in any case, by its label, or by another name or code of the same region. */
const findValue = (values: readonly ParameterValue[], text: string): ParameterValue | undefined => {
  const wanted = fold(text);
  if (wanted === '') return undefined;
  const region = regionOf(text);
  return (
    values.find(({ code }) => code.toLowerCase() === text.trim().toLowerCase()) ??
    values.find(({ label }) => fold(label) === wanted) ??
    values.find(({ code }) => region?.codes.includes(code))
  );
};

/** The value whose code or label is nearest to a text, for a hint. */
const nearestValue = (values: readonly ParameterValue[], text: string): ParameterValue | undefined => {
  const named = nearest(
    text,
    values.map(({ label }) => label),
  );
  const region = nearest(
    text,
    regions.flatMap(({ names }) => names.map((name) => name.join(' '))),
  );
  const coded = nearest(
    text,
    values.map(({ code }) => code),
  );
  return (
    values.find(({ label }) => label === named) ??
    (region === undefined ? undefined : findValue(values, region)) ??
    values.find(({ code }) => code === coded)
  );
};

const readSelect = (provider: Provider, parameter: Parameter, given: unknown): string => {
  const values = parameter.values ?? [];
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string') throw refuse(provider, parameter, `one of ${listed(values)}`);
  const exact = values.find(({ code }) => code === text);
  // Other values are codes of the upstream, which may differ only by case.
  const lenient = parameter.regions === true && text.length <= longestText;
  const found = exact ?? (lenient ? findValue(values, text) : undefined);
  if (found !== undefined) return found.code;
  const nearest = nearestValue(values, text);
  const hint = nearest === undefined ? undefined : `did you mean ${nearest.code} (${nearest.label})?`;
  throw refuse(provider, parameter, `one of ${listed(values)}`, hint);
};

const maxValues = 1_000;

/** Parses several values of a parameter of a panel: `all`, a list, or one of them. */
const readSeveral = (provider: Provider, parameter: Parameter, given: unknown): string => {
  if (given === 'all') return given;
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (values.length === 0 || values.length > maxValues) {
    throw refuse(provider, parameter, `'all', or a list of 1 to ${maxValues} values`);
  }
  return [...new Set(values.map((value) => readSelect(provider, parameter, value)))].join(';');
};

const readNumber = (provider: Provider, parameter: Parameter, given: unknown): number => {
  const number = typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw refuse(provider, parameter, 'a number');
  return number;
};

const callerDate = /^\d{4}(-\d{2}(-\d{2})?)?$/;

const readText = (provider: Provider, parameter: Parameter, given: unknown): string => {
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string') throw refuse(provider, parameter, 'a text');
  if (text.length > longestText) throw refuse(provider, parameter, `at most ${longestText} characters long`);
  if (parameter.format === 'date' && !(callerDate.test(text) && parsePeriod(text) !== undefined)) {
    throw refuse(provider, parameter, 'a date (YYYY, YYYY-MM or YYYY-MM-DD)');
  }
  if (parameter.pattern !== undefined && parameter.pattern.exec(text)?.[0] !== text) {
    throw refuse(provider, parameter, `of the form ${parameter.pattern.source}`);
  }
  return text;
};

const read = { select: readSelect, number: readNumber, text: readText } as const;

/** Checks the caller's parameters against the definitions of the provider, and adds defaults. `null` and an empty text count as absent. */
export const resolveParams = (
  provider: Provider,
  given: Readonly<Record<string, unknown>>,
  { panel = false }: { readonly panel?: boolean } = {},
): Params => {
  const known = new Map(provider.parameters.map((parameter) => [parameter.key, parameter]));
  const unknown = Object.keys(given).filter((key) => !known.has(key));
  if (unknown.length > 0) {
    const allowed = [...known.keys()];
    const offer = allowed.length === 0 ? 'it has no parameters' : `it has ${allowed.join(', ')}`;
    throw invalid(
      'unknown_parameter',
      `${provider.name} has no parameter '${unknown.join("', '")}': ${offer}.`,
      {
        unknown,
        allowed,
      },
    );
  }
  const readOne = (of: Provider, parameter: Parameter, value: unknown): string | number =>
    panel && parameter.several === true
      ? readSeveral(of, parameter, value)
      : read[parameter.type](of, parameter, value);
  const entries = provider.parameters.flatMap((parameter) => {
    const own = Object.hasOwn(given, parameter.key) ? given[parameter.key] : undefined;
    const value = own === null || own === '' || own === undefined ? parameter.default : own;
    return value === undefined ? [] : [[parameter.key, readOne(provider, parameter, value)] as const];
  });
  const params = Object.fromEntries(entries);
  const { start, end } = params;
  if (start !== undefined && end !== undefined && String(start).slice(0, String(end).length) > String(end)) {
    throw invalid('invalid_parameter', `Parameter 'start' of ${provider.name} must not be after 'end'.`, {
      parameter: 'start',
    });
  }
  return params;
};
