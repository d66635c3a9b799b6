import { invalid } from '../lib/errors.js';
import { parsePeriod } from '../providers/dates.js';
import type { Parameter, Params, Provider } from '../providers/provider.js';

const refuse = (provider: Provider, parameter: Parameter, wanted: string) =>
  invalid('invalid_parameter', `Parameter '${parameter.key}' of ${provider.name} must be ${wanted}.`, {
    parameter: parameter.key,
    ...(parameter.values === undefined ? {} : { allowed: parameter.values.map(({ code }) => code) }),
  });

const longestListed = 30;

const listed = (codes: readonly string[]): string =>
  codes.length <= longestListed
    ? codes.join(', ')
    : `${codes.slice(0, longestListed).join(', ')} and ${codes.length - longestListed} more`;

const readSelect = (provider: Provider, parameter: Parameter, given: unknown): string => {
  const codes = (parameter.values ?? []).map(({ code }) => code);
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text === 'string' && codes.includes(text)) return text;
  throw refuse(provider, parameter, `one of ${listed(codes)}`);
};

const readNumber = (provider: Provider, parameter: Parameter, given: unknown): number => {
  const {
    minimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
    fractional = false,
  } = parameter;
  const text = typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given;
  const kind = fractional ? 'a number' : 'a whole number';
  if (typeof text !== 'number' || !Number.isFinite(text) || !(fractional || Number.isSafeInteger(text))) {
    throw refuse(provider, parameter, kind);
  }
  if (text >= minimum && text <= maximum) return text;
  throw refuse(provider, parameter, `${kind} from ${minimum} to ${maximum}`);
};

const callerDate = /^\d{4}(-\d{2}(-\d{2})?)?$/;

/** Longest text that may go to an upstream as a parameter. */
const longestText = 500;

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

/**
 * Checks the caller's parameters against the provider's own definitions and fills in defaults. `null` and an
 * empty text are the same as leaving a parameter out.
 */
export const resolveParams = (provider: Provider, given: Readonly<Record<string, unknown>>): Params => {
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
  const entries = provider.parameters.flatMap((parameter) => {
    const own = Object.hasOwn(given, parameter.key) ? given[parameter.key] : undefined;
    const value = own === null || own === '' || own === undefined ? parameter.default : own;
    return value === undefined
      ? []
      : [[parameter.key, read[parameter.type](provider, parameter, value)] as const];
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
