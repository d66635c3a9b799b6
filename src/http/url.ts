import { withoutSecrets } from '../lib/log-line.js';

const isKeyParameter = (pair: string): boolean => {
  const name = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name).toLowerCase() === 'apikey';
  } catch {
    // A name that cannot be decoded is not ours.
    return false;
  }
};

/** Path and query as sent, without the parameter that may contain a key. */
export const withoutApiKey = (url: string): string => {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const kept = url
    .slice(start + 1)
    .split('&')
    .filter((pair) => pair !== '' && !isKeyParameter(pair));
  const path = url.slice(0, start);
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
};

/** Maximum parameter names in a log line, and maximum characters of a name and of a path. */
const maxNames = 32;
const nameLength = 64;
const pathLength = 1_000;

/** Sorted names of the query parameters, for log lines, which must not have their values. */
export const parameterNames = (query: URLSearchParams): string[] => {
  const names = [...new Set(query.keys())].filter((name) => name.toLowerCase() !== 'apikey');
  const shown = names
    .slice(0, maxNames)
    .map((name) => name.slice(0, nameLength))
    .sort();
  return names.length > maxNames ? [...shown, `and ${names.length - maxNames} more`] : shown;
};

/** Decodes repeatedly, up to three times; invalid octets are left unchanged. */
const decoded = (path: string): string => {
  let text = path;
  for (let time = 0; time < 3 && text.includes('%'); time += 1)
    text = text.replace(/(?:%[\da-f]{2})+/gi, (octets) => {
      try {
        return decodeURIComponent(octets);
      } catch {
        return octets;
      }
    });
  return text;
};

const shortened = (secret: string): string => `${secret.slice(0, 8)}…`;

/**
 * A decoded path for log lines and traces, shortened, and without parts that grant access.
 * @param secrets Values of the matched route's `secretParams`, decoded. The token of a link is shortened on every path, since a path that
 *   is misspelled or has another prefix still contains it.
 */
export const loggedPath = (path: string, secrets: readonly string[] = []): string => {
  const shown = secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, shortened(secret)), decoded(path.slice(0, 64 * 1024)))
    .replace(/(\/links\/+)([^/]+)/gi, (_all, front: string, token: string) => front + shortened(token));
  return withoutSecrets(shown).slice(0, pathLength);
};
