import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

export interface ApiUrlOptions {
  /** Address under which clients reach the service, when it is set. */
  readonly publicUrl: string | undefined;
  /** Believe `X-Forwarded-Proto` and `X-Forwarded-Host`. */
  readonly trustProxy: boolean;
  /** In front of every path of the API. */
  readonly base: string;
}

/** Characters of a host with port; anything else in a `Host` header is not put into an address. */
const plainHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

const firstOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();

/** Address of the API as a client reaches it; a path alone when the request does not say. */
export const createApiUrl =
  ({ publicUrl, trustProxy, base }: ApiUrlOptions) =>
  (request: IncomingMessage): string => {
    if (publicUrl !== undefined) return `${publicUrl.replace(/\/+$/, '')}${base}`;
    const forwarded = trustProxy ? request.headers : {};
    const host = firstOf(forwarded['x-forwarded-host']) ?? request.headers.host ?? '';
    const isTls = (request.socket as Partial<TLSSocket>).encrypted === true;
    const scheme = firstOf(forwarded['x-forwarded-proto']) ?? (isTls ? 'https' : 'http');
    return plainHost.test(host) && /^https?$/.test(scheme) ? `${scheme}://${host}${base}` : base;
  };
