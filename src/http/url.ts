const isKeyParameter = (pair: string): boolean => {
  const name = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name).toLowerCase() === 'apikey';
  } catch {
    // A name that does not decode can not be ours.
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

/** Names of the query parameters, sorted: what a log line may say about a query. */
export const parameterNames = (query: URLSearchParams): string[] =>
  [...new Set(query.keys())].filter((name) => name.toLowerCase() !== 'apikey').sort();
