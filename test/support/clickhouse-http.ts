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

export const clickHouseText = async (url: string, query: ClickHouseQuery): Promise<string> => {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query.settings ?? {}))
    address.searchParams.set(name, String(value));
  for (const [name, value] of Object.entries(query.params ?? {})) {
    address.searchParams.set(`param_${name}`, parameterText(value));
  }
  const response = await fetch(address, { method: 'POST', body: query.sql });
  const text = await response.text();
  if (!response.ok)
    throw new Error(
      `ClickHouse answered ${response.status}: ${text.slice(0, 600)}\n${query.sql.slice(0, 2000)}`,
    );
  return text;
};
