import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { IdentifyClient } from '../client-address.js';

interface ApiUrlOptions {
  /** Address at which clients reach the service; undefined: not set. */
  readonly publicUrl: string | undefined;
  readonly identifyClient: IdentifyClient;
  /** Prefix of every path of the API. */
  readonly base: string;
}

/** Characters of a host with port; a host with any others is not used in an address. */
const plainHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/** Host names with which a client can have opened this connection. */
const ownHosts = ({ socket }: IncomingMessage): string[] => {
  const address = (socket.localAddress ?? '').replace(/^::ffff:/, '');
  const isLoopback = address === '::1' || address.startsWith('127.');
  return [isIPv6(address) ? `[${address}]` : address, ...(isLoopback ? ['localhost'] : [])].map(
    (host) => `${host}:${socket.localPort}`,
  );
};

/**
 * Address of the API as a client reaches it. A client can send any `Host`, and it would appear in answers that others see. So without
 * PUBLIC_URL it is used only if it names this end of the connection, or comes from a trusted proxy. Otherwise the address is only a path,
 * which is valid for the client in any case.
 */
export const createApiUrl =
  ({ publicUrl, identifyClient, base }: ApiUrlOptions) =>
  (request: IncomingMessage): string => {
    if (publicUrl !== undefined) return `${publicUrl.replace(/\/+$/, '')}${base}`;
    const { secure, forwardedHost } = identifyClient(request);
    const scheme = secure ? 'https' : 'http';
    if (forwardedHost !== undefined && plainHost.test(forwardedHost))
      return `${scheme}://${forwardedHost}${base}`;
    const host = request.headers.host?.toLowerCase() ?? '';
    return ownHosts(request).includes(host) ? `${scheme}://${host}${base}` : base;
  };
