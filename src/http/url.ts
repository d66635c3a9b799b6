const isKeyParameter = (pair: string): boolean => {
  const name = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name).toLowerCase() === 'apikey';
  } catch {
    // A name that does not decode cannot be ours.
    return false;
  }
};

/** Path and query as sent, without the parameter that may hold a key. */
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

/** Most names of parameters, and characters of each, that a log line shows; and characters of a path. */
const mostNames = 32;
const nameLength = 64;
const pathLength = 1_000;

/** Names of the query parameters, sorted: what a log line may say about a query. */
export const parameterNames = (query: URLSearchParams): string[] => {
  const names = [...new Set(query.keys())].filter((name) => name.toLowerCase() !== 'apikey');
  const shown = names
    .slice(0, mostNames)
    .map((name) => name.slice(0, nameLength))
    .sort();
  return names.length > mostNames ? [...shown, `and ${names.length - mostNames} more`] : shown;
};

/** A path as a log line shows it: not too long, and of a signed link not so much that it could be used. */
export const loggedPath = (path: string): string =>
  path.replace(/^(\/api\/links\/[^/]{0,8})[^/]*/, '$1…').slice(0, pathLength);
