/** Query parameters; undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Keeps `$`, `,`, `:` and `/` readable in URLs that people copy. */
const encoded = (text: string): string =>
  encodeURIComponent(text)
    .replace(/%24/g, '$')
    .replace(/%2C/g, ',')
    .replace(/%3A/g, ':')
    .replace(/%2F/g, '/');

/** `?a=1&b=2`, or empty. */
export const queryText = (query: Query): string => {
  const pairs = Object.entries(query).filter(
    (pair): pair is [string, string | number | boolean] => pair[1] !== undefined,
  );
  return pairs.length === 0
    ? ''
    : `?${pairs.map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`).join('&')}`;
};
