/** Dataset operations over the public API. */
import { patienceMs } from './patience.js';

export interface Client {
  readonly baseUrl: string;
  readonly key: string;
}

export interface ProcessAnswer {
  readonly id: number;
  readonly datasetId: number;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly versionId: string | null;
  readonly rows: number;
  readonly rejectedRows: number;
  readonly error: { code: string; message: string; line?: number; column?: string; value?: string } | null;
  readonly progress: { chunks: number | null; inserted: number; attempt: number };
}

export interface DatasetAnswer {
  readonly id: number;
  readonly columns: { id: number; name: string; dataType: string; isEntity: boolean }[];
  readonly rowCount: number;
  readonly minDate: string | null;
  readonly maxDate: string | null;
  readonly frequency: string | null;
  readonly currentVersionId: string | null;
}

export const authorization = (key: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
});

export const call = (client: Client, method: string, path: string, body?: object): Promise<Response> =>
  fetch(`${client.baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...authorization(client.key),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

export const json = async <T>(response: Response, status = 200): Promise<T> => {
  const text = await response.text();
  if (response.status !== status) throw new Error(`expected ${status}, got ${response.status}: ${text}`);
  return JSON.parse(text) as T;
};

let count = 0;

/** Creates a dataset in Home. */
export const createDataset = async (client: Client, name = `dataset ${++count}`): Promise<number> => {
  const home = await json<{ id: number }>(await call(client, 'GET', '/repositories/home'));
  const body = { name, repositoryId: home.id };
  return (await json<{ id: number }>(await call(client, 'POST', '/datasets', body), 201)).id;
};

/** Uploads a file. @returns the raw answer. */
export const putFile = (
  client: Client,
  datasetId: number,
  content: string | Uint8Array,
  fileName = 'data.csv',
): Promise<Response> => {
  const form = new FormData();
  form.set('data', new Blob([content as Uint8Array<ArrayBuffer>]), fileName);
  return fetch(`${client.baseUrl}/datasets/${datasetId}/data`, {
    method: 'PUT',
    headers: authorization(client.key),
    body: form,
  });
};

/** Polling interval. A poll costs two processes milliseconds each; most uploads take a tenth of a second. */
const pollMs = 25;

/** Polls until the process is no longer pending. */
export const ended = async (client: Client, { datasetId, id }: ProcessAnswer): Promise<ProcessAnswer> => {
  const until = Date.now() + patienceMs;
  do {
    const answer = await json<ProcessAnswer>(
      await call(client, 'GET', `/datasets/${datasetId}/processes/${id}`),
    );
    if (answer.status !== 'pending') return answer;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  } while (Date.now() < until);
  throw new Error(`process ${id} is still pending`);
};

/** Uploads a file and waits for its process. */
export const upload = async (
  client: Client,
  datasetId: number,
  content: string | Uint8Array,
): Promise<ProcessAnswer> =>
  ended(client, await json<ProcessAnswer>(await putFile(client, datasetId, content), 201));

export const readDataset = async (client: Client, datasetId: number): Promise<DatasetAnswer> =>
  json<DatasetAnswer>(await call(client, 'GET', `/datasets/${datasetId}`));

/** Downloads a dataset with line ends as LF; follows the redirect to an exported file. */
export const download = async (client: Client, datasetId: number, query = ''): Promise<string> => {
  const response = await call(client, 'GET', `/datasets/${datasetId}/data${query}`);
  if (response.status !== 302) return (await response.text()).replaceAll('\r\n', '\n');
  const location = response.headers.get('location') ?? '';
  const file = await fetch(new URL(location, client.baseUrl));
  const text = await file.text();
  if (!file.ok) throw new Error(`the link answered ${file.status}: ${text}`);
  return text.replaceAll('\r\n', '\n');
};
