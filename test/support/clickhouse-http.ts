/** Plain HTTP to ClickHouse, so that tests of SQL do not depend on a client library. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

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

/** Moves the user and password of a URL into a header, since `fetch` rejects them in a URL. */
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
  // On a new connection: the server may close a kept-alive one just as it is used again.
  const outgoing = request(address, { method: 'POST', headers, agent: false });
  outgoing.end(query.sql);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200)
    throw new Error(
      `ClickHouse answered ${response.statusCode}: ${answer.slice(0, 600)}\n${query.sql.slice(0, 2000)}`,
    );
  return answer;
};
