/** Uploads with options, over the public API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { authorization, type Client, ended, json, type ProcessAnswer } from './datasets.js';

export type Options = Readonly<Record<string, string | object>>;

export interface Failure {
  readonly error: string;
  readonly code: string;
  readonly details?: Record<string, unknown>;
}

/** Uploads a file with options as form fields before it. @returns the raw answer. */
export const putWith = (
  client: Client,
  datasetId: number,
  content: string | Uint8Array,
  options: Options,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Response> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(options))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  form.set('data', new Blob([content as Uint8Array<ArrayBuffer>]), 'data.csv');
  return fetch(`${client.baseUrl}/datasets/${datasetId}/data${query}`, {
    method: 'PUT',
    headers: { ...authorization(client.key), ...headers },
    body: form,
  });
};

/** Uploads a file, retrying on 503 as clients do while a node is down. */
export const putPatiently = async (...file: Parameters<typeof putWith>): Promise<ProcessAnswer> => {
  for (;;) {
    const answer = await putWith(...file);
    if (answer.status !== 503) return json<ProcessAnswer>(answer, 201);
    await answer.arrayBuffer();
    await sleep(200);
  }
};

/** Uploads a file and waits for its process. */
export const uploadWith = async (
  client: Client,
  datasetId: number,
  content: string | Uint8Array,
  options: Options,
): Promise<ProcessAnswer> =>
  ended(client, await json<ProcessAnswer>(await putWith(client, datasetId, content, options), 201));

/** Body of a rejected upload. */
export const refusal = async (answer: Promise<Response>, status: number): Promise<Failure> =>
  json<Failure>(await answer, status);
