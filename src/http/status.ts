import type { ErrorKind } from '../lib/errors.js';

const statuses: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  quota: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition: 412,
  too_large: 413,
  unsupported_media: 415,
  unprocessable: 422,
  rate_limited: 429,
  unexpected: 500,
  not_implemented: 501,
  upstream: 502,
  unavailable: 503,
  timeout: 504,
};

export const statusOf = (kind: ErrorKind): number => statuses[kind];

/** Errors of the protocol, which services do not throw. */
export class HttpFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'HttpFault';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
