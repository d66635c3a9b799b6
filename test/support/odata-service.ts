import { type Client, json } from './datasets.js';

export interface Page {
  readonly '@odata.context'?: string;
  readonly '@odata.count'?: number;
  readonly '@odata.nextLink'?: string;
  readonly value: readonly Record<string, unknown>[];
}

export const basic = (user: string, password = ''): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** Query string as OData clients send it: names are percent-encoded too. */
export const queryOf = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

/** Client of an OData service. */
export const odataService = (
  { baseUrl, key }: Client,
  id: number,
  folder: 'datasets' | 'repositories' = 'datasets',
) => {
  const root = `${baseUrl}/odata/${folder}/${id}`;
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${root}${path}`, { headers: { ...basic(key), ...headers } });
  return {
    root,
    get,
    page: async (options: Readonly<Record<string, string>> = {}): Promise<Page> =>
      json<Page>(await get(`/Rows?${queryOf(options)}`)),
    /** Status and error code of a rejected request. */
    refusal: async (options: Readonly<Record<string, string>>): Promise<unknown[]> => {
      const response = await get(`/Rows?${queryOf(options)}`);
      const { error } = (await response.json()) as { error?: { code: string } };
      return [response.status, error?.code];
    },
  };
};
