import type { IncomingMessage } from 'node:http';
import { AppError } from '../lib/errors.js';

const unauthenticated = (code: string, message: string): AppError =>
  new AppError('unauthenticated', code, message);

const keyOfBasic = (base64: string, keyAsPassword: boolean): string => {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const user = colon === -1 ? text : text.slice(0, colon);
  const password = colon === -1 ? '' : text.slice(colon + 1);
  if (keyAsPassword && user === '') return password;
  if (password !== '' && !(keyAsPassword && password === user))
    throw unauthenticated('key_in_password', 'the API key is the user name; the password must be empty');
  return user;
};

const keyOfHeader = (header: string, keyAsPassword: boolean): string => {
  const bearer = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header)?.[1];
  if (basic !== undefined) return keyOfBasic(basic, keyAsPassword);
  throw unauthenticated(
    'bad_authorization',
    'use "Authorization: Bearer <API key>", or HTTP Basic authentication with the API key as user name and an empty password',
  );
};

/** Values of all `Authorization` headers; `headers` has only the first. */
export const authorizationsOf = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization');

/**
 * The API key of a request; undefined: none. It may be sent in several ways, as long as all have the same key: the result must not depend
 * on which of them a proxy or a cache has read.
 * @param keyAsPassword True: the password of Basic may also be the key.
 * @throws AppError `unauthenticated` for credentials that are malformed or contradict each other.
 */
export const readApiKey = (
  authorization: string | readonly string[] | undefined,
  query: URLSearchParams,
  keyAsPassword = false,
): string | undefined => {
  const headers = typeof authorization === 'string' ? [authorization] : (authorization ?? []);
  const keys = new Set([
    ...query.getAll('apiKey'),
    ...headers.map((header) => keyOfHeader(header, keyAsPassword)),
  ]);
  if (keys.size > 1)
    throw unauthenticated('ambiguous_credentials', 'two different API keys are given; give one');
  const [key] = keys;
  if (key === '') throw unauthenticated('empty_key', 'the API key is empty');
  return key;
};

/**
 * Challenges of a 401, one header each. A browser opens a dialog for `Basic`, even for requests of a script; pages ask for a key in their
 * own way.
 */
export const challengesFor = (isFromScript: boolean): string[] => {
  const bearer = 'Bearer realm="tabulary"';
  return isFromScript ? [bearer] : ['Basic realm="tabulary", charset="UTF-8"', bearer];
};
