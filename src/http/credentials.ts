import { AppError } from '../lib/errors.js';

const unauthenticated = (code: string, message: string): AppError =>
  new AppError('unauthenticated', code, message);

const keyOfBasic = (header: string): string => {
  const match = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header);
  if (match?.[1] === undefined)
    throw unauthenticated(
      'bad_authorization',
      'use HTTP Basic authentication: the API key as user name, an empty password',
    );
  const text = Buffer.from(match[1], 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const user = colon === -1 ? text : text.slice(0, colon);
  if (colon !== -1 && colon < text.length - 1)
    throw unauthenticated('key_in_password', 'the API key is the user name; the password must be empty');
  return user;
};

/**
 * The API key of a request, or undefined when there is none.
 * @throws AppError `unauthenticated` for credentials that cannot be right, or that contradict each other.
 */
export const readApiKey = (authorization: string | undefined, query: URLSearchParams): string | undefined => {
  const fromQuery = new Set(query.getAll('apiKey'));
  const fromHeader = authorization === undefined ? [] : [keyOfBasic(authorization)];
  const keys = new Set([...fromQuery, ...fromHeader]);
  if (keys.size > 1)
    throw unauthenticated('ambiguous_credentials', 'two different API keys are given; give one');
  const [key] = keys;
  if (key === '') throw unauthenticated('empty_key', 'the API key is empty');
  return key;
};
