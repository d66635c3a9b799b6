/** Plain HTTP to ClickHouse, so that tests of SQL depend on no client. */

const escapes: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};
const escaped = (text: string): string =>
  text.replace(/[\t\n\r'\\]/g, (character) => escapes[character] ?? '');

export type QueryParameter = string | number | readonly QueryParameter[];

const element = (value: QueryParameter): string =>
  typeof value === 'string' ? `'${escaped(value)}'` : parameterText(value);

/** A query parameter in ClickHouse's escaped form. */
const parameterText = (value: QueryParameter): string => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? escaped(value) : `[${value.map(element).join()}]`;
};

export interface ClickHouseQuery {
  readonly sql: string;
  readonly params?: Readonly<Record<string, QueryParameter>>;
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** `fetch` takes no user and password in an address: they go into a header. */
export const withoutCredentials = (url: string): { address: URL; headers: Record<string, string> } => {
  const address = new URL(url);
  const pair = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`;
  const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  if (address.username === '') return { address, headers: {} };
  address.username = '';
  address.password = '';
  return { address, headers };
};

export const clickHouseText = async (url: string, query: ClickHouseQuery): Promise<string> => {
  const { address, headers } = withoutCredentials(url);
  for (const [name, value] of Object.entries(query.settings ?? {}))
    address.searchParams.set(name, String(value));
  for (const [name, value] of Object.entries(query.params ?? {})) {
    address.searchParams.set(`param_${name}`, parameterText(value));
  }
  const response = await fetch(address, { method: 'POST', headers, body: query.sql });
  const text = await response.text();
  if (!response.ok)
    throw new Error(
      `ClickHouse answered ${response.status}: ${text.slice(0, 600)}\n${query.sql.slice(0, 2000)}`,
    );
  return text;
};
