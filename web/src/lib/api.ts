import { texts } from '../texts.js';
import { basePath } from './base.js';
import { type Query, queryText } from './query.js';

/** An error response of the API; `status` is 0 if there was no response. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Identifies the request in the logs. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    facts: {
      status: number;
      code: string;
      details?: Record<string, unknown>;
      requestId?: string | null;
      retryAfterSeconds?: number | undefined;
    },
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.requestId = facts.requestId ?? undefined;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

interface RequestOptions {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of `body`. */
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** URL of an API endpoint, for links and requests. */
export const apiPath = (path: string, query: Query = {}): string =>
  `${basePath}/api${path}${queryText(query)}`;

/** Called for every 401. */
export const onUnauthenticated: { tell: (error: ApiError) => void } = { tell: () => undefined };

const errorOf = async (response: Response): Promise<ApiError> => {
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const facts = {
    status: response.status,
    requestId: response.headers.get('X-Request-Id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  };
  try {
    const body = (await response.json()) as Record<string, unknown>;
    return new ApiError(String(body.error ?? body.message ?? response.statusText), {
      ...facts,
      code: String(body.code ?? 'unknown'),
      details: (body.details as Record<string, unknown> | undefined) ?? {},
    });
  } catch {
    return new ApiError(response.statusText || texts.errors.unreadable, { ...facts, code: 'unreadable' });
  }
};

/**
 * Sends a request to the API.
 * @throws ApiError for every response that is not a success; AbortError if `signal` is aborted
 */
export const request = async (
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Response> => {
  const { query, body, form, headers = {}, signal } = options;
  let response: Response;
  try {
    response = await fetch(apiPath(path, query), {
      method,
      headers: {
        Accept: 'application/json',
        // Keeps the API from asking for Basic, so that the browser does not show its own sign-in dialog.
        'X-Requested-With': 'tabulary',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form === undefined ? {} : { body: form }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(texts.errors.network, { status: 0, code: 'network' });
  }
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.status === 401) onUnauthenticated.tell(error);
  throw error;
};

interface Readiness {
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly ms: number }>>;
}

/** Health of the dependencies, which needs no key; undefined if there is no answer, or none from the service itself. */
export const readiness = async (signal: AbortSignal): Promise<Readiness | undefined> => {
  try {
    const answer = (await (await fetch(`${basePath}/readyz`, { signal })).json()) as Partial<Readiness>;
    return answer.checks === undefined ? undefined : { checks: answer.checks };
  } catch (error) {
    if (isAbort(error)) throw error;
    return undefined;
  }
};

/** JSON of a response; undefined for 204. */
const json = async <T>(method: string, path: string, options?: RequestOptions): Promise<T> => {
  const response = await request(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
};

export const api = {
  get: <T>(path: string, options?: RequestOptions): Promise<T> => json<T>('GET', path, options),
  post: <T>(path: string, options?: RequestOptions): Promise<T> => json<T>('POST', path, options),
  put: <T>(path: string, options?: RequestOptions): Promise<T> => json<T>('PUT', path, options),
  patch: <T>(path: string, options?: RequestOptions): Promise<T> => json<T>('PATCH', path, options),
  delete: <T = void>(path: string, options?: RequestOptions): Promise<T> => json<T>('DELETE', path, options),
};
