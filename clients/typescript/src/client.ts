import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema.js';

export type { components, operations, paths } from './schema.js';

/** Calls by method and path, typed by the document of the service: `client.GET('/datasets/{id}', …)`. */
export type TabularyClient = Client<paths>;

export interface ClientOptions {
  /** Address of the API, such as `https://host/api`. */
  readonly api: string;
  /** Without it public datasets can be read. */
  readonly key?: string;
  /** @default the global one */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export const createClient = ({ api, key, fetch }: ClientOptions): TabularyClient =>
  createFetchClient<paths>({
    baseUrl: api,
    ...(key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }),
    ...(fetch === undefined ? {} : { fetch }),
  });

/** A refusal of the service. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** Stable, for programs. */
    readonly code: string | undefined,
    message: string,
    readonly details?: unknown,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** Waits for a call. @returns its data. @throws ApiError where the service refuses it. */
export const dataOf = async <T>(call: Promise<Answer<T>>): Promise<T> => {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  const { code, error: text, message, details } = Object(error) as Record<string, unknown>;
  const said = text ?? message ?? response.statusText;
  throw new ApiError(response.status, code as string | undefined, String(said), details);
};

type Put = paths['/datasets/{id}/data']['put'];
export type UploadOptions = NonNullable<Put['parameters']['query']>;
export type UploadProcess = Put['responses'][201]['content']['application/json'];

/**
 * Uploads a file and waits until its rows can be read.
 * @throws ApiError for a file that is refused, or whose rows are (`code` is that of the process then).
 */
export const uploadFile = async (
  client: TabularyClient,
  datasetId: number,
  file: Blob,
  options: UploadOptions = {},
): Promise<UploadProcess> => {
  const form = new FormData();
  form.set('data', file, 'data.csv');
  let process: UploadProcess = await dataOf(
    client.PUT('/datasets/{id}/data', {
      params: { path: { id: datasetId }, query: options },
      body: form as never,
      bodySerializer: (body) => body as unknown as FormData,
    }),
  );
  for (let waitMs = 50; process.status === 'pending'; waitMs = Math.min(1_000, 1.5 * waitMs)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const path = { id: datasetId, processId: process.id };
    process = await dataOf(client.GET('/datasets/{id}/processes/{processId}', { params: { path } }));
  }
  if (process.status === 'failed') {
    const { code, message } = Object(process.error) as { code?: string; message?: string };
    throw new ApiError(200, code, message ?? 'The upload failed.', process.error);
  }
  return process;
};
